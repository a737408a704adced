// GROUP BY with aggregates, by hashing the keys.
//
// Where the groups do not fit into memory, those that are there go on being aggregated, and the rows of all others go
// to disk, parted by their keys; the partitions are grouped one after the other, each with the whole memory, and parted
// again where one is still too large (as hybrid hash joins do: DeWitt and others, Implementation Techniques for Main
// Memory Database Systems, 1984). Rows go to disk and not what was aggregated of them, so every aggregate is right.
// Where the groups that are there grow too large themselves (GROUP_CONCAT, DISTINCT), their further rows go to disk
// too, and each goes on from where it was when it is its partition's turn. One group must fit into memory.
#include <algorithm>
#include <optional>

#include "engine/exec/column_map.h"
#include "engine/exec/expression.h"
#include "engine/exec/group_table.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_partitions.h"

namespace quadrille::exec {
namespace {

class Group final : public Operator {
 public:
  Group(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : plan_(plan), child_(std::move(child)), run_(run), table_(plan, run) {
    const auto& columns = plan.children[0]->columns;
    for (const auto& [variable, expression] : plan.group_keys) keys_of_rows_.emplace_back(expression, columns, run);
    for (const auto& aggregate : plan.aggregates) {
      for (size_t column : columns_of_aggregate(aggregate, columns, run)) looked_at_.push_back(column);
    }
    std::sort(looked_at_.begin(), looked_at_.end());
    looked_at_.erase(std::unique(looked_at_.begin(), looked_at_.end()), looked_at_.end());
  }

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    while (next_ == finished_.size()) {
      if (!group_more()) return;
    }
    const size_t end = std::min(finished_.size(), next_ + wanted);
    for (; next_ < end; ++next_) table_.take_out(finished_[next_], batch);
  }

 private:
  // Rows on disk, of whose keys there are no more rows elsewhere.
  struct Work {
    RowPartition rows;
    uint32_t level = 0;             // of the next parting
    size_t first_group = 0;         // from this number on the table is free
    std::vector<uint32_t> members;  // groups before it that belong to these rows
  };
  enum class Intake : uint8_t { All, KnownGroups, None };  // whose rows are aggregated at once

  // The rows of the child, then a partition at a time: fills finished_. False: there are no more.
  bool group_more() {
    finished_.clear();
    next_ = 0;
    if (!child_ && works_.empty()) return false;
    Work work;
    if (child_) {
      start(work);
      group_child();
    } else {
      work = std::move(works_.back());
      works_.pop_back();
      start(work);
      group_partition(work);
    }
    finish(work);
    return true;
  }

  void start(const Work& work) {
    table_.truncate(work.first_group);
    kept_ = table_.bytes();
    level_ = work.level;
    intake_ = Intake::All;
  }

  void group_child() {
    Batch some;
    Batch keys;
    const size_t rows_max = run_.rows_at_once();
    for (size_t size = std::min(first_batch_rows, rows_max);; size = std::min(grown(size), rows_max)) {
      child_->next(some, size);
      if (some.rows() == 0) break;
      keys.reset(keys_of_rows_.size());
      for (size_t key = 0; key < keys_of_rows_.size(); ++key) keys_of_rows_[key].evaluate(some, keys.column(key));
      keys.set_rows(some.rows());
      group_rows(keys, some);
    }
    child_.reset();
    // Without GROUP BY, no rows are a group too.
    if (keys_of_rows_.empty()) table_.add_without_key();
  }

  // Rows on disk: the keys, then the columns that aggregates look at.
  void group_partition(Work& work) {
    PartitionReader reader(std::move(work.rows), keys_of_rows_.size() + looked_at_.size());
    Batch stored;
    Batch keys;
    Batch some;
    for (;;) {
      reader.next(stored);
      if (stored.rows() == 0) break;
      keys.reset(keys_of_rows_.size());
      for (size_t key = 0; key < keys_of_rows_.size(); ++key) std::swap(keys.column(key), stored.column(key));
      keys.set_rows(stored.rows());
      some.reset(plan_.children[0]->columns.size());
      for (size_t i = 0; i < some.column_count(); ++i) some.column(i).resize(stored.rows());
      for (size_t i = 0; i < looked_at_.size(); ++i) {
        std::swap(some.column(looked_at_[i]), stored.column(keys_of_rows_.size() + i));
      }
      some.set_rows(stored.rows());
      group_rows(keys, some);
    }
  }

