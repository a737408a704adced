// Quads, as text and as ids, and patterns of ids.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>

#include "engine/model/term.h"
#include "engine/model/term_id.h"

namespace quadrille::model {

// A statement as text. No graph means the default graph.
struct TermQuad {
  Term subject;
  Term predicate;
  Term object;
  std::optional<Term> graph;

  friend auto operator<=>(const TermQuad&, const TermQuad&) = default;
  friend bool operator==(const TermQuad&, const TermQuad&) = default;
};

// A statement of one store. `graph` is TermId::default_graph() or an IRI or blank node; nothing is unbound.
struct Quad {
  TermId subject;
  TermId predicate;
  TermId object;
  TermId graph;

  friend constexpr auto operator<=>(const Quad&, const Quad&) noexcept = default;
};

// A place that is unbound matches everything. An unbound graph matches the default graph too.
struct QuadPattern {
  TermId subject;
  TermId predicate;
  TermId object;
  TermId graph;
};

}  // namespace quadrille::model

template <>
struct std::hash<quadrille::model::Quad> {
  size_t operator()(const quadrille::model::Quad& quad) const noexcept {
    const std::hash<quadrille::model::TermId> hash_id;
    size_t seed = hash_id(quad.subject);
    for (auto id : {quad.predicate, quad.object, quad.graph}) seed = (seed ^ hash_id(id)) * 0x9E3779B97F4A7C15u;
    return seed;
  }
};
