// A policy: what to do when sites have written one cell against each other. DESIGN section 4, "The state of a cell".
//
// A policy is a pure function from a Conflict to a Decision. It is called only for real conflicts: for a concurrency
// component of at least two versions. It must be deterministic: the same input gives the same output on every site, on
// every machine, in every call. Nothing but the Conflict may enter: no clock, chance, memory of earlier calls, address,
// locale or order of an unordered container. Given that, any policy converges.
//
// Called from the writer's thread; must be callable from several threads. May throw: the site then decides by
// add-wins (quads) or last-writer-wins (values and records), and the conflict record says so.
//
// In an assignment a policy is written as its name, or as name(argument): "site-priority(ams, nyc)".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/quad.h"
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

// Quads to look for. Empty: any; for the default graph alone, `default_graph_only`.
struct QuadPattern {
  std::optional<model::Term> graph;
  std::optional<model::Term> subject;
  std::optional<model::Term> property;
  std::optional<model::Term> object;
  bool default_graph_only = false;
};

// What a policy that reads related quads looks at: the settled state as of the conflict, the same at every site.
class Context {
 public:
  virtual ~Context() = default;
  // Sorted by graph (the default graph first), subject, property, object in the bytewise order of terms; no repeats.
  virtual std::vector<model::TermQuad> match(const QuadPattern& pattern) const = 0;
};

struct Conflict {
  CellName cell;
  Content base;                   // what the cell held before the component
  std::vector<Version> versions;  // at least two, at least two of them maximal; by (stamp, origin)
  // seen[i][j]: versions[j] happened before versions[i].
  std::vector<std::vector<bool>> seen;
  std::string argument;              // what stands between the parentheses in the assignment; else empty
  const Context* context = nullptr;  // only for policies that read it
};

struct Decision {
  Content content;  // in any order; only statements that belong to the cell
};

// What is known of a conflict without a look at any content.
struct VersionOutline {
  const log::SiteId* site = nullptr;
  log::Stamp stamp;
  bool is_maximal = false;
  bool left_nothing = false;
};
struct Outline {
  std::span<const VersionOutline> versions;  // as in Conflict
  std::string_view argument;
};

// What a component that keeps growing must hold on to. DESIGN section 4, "Hot cells".
enum class Retention : uint8_t {
  AllVersions,      // the answer may depend on each; the window of a hot cell grows
  MaximalVersions,  // the answer depends on the base and the maximal versions alone: others leave at once
  AsItSays,         // what may_leave() says, once it is causally stable
};

// A local update of one cell, before it is committed.
struct LocalChange {
  CellName cell;
  Content saw;
  Content left;
  std::string argument;
};
struct LocalDecision {
  std::optional<std::string> refused;  // why the whole request is refused
  std::optional<Content> completed;    // what the cell is left with instead
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Full name by behaviour ("add-wins"), and a version that changes when any answer may change.
  virtual std::string_view name() const = 0;
  virtual uint32_t version() const = 0;
  // Of what is loaded from a file: a digest of its content, and of all that its answers depend on. Sites compare it.
  virtual std::string content_digest() const { return {}; }
  virtual bool decides(log::CellKind kind) const = 0;
  // InvalidInput, with what was expected, for an argument that is none of this policy's.
  virtual base::Result<void> check_argument(std::string_view argument) const;
  // True if a value cell may be left with several values by one local update.
  virtual bool accepts_several_values() const { return false; }

  virtual Decision resolve(const Conflict& conflict) const = 0;
  // For a policy whose answer is always what one of the versions left, picked by the outline: its place. resolve() must
  // agree. Spares the text of all terms.
  virtual std::optional<size_t> choose(const Outline&) const { return std::nullopt; }

  virtual Retention retention() const { return Retention::AllVersions; }
  // Of a version that is not maximal: whether no answer can depend on it, whatever still comes, as each version that
  // comes will have seen it. resolve() must give the same without it. Only asked where retention() is AsItSays; also
  // with versions marked as maximal that have been seen by now, as the state before may still be looked at.
  virtual bool may_leave(const Conflict&, size_t /*version*/) const { return false; }

  // Whether it reads Conflict::context, and which context-free policy decides until that can be read.
  virtual bool reads_context() const { return false; }
  virtual std::string_view fallback() const { return {}; }

  // May refuse or complete what a local update leaves in a cell; remote changes are never asked about. The update is
  // the same request wherever it is checked, so this too must be deterministic.
  virtual bool checks_local_changes() const { return false; }
  virtual LocalDecision check(const LocalChange&) const { return {}; }
};

// A policy whose answer is always what one of the versions left.
class ChoosingPolicy : public Policy {
 public:
  Decision resolve(const Conflict& conflict) const final;
  std::optional<size_t> choose(const Outline& outline) const final { return pick(outline); }
  Retention retention() const override { return Retention::MaximalVersions; }

 protected:
  virtual size_t pick(const Outline& outline) const = 0;
};

}  // namespace quadrille::reconcile
