// Conflicts for the tests of policies.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reconcile/policy.h"

namespace quadrille::policies {

inline const model::Term property = model::Term::iri("http://e/v");

inline reconcile::Content strings(const std::vector<std::string>& texts) {
  reconcile::Content content;
  for (const auto& text : texts) content.push_back({property, model::Term::literal(text)});
  return content;
}

// One value with a datatype of XSD.
inline reconcile::Content typed(const std::string& text, const std::string& type = "integer") {
  return {{property, model::Term::typed_literal(text, "http://www.w3.org/2001/XMLSchema#" + type)}};
}
inline reconcile::Content one_value(model::Term value) { return {{property, std::move(value)}}; }
inline const reconcile::Content nothing;

// Versions of a value cell that have not seen each other, by stamp: of the sites s0, s1, ...; each saw nothing and left
// this.
inline reconcile::Conflict conflict_of(const std::vector<reconcile::Content>& left, const std::string& argument = {}) {
  reconcile::Conflict conflict;
  conflict.cell = {log::CellKind::Value, {}, model::Term::iri("http://e/s"), property, {}};
  conflict.argument = argument;
  for (const auto& content : left) {
    const auto index = static_cast<int64_t>(conflict.versions.size());
    conflict.versions.push_back({{{"s" + std::to_string(index), 7}, 1}, {1000 + index, 2}, {}, content, true});
  }
  conflict.seen.assign(left.size(), std::vector<bool>(left.size(), false));
  return conflict;
}

// The same, of strings.
inline reconcile::Conflict concurrent(const std::vector<std::vector<std::string>>& left,
                                      const std::string& argument = {}) {
  std::vector<reconcile::Content> contents;
  for (const auto& texts : left) contents.push_back(strings(texts));
  return conflict_of(contents, argument);
}

// versions[later] had seen versions[earlier].
inline void order(reconcile::Conflict& conflict, size_t earlier, size_t later) {
  conflict.seen[later][earlier] = true;
  conflict.versions[earlier].is_maximal = false;
}

// The objects, as N-Triples writes them.
inline std::vector<std::string> objects(const reconcile::Content& content) {
  std::vector<std::string> texts;
  for (const auto& statement : content) texts.push_back(to_ntriples(statement.object));
  return texts;
}
inline std::vector<std::string> answer(const reconcile::Policy& policy, const reconcile::Conflict& conflict) {
  return objects(policy.resolve(conflict).content);
}
inline std::string number(const std::string& text, const std::string& type = "integer") {
  return "\"" + text + "\"^^<http://www.w3.org/2001/XMLSchema#" + type + ">";
}

// A quad cell: of each version whether it says that the quad exists.
inline reconcile::Conflict quad_conflict(const std::vector<bool>& exists) {
  const model::Term object = model::Term::iri("http://e/o");
  std::vector<reconcile::Content> left;
  for (const bool each : exists) left.push_back(each ? one_value(object) : nothing);
  reconcile::Conflict conflict = conflict_of(left);
  conflict.cell.kind = log::CellKind::Quad;
  conflict.cell.object = object;
  return conflict;
}

// Answers every question with the same quads.
class FixedContext : public reconcile::Context {
 public:
  explicit FixedContext(std::vector<model::TermQuad> quads) : quads_(std::move(quads)) {}
  std::vector<model::TermQuad> match(const reconcile::QuadPattern& pattern) const override {
    asked = pattern;
    return quads_;
  }
  mutable reconcile::QuadPattern asked;

 private:
  std::vector<model::TermQuad> quads_;
};

}  // namespace quadrille::policies
