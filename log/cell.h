// Cells: what two sites can contend for. DESIGN section 4.
//
// The cell of a quad follows from the quad and the policy assignment alone, never from stored data.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "engine/model/quad.h"
#include "engine/model/term_id.h"

namespace quadrille::log {

enum class CellKind : uint8_t {
  Quad = 0,    // one quad: it exists or not
  Value = 1,   // (graph, subject, property): the values of a property that should have one
  Record = 2,  // (graph, subject, group): the statements of a group of properties that change together
};

struct Cell {
  CellKind kind = CellKind::Quad;
  model::TermId graph;
  model::TermId subject;
  model::TermId property;  // Record: the IRI that names the group
  model::TermId object;    // Quad only; unbound else

  friend constexpr auto operator<=>(const Cell&, const Cell&) noexcept = default;
};

// One quad's part of a cell: graph and subject are the cell's.
struct Statement {
  model::TermId property;
  model::TermId object;

  friend constexpr auto operator<=>(const Statement&, const Statement&) noexcept = default;
};

// What a cell holds, without repeats. For a quad cell: its one statement, or nothing. Sorted by id, except in
// Operations, where it stands in the origin's order, which every site keeps so as to pass on the same bytes.
using CellContent = std::vector<Statement>;

inline model::Quad quad_of(const Cell& cell, const Statement& statement) noexcept {
  return {cell.subject, statement.property, statement.object, cell.graph};
}

// A quad cell's quad, and the quad cell of a quad.
inline model::Quad quad_of(const Cell& cell) noexcept { return quad_of(cell, {cell.property, cell.object}); }
inline Cell quad_cell(const model::Quad& quad) noexcept {
  return {CellKind::Quad, quad.graph, quad.subject, quad.predicate, quad.object};
}

// In the order GSPO, which is that of the quad cells' keys in the window and of the ranges.
inline bool comes_before(const model::Quad& left, const model::Quad& right) noexcept {
  return quad_cell(left) < quad_cell(right);
}

}  // namespace quadrille::log