  void group_rows(const Batch& keys, Batch& some) {
    run_.check();
    numbers_.clear();
    taken_.clear();
    uint64_t hash = 0;
    for (uint32_t row = 0; row < some.rows(); ++row) {
      // Rows often come grouped.
      const bool is_same = row > 0 && is_same_group(keys, row);
      if (!is_same) hash = table_.hash_of(keys, row);
      if (!is_same || group_ == no_row) group_ = group_of(keys, row, hash);
      if (group_ == no_row) {
        spill(keys, some, row, hash);
      } else {
        taken_.push_back(row);
        numbers_.push_back(group_);
      }
    }
    some.keep(taken_);
    table_.aggregate(some, numbers_);
    // What one group alone takes cannot be parted.
    if (can_spill() && table_.size() > 1 && !table_.may_grow(kept_)) intake_ = Intake::None;
  }

  static bool is_same_group(const Batch& keys, uint32_t row) {
    for (size_t key = 0; key < keys.column_count(); ++key) {
      if (keys.at(row, key) != keys.at(row - 1, key)) return false;
    }
    return true;
  }

  // The row's group, new or known; no_row: it has to go to disk.
  uint32_t group_of(const Batch& keys, uint32_t row, uint64_t hash) {
    if (intake_ == Intake::None) return no_row;
    const uint32_t group = table_.find(keys, row, hash);
    if (group != no_row) return group;
    if (intake_ == Intake::All && can_spill() && !table_.has_room(kept_)) intake_ = Intake::KnownGroups;
    return intake_ == Intake::All ? table_.add(keys, row, hash) : no_row;
  }

  bool can_spill() const noexcept {
    return !keys_of_rows_.empty() && level_ < PartitionWriter::level_max && run_.can_spill();
  }

  void spill(const Batch& keys, const Batch& some, uint32_t row, uint64_t hash) {
    if (!writer_) writer_.emplace(level_, run_, figures_of(plan_, run_));
    columns_.clear();
    for (size_t key = 0; key < keys.column_count(); ++key) columns_.push_back(&keys.column(key));
    for (size_t column : looked_at_) columns_.push_back(&some.column(column));
    writer_->add(columns_, row, hash);
  }

  // After the last row of the work.
  void finish(Work& work) {
    std::vector<uint32_t> members = std::move(work.members);
    for (size_t group = work.first_group; group < table_.size(); ++group) {
      members.push_back(static_cast<uint32_t>(group));
    }
    const bool waits = writer_ && intake_ == Intake::None;  // the groups may have more rows on disk
    if (writer_) {
      std::array<Work, PartitionWriter::partition_count> parts;
      auto partitions = writer_->finish();
      writer_.reset();
      for (size_t i = 0; i < parts.size(); ++i) {
        parts[i].rows = std::move(partitions[i]);
        parts[i].level = level_ + 1;
        parts[i].first_group = waits ? table_.size() : work.first_group;
      }
      if (waits) {
        for (uint32_t group : members) {
          parts[PartitionWriter::partition_of(table_.hash_of_group(group), level_)].members.push_back(group);
        }
      }
      for (size_t i = parts.size(); i-- > 0;) {  // the last comes first off
        if (!parts[i].rows.pages.empty() || !parts[i].members.empty()) works_.push_back(std::move(parts[i]));
      }
    }
    if (!waits) finished_ = std::move(members);
  }

  const plan::Plan& plan_;
  OperatorPointer child_;
  RunState& run_;
  GroupTable table_;
  std::vector<Computed> keys_of_rows_;
  std::vector<size_t> looked_at_;  // columns of the child
  std::vector<Work> works_;        // a stack: the parts of a partition come before its neighbours
  std::vector<uint32_t> finished_;
  size_t next_ = 0;

  // Of the work at hand:
  size_t kept_ = 0;  // bytes of groups that were there before
  uint32_t level_ = 0;
  Intake intake_ = Intake::All;
  std::optional<PartitionWriter> writer_;

  std::vector<uint32_t> numbers_;  // of the groups of the rows that are taken
  std::vector<uint32_t> taken_;
  uint32_t group_ = no_row;  // of the row before
  std::vector<const Column*> columns_;
};

}  // namespace

OperatorPointer make_group(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<Group>(plan, std::move(child), run);
}

}  // namespace quadrille::exec
