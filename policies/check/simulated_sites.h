// Plays a history: a few sites without a store, a log or a network, that write one cell, receive each other's
// changesets in causal order, evaluate by concurrency components, let versions leave and fold, as DESIGN section 4
// says. Beside them an account that forgets nothing: what the cell must hold in the end.
//
// Written apart from reconcile's evaluator, so that each is a check of the other.
#pragma once

#include <memory>
#include <vector>

#include "policies/check/answer.h"
#include "policies/check/history.h"
#include "reconcile/policy.h"

namespace quadrille::policies::check {

struct PlayedVersion {
  reconcile::Version version;
  uint64_t seen = 0;  // of the history's versions, a bit each
  uint8_t site = 0;
  size_t event = 0;
};

// A conflict, the first time that it was met. `conflict.context` is set if the policy reads it, and lives as long as
// the Played.
struct PlayedConflict {
  reconcile::Conflict conflict;
  uint64_t members = 0;  // versions, a bit each
  Answer answer;
  size_t event = 0;  // during which it came up; events.size(): in the end
  uint8_t site = 0;  // where
  bool after_fold = false;
};

struct SiteEnd {
  uint8_t site = 0;
  reconcile::Content before_folding;
  reconcile::Content content;
};

struct Played {
  std::vector<PlayedVersion> versions;
  std::vector<PlayedConflict> conflicts;  // distinct
  std::vector<SiteEnd> ends;              // of the sites that are still there, when all have all
  reconcile::Content expected;            // by the account that forgets nothing
  std::unique_ptr<const reconcile::Context> context;
  uint32_t folded = 0;       // versions, before the end
  uint32_t left_window = 0;  // versions that left, before the end
  uint32_t no_ops = 0;
  uint32_t joins = 0;
  uint32_t evictions = 0;
};

// Calls resolve() once for each distinct conflict, and may_leave(). A policy that fails does as on a site.
Played play(const History& history, const reconcile::Policy& policy, const ValuePool& pool);

// The cell that a history is about, its subject, and the properties of a record's group.
reconcile::CellName cell_of(const History& history, const ValuePool& pool);

}  // namespace quadrille::policies::check
