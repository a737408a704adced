// What the comparison of versions needs of their changesets, read from the log once.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "log/change_log.h"
#include "log/log_state.h"
#include "log/stamp.h"
#include "reconcile/assignment_history.h"

namespace quadrille::reconcile {

struct ChangesetFacts {
  log::Stamp stamp;
  log::SeenVector seen;            // its dependencies
  NumberedRules* rules = nullptr;  // that it was made under
};

class ChangesetFactsCache {
 public:
  // The reference is good until the next make_room() or clear().
  const ChangesetFacts& get(log::ChangesetKey changeset, const log::ChangeLog& log, const log::LogState& state,
                            AssignmentHistory& assignments);
  // Of a changeset that the log does not have yet.
  void put(log::ChangesetKey changeset, ChangesetFacts facts);
  void make_room();  // between cells: forgets all once there are many
  void clear() { facts_.clear(); }

 private:
  struct HashKey {
    size_t operator()(log::ChangesetKey key) const noexcept {
      return (key.seq * 0x9E3779B97F4A7C15u) ^ (size_t{key.origin} << 40);
    }
  };
  std::unordered_map<log::ChangesetKey, ChangesetFacts, HashKey> facts_;
};

}  // namespace quadrille::reconcile
