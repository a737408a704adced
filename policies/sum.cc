#include "policies/sum.h"

#include "engine/model/value.h"

namespace quadrille::policies {
namespace {

using reconcile::Conflict;
using reconcile::Content;
using reconcile::Version;

// Nothing for what is not exactly one number.
std::optional<model::Value> number_of(const Content& content) {
  if (content.size() != 1) return std::nullopt;
  model::Value value = model::value_of(content.front().object);
  if (!value.is_numeric()) return std::nullopt;
  return value;
}

std::optional<size_t> find_start(const Conflict& conflict) {
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    if (conflict.versions[i].is_maximal && !conflict.versions[i].left.empty()) return i;
  }
  return std::nullopt;
}

// What a version changed.
std::optional<model::Value> difference(const Version& version) {
  const auto left = number_of(version.left);
  const auto saw = version.saw.empty() ? model::Value::integer(0) : number_of(version.saw);
  if (!left || !saw) return std::nullopt;
  return model::subtract(*left, *saw);
}

// Nothing where it cannot be computed.
std::optional<Content> sum_from(const Conflict& conflict, size_t start) {
  std::vector<const Version*> others;
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    const bool counts = i != start && !conflict.versions[i].left.empty() && !conflict.seen[start][i];
    if (counts) others.push_back(&conflict.versions[i]);
  }
  const Content& first = conflict.versions[start].left;
  if (others.empty()) return first;
  std::optional<model::Value> total = number_of(first);
  for (const Version* other : others) {
    const auto change = difference(*other);
    if (!total || !change) return std::nullopt;
    total = model::add(*total, *change);
  }
  if (!total) return std::nullopt;
  return Content{{first.front().property, model::to_term(*total)}};
}

}  // namespace

reconcile::Decision Sum::resolve(const Conflict& conflict) const {
  const auto start = find_start(conflict);
  if (!start) return {};
  if (auto content = sum_from(conflict, *start)) return {std::move(*content)};
  return {conflict.versions.back().left};
}

bool Sum::may_leave(const Conflict& conflict, size_t version) const {
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    if (conflict.versions[i].is_maximal && !conflict.seen[i][version]) return false;
  }
  return true;
}

}  // namespace quadrille::policies
