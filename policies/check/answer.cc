#include "policies/check/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "engine/model/vocabulary.h"

namespace quadrille::policies::check {
namespace {

using reconcile::CellStatement;
using reconcile::Conflict;
using reconcile::Content;

bool holds_property(const Content& content, const model::Term& property) {
  return std::any_of(content.begin(), content.end(),
                     [&](const auto& statement) { return statement.property == property; });
}

// A policy is not told which properties a record's group has; those that it is shown are of it.
bool is_shown(const Conflict& conflict, const model::Term& property) {
  return property == conflict.cell.property || holds_property(conflict.base, property) ||
         std::any_of(conflict.versions.begin(), conflict.versions.end(), [&](const auto& version) {
           return holds_property(version.saw, property) || holds_property(version.left, property);
         });
}

bool belongs_to_cell(const Conflict& conflict, const CellStatement& statement) {
  switch (conflict.cell.kind) {
    case log::CellKind::Quad:
      return statement.property == conflict.cell.property && statement.object == conflict.cell.object;
    case log::CellKind::Value: return statement.property == conflict.cell.property;
    case log::CellKind::Record: return is_shown(conflict, statement.property);
  }
  return false;
}

std::string describe_object(const model::Term& object) {
  if (!object.is_literal()) return to_ntriples(object);
  const std::string_view datatype = object.datatype();
  const bool is_bare = datatype == model::vocabulary::xsd_integer && !object.text().empty() &&
                       object.text().find_first_not_of("-0123456789") == std::string::npos;
  if (is_bare) return object.text();
  std::string text = to_ntriples(object);
  const size_t type = text.rfind("^^<" + std::string(model::vocabulary::xsd));
  if (type == std::string::npos) return text;
  const std::string_view local = datatype.substr(model::vocabulary::xsd.size());
  return fmt::format("{}^^xsd:{}", text.substr(0, type), local);
}

}  // namespace

Answer ask(const reconcile::Policy& policy, const Conflict& conflict) {
  Answer answer;
  try {
    answer.content = policy.resolve(conflict).content;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    answer.failure = *failure.what() ? failure.what() : "it threw an exception that says nothing";
  } catch (...) {
    answer.failure = "it threw something that is no std::exception";
  }
  std::sort(answer.content.begin(), answer.content.end());
  answer.content.erase(std::unique(answer.content.begin(), answer.content.end()), answer.content.end());
  answer.is_outside = !std::all_of(answer.content.begin(), answer.content.end(),
                                   [&](const auto& statement) { return belongs_to_cell(conflict, statement); });
  return answer;
}

Content outcome(const Conflict& conflict, const Answer& answer) {
  if (answer.decided()) return answer.content;
  if (conflict.cell.kind != log::CellKind::Quad) return conflict.versions.back().left;
  for (const reconcile::Version& version : conflict.versions) {
    if (version.is_maximal && !version.left.empty()) return version.left;
  }
  return {};
}

Conflict only(const Conflict& conflict, const std::vector<bool>& kept) {
  Conflict rest{conflict.cell, conflict.base, {}, {}, conflict.argument, conflict.context};
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    if (!kept[i]) continue;
    rest.versions.push_back(conflict.versions[i]);
    rest.versions.back().is_maximal = true;
    std::vector<bool>& row = rest.seen.emplace_back();
    for (size_t k = 0; k < conflict.versions.size(); ++k) {
      if (kept[k]) row.push_back(conflict.seen[i][k]);
    }
  }
  for (const auto& row : rest.seen) {
    for (size_t k = 0; k < row.size(); ++k) {
      if (row[k]) rest.versions[k].is_maximal = false;
    }
  }
  return rest;
}

std::string describe(const Content& content) {
  if (content.empty()) return "nothing";
  std::string text;
  const bool is_one_property = std::all_of(content.begin(), content.end(), [&](const auto& statement) {
    return statement.property == content.front().property;
  });
  for (const CellStatement& statement : content) {
    if (!text.empty()) text += ", ";
    if (!is_one_property) {
      const std::string& property = statement.property.text();
      text += property.substr(property.find_last_of("#/") + 1) + " ";
    }
    text += describe_object(statement.object);
  }
  return text;
}

std::string describe(const Answer& answer) {
  if (!answer.failure.empty()) return fmt::format("failed: {}", answer.failure);
  if (!answer.is_outside) return describe(answer.content);
  std::string text;
  for (const CellStatement& statement : answer.content) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_ntriples(statement.property),
                        describe_object(statement.object));
  }
  return text;
}

}  // namespace quadrille::policies::check
