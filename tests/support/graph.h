// A small graph in memory that tests can ask.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/quad.h"

namespace quadrille::test {

class Graph {
 public:
  Graph() = default;
  explicit Graph(std::vector<model::TermQuad> quads) : quads_(std::move(quads)) {}

  const std::vector<model::TermQuad>& quads() const noexcept { return quads_; }
  // In the order of the document.
  std::vector<model::Term> objects(const model::Term& subject, std::string_view predicate) const;
  // The first of them.
  std::optional<model::Term> object(const model::Term& subject, std::string_view predicate) const;
  std::vector<model::Term> subjects(std::string_view predicate, const model::Term& object) const;
  // The items of an RDF collection.
  std::vector<model::Term> list(const model::Term& head) const;

 private:
  std::vector<model::TermQuad> quads_;
};

}  // namespace quadrille::test
