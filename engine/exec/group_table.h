// The groups that are in memory: their keys, and what the aggregates have of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/exec/aggregate.h"
#include "engine/exec/row_index.h"
#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

// Groups have numbers from 0 on.
class GroupTable {
 public:
  // `plan`: of the grouping; must outlive the table.
  GroupTable(const plan::Plan& plan, RunState& run);
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

  size_t size() const noexcept { return groups_.rows(); }
  uint64_t hash_of(const Batch& keys, uint32_t row) const { return index_.hash_of(keys, key_columns_, row); }
  // The group with these keys, or no_row.
  uint32_t find(const Batch& keys, uint32_t row, uint64_t hash) const {
    return index_.find_one(keys, key_columns_, row, hash);
  }
  // Where there is none.
  uint32_t add(const Batch& keys, uint32_t row, uint64_t hash);
  // The one group without GROUP BY, if it is not there yet.
  void add_without_key();
  // Row i of `rows` belongs to group `groups[i]`.
  void aggregate(const Batch& rows, const std::vector<uint32_t>& groups);

  // Appends the group as a row of the plan. It gets no more rows.
  void take_out(uint32_t group, Batch& batch);
  // Forgets the groups from `count` on, which must have been taken out.
  void truncate(size_t count);
  uint64_t hash_of_group(uint32_t group) const { return index_.hash_of(groups_, key_columns_, group); }

  // Whether one more group is within the operator's share of memory. `kept`: what it held of it before these rows.
  bool has_room(size_t kept) const noexcept { return memory_.has_room_for(bytes_per_group_, kept); }
  // Whether groups that are there may keep more texts and values: then they have half of what is beyond the share.
  bool may_grow(size_t kept) const noexcept;
  size_t bytes() const noexcept { return memory_.bytes(); }

 private:
  RunState& run_;
  MemoryUse memory_;
  std::vector<size_t> key_columns_;
  std::vector<size_t> key_targets_;
  std::vector<size_t> aggregate_targets_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  size_t bytes_per_group_ = 0;
  Batch groups_;  // the keys of each group
  RowIndex index_;
};

}  // namespace quadrille::exec
