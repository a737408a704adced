// DISTINCT: rows leave as they come, but for those that were there before.
//
// Where those that were seen outgrow their memory, rows that are not among them go to disk, each with its number,
// parted by hash. At the end each partition is rid of its doubles by itself, and what is left is sorted by number: rows
// always come in the order of their first appearance, which may be that of an ORDER BY below.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/exec/inline_integer.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_index.h"
#include "engine/exec/row_partitions.h"
#include "engine/exec/row_sorter.h"

namespace quadrille::exec {
namespace {

// Remembers rows, and gives to disk those for which it has no room.
class Sieve {
 public:
  Sieve(size_t columns, uint32_t level, RunState& run, OperatorFigures* figures)
      : run_(run),
        figures_(figures),
        memory_(run),
        level_(level),
        columns_(first_columns(columns)),
        index_(seen_, columns_) {
    seen_.reset(columns);
  }

  // Fills `fresh` with the rows that were not there before, as far as that is known now. The first columns of `rows`
  // count.
  void sift(const Batch& rows, const Column& numbers, std::vector<uint32_t>& fresh) {
    run_.check();
    fresh.clear();
    for (uint32_t row = 0; row < rows.rows(); ++row) {
      const uint64_t hash = index_.hash_of(rows, columns_, row);
      if (index_.find_one(rows, columns_, row, hash) != no_row) continue;
      if (is_full()) {
        spill(rows, row, numbers, hash);
      } else {
        add(rows, row, hash);
        fresh.push_back(row);
      }
    }
  }

  // The rows on disk, with their numbers as last column; none: there were none. To be called once.
  std::vector<RowPartition> take_partitions() {
    std::vector<RowPartition> found;
    if (!writer_) return found;
    for (RowPartition& partition : writer_->finish()) {
      if (!partition.pages.empty()) found.push_back(std::move(partition));
    }
    return found;
  }

 private:
  static std::vector<size_t> first_columns(size_t count) {
    std::vector<size_t> columns(count);
    std::iota(columns.begin(), columns.end(), size_t{0});
    return columns;
  }

  // Once it is, it stays so: doubles of what went to disk must follow it.
  bool is_full() {
    if (writer_) return true;
    if (level_ == PartitionWriter::level_max || !run_.can_spill() || memory_.has_room_for(bytes_per_row())) {
      return false;
    }
    writer_.emplace(level_, run_, figures_);
    return true;
  }

  size_t bytes_per_row() const noexcept { return columns_.size() * sizeof(TermId) + RowIndex::bytes_per_row; }

  void add(const Batch& rows, uint32_t row, uint64_t hash) {
    memory_.take(bytes_per_row());
    for (size_t column : columns_) seen_.column(column).push_back(rows.at(row, column));
    seen_.set_rows(seen_.rows() + 1);
    index_.add(static_cast<uint32_t>(seen_.rows() - 1), hash);
  }

  void spill(const Batch& rows, uint32_t row, const Column& numbers, uint64_t hash) {
    written_.clear();
    for (size_t column : columns_) written_.push_back(&rows.column(column));
    written_.push_back(&numbers);
    writer_->add(written_, row, hash);
  }

  RunState& run_;
  OperatorFigures* figures_;
  MemoryUse memory_;
  uint32_t level_;
  Batch seen_;
  std::vector<size_t> columns_;
  RowIndex index_;
  std::optional<PartitionWriter> writer_;
  std::vector<const Column*> written_;
};

class Distinct final : public Operator {
 public:
  Distinct(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : child_(std::move(child)), run_(run), figures_(figures_of(plan, run)), columns_(plan.columns.size()) {
    sieve_ = std::make_unique<Sieve>(columns_, 0, run, figures_);
  }

  void next(Batch& batch, size_t wanted) override {
    for (size_t size = wanted; child_; size = std::max(size, grown(size))) {
      child_->next(batch, size);
      if (batch.rows() == 0) {
        child_.reset();
        end_input();
        break;
      }
      numbers_.resize(batch.rows());
      for (TermId& number : numbers_) number = integer_id(rows_++);
      sieve_->sift(batch, numbers_, fresh_);
      batch.keep(fresh_);
      if (batch.rows() > 0) return;
    }
    if (rest_) return rest_->next(batch, wanted);
    batch.reset(columns_);
  }

 private:
  struct Work {
    RowPartition rows;
    uint32_t level;  // of its sieve
  };

  void end_input() {
    std::vector<Work> works;
    take_partitions(*sieve_, 1, works);
    sieve_.reset();
    if (works.empty()) return;
    rest_ = std::make_unique<RowSorter>(columns_, std::vector<bool>{false}, std::nullopt, run_, figures_);
    while (!works.empty()) {
      Work work = std::move(works.back());
      works.pop_back();
      Sieve sieve(columns_, work.level, run_, figures_);
      sift_partition(std::move(work.rows), sieve);
      take_partitions(sieve, work.level + 1, works);
    }
    rest_->finish();
  }

  static void take_partitions(Sieve& sieve, uint32_t level, std::vector<Work>& works) {
    for (RowPartition& partition : sieve.take_partitions()) works.push_back({std::move(partition), level});
  }

  void sift_partition(RowPartition rows, Sieve& sieve) {
    PartitionReader reader(std::move(rows), columns_ + 1);
    Batch some;
    for (reader.next(some); some.rows() > 0; reader.next(some)) {
      sieve.sift(some, some.column(columns_), fresh_);
      some.keep(fresh_);
      rest_->add(some, {&some.column(columns_)});
    }
  }

  OperatorPointer child_;
  RunState& run_;
  OperatorFigures* figures_;
  size_t columns_;
  std::unique_ptr<Sieve> sieve_;  // of the rows of the child
  std::unique_ptr<RowSorter> rest_;
  int64_t rows_ = 0;  // that came from the child
  Column numbers_;
  std::vector<uint32_t> fresh_;
};

}  // namespace

OperatorPointer make_distinct(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<Distinct>(plan, std::move(child), run);
}

}  // namespace quadrille::exec
