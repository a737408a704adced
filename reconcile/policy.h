// A policy: what to do when sites have written one cell against each other. DESIGN section 4, "The state of a cell".
//
// A policy is a pure function from a Conflict to a Decision. It is called only for real conflicts: for a concurrency
// component of at least two versions. It must be deterministic: the same input gives the same output on every site, on
// every machine, in every call. Nothing but the Conflict may enter: no clock, chance, memory of earlier calls, address,
// locale or order of an unordered container. Given that, any policy converges.
//
// Called from the writer's thread; must be callable from several threads. May throw: the site then decides by
// add-wins (quads) or last-writer-wins (values and records), and the conflict record says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/term.h"
#include "log/cell.h"
#include "log/changeset.h"
#include "log/stamp.h"

namespace quadrille::reconcile {

// A quad's part of a cell, as text.
struct CellStatement {
  model::Term property;
  model::Term object;

  friend auto operator<=>(const CellStatement&, const CellStatement&) = default;
  friend bool operator==(const CellStatement&, const CellStatement&) = default;
};

// By property, then object, in the bytewise order of terms (engine/model/term.h); no repeats.
using Content = std::vector<CellStatement>;

struct CellName {
  log::CellKind kind = log::CellKind::Quad;
  std::optional<model::Term> graph;  // absent: the default graph
  model::Term subject = model::Term::iri({});
  model::Term property = model::Term::iri({});  // Record: the IRI that names the group
  std::optional<model::Term> object;            // Quad only

  friend bool operator==(const CellName&, const CellName&) = default;
};

// What one changeset did to the cell.
struct Version {
  log::ChangesetId id;
  log::Stamp stamp;
  Content saw;  // empty for quad cells: they log assertions only
  Content left;
  bool is_maximal = false;  // no version of the component has seen it

  friend bool operator==(const Version&, const Version&) = default;
};

struct Conflict {
  CellName cell;
  Content base;                   // what the cell held before the component
  std::vector<Version> versions;  // at least two, by (stamp, origin)
  // seen[i][j]: versions[j] happened before versions[i].
  std::vector<std::vector<bool>> seen;
};

struct Decision {
  Content content;  // in any order; only statements that belong to the cell
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Full name by behaviour ("add-wins"), and a version that changes when any answer may change.
  virtual std::string_view name() const = 0;
  virtual uint32_t version() const = 0;
  virtual bool decides(log::CellKind kind) const = 0;
  // True if a value cell may be left with several values by one local update.
  virtual bool accepts_several_values() const { return false; }
  virtual Decision resolve(const Conflict& conflict) const = 0;
};

}  // namespace quadrille::reconcile
