// Conflicts for the tests of policies that are loaded from files.
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

// Versions of a value cell that have not seen each other, by stamp; each saw nothing and left these strings.
inline reconcile::Conflict concurrent(const std::vector<std::vector<std::string>>& left,
                                      const std::string& argument = {}) {
  reconcile::Conflict conflict;
  conflict.cell = {log::CellKind::Value, {}, model::Term::iri("http://e/s"), property, {}};
  conflict.argument = argument;
  for (const auto& texts : left) {
    const auto index = static_cast<int64_t>(conflict.versions.size());
    conflict.versions.push_back({{{"s" + std::to_string(index), 7}, 1}, {1000 + index, 2}, {}, strings(texts), true});
  }
  conflict.seen.assign(left.size(), std::vector<bool>(left.size(), false));
  return conflict;
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
