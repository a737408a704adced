#include "engine/store/quad_scan.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/store/block_table.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

using model::QuadOrder;
using model::TermId;

// A column of the order that the caller wants, and which of the batch's it is.
struct WantedColumn {
  size_t position;
  size_t column;
};

// A run's rows, and the first of those that were not taken yet.
class RunRows {
 public:
  RunRows(const QuadView& view, QuadOrder order, const ActiveRun& run, std::span<const TermId> prefix)
      : rows(view.transaction, view.tables.blocks_of(order), order, run.number, prefix, view.cache), run_(run) {}

  const ActiveRun& run() const noexcept { return run_; }
  // Only the rows that start with `key`, which lies where it is while they are read; with all if it is empty.
  void limit_to(std::span<const TermId> key) {
    key_ = key;
    limit_.reset();
  }
  bool at_row() { return rows.at_row() && rows.row() < limit(); }
  // Where they end in the block.
  size_t limit() {
    if (key_.empty()) return rows.limit();
    if (!limit_) limit_ = std::min(rows.limit(), rows.block().upper_bound(key_, rows.row()));
    return *limit_;
  }
  const QuadRow& head() {
    if (!head_) head_ = rows.block().row(rows.row());
    return *head_;
  }
  bool is_at(const QuadRow& row) { return at_row() && head() == row; }
  void advance(size_t count) {
    if (rows.row() + count == rows.limit()) limit_.reset();  // it goes on to another block
    rows.advance(count);
    head_.reset();
  }
  void seek(std::span<const TermId> key) {
    rows.seek(key);
    head_.reset();
    limit_.reset();
  }
  void skip_to(std::span<const TermId> key) {
    rows.skip_to(key);
    head_.reset();
    limit_.reset();
  }

  BlockRows rows;

 private:
  ActiveRun run_;
  std::optional<QuadRow> head_;
  std::span<const TermId> key_;
  std::optional<size_t> limit_;  // by the key; unknown until asked for
};

class MergedScan final : public model::QuadScan {
 public:
  MergedScan(const QuadView& view, QuadOrder order, std::span<const TermId> prefix, model::ColumnSet wanted)
      : view_(view), order_(order), prefix_size_(prefix.size()), prefix_key_(prefix) {
    std::copy(prefix.begin(), prefix.end(), target_.begin());
    const auto columns = columns_of(order);
    for (size_t i = 0; i < 4; ++i) {
      if (wanted.has(columns[i])) wanted_[wanted_count_++] = {i, static_cast<size_t>(columns[i])};
    }
  }

  size_t next(const model::ScanBatch& batch) override {
    is_placed_ ? find_place() : seek(std::span(target_).first(prefix_size_));
    size_t count = 0;
    while (count < batch.capacity) {
      RunRows* first = first_run();
      if (has_delta_row() && !(first && comes_before_delta(*first))) {
        count += take_delta_row(batch, count);
      } else if (first) {
        count += copy_run_rows(*first, batch, count);
      } else {
        break;
      }
    }
    return count;
  }

  void skip_to(std::span<const TermId> key) override {
    limit_to(0);
    skip(key);
  }

  void skip_to_rows_of(std::span<const TermId> key) override {
    limit_to(0);
    skip(key);
    limit_to(prefix_size_ + key.size());
  }

 private:
  static constexpr int near_steps = 4;

  void skip(std::span<const TermId> key) {
    if (is_placed_) find_place();
    QUADRILLE_CHECK(prefix_size_ + key.size() <= 4, "a scan's key is longer than its row");
    std::copy(key.begin(), key.end(), target_.begin() + static_cast<ptrdiff_t>(prefix_size_));
    const std::span<const TermId> target(target_.data(), prefix_size_ + key.size());
    if (!is_placed_) return seek(target);
    for (RunRows& run : runs_) run.skip_to(target);
    if (delta_) skip_delta_to(QuadKey(target).view());
  }

  // Gives the rows alone that start with so many ids of the target.
  void limit_to(size_t ids) {
    limit_size_ = ids;
    for (RunRows& run : runs_) run.limit_to(limit_key());
    block_rows_before_.reset();
  }
  std::span<const TermId> limit_key() const noexcept { return std::span(target_).first(limit_size_); }

  // ---- the delta: the row that it stands at, nothing behind the range ----

  void read_delta_row(bool at_row) {
    delta_row_.reset();
    if (at_row && delta_->key().starts_with(prefix_key_.view())) delta_row_ = read_row(delta_->key());
    block_rows_before_.reset();
  }
  // One of the rows that are to be given.
  bool has_delta_row() const noexcept {
    return delta_row_ && std::equal(limit_key().begin(), limit_key().end(), delta_row_->begin());
  }
  void skip_delta_to(std::string_view wanted) {
    // It is cheaper to step to a near row than to seek it.
    for (int step = 0; step < near_steps && delta_row_ && delta_->key() < wanted; ++step)
      read_delta_row(delta_->next());
    if (delta_row_ && delta_->key() < wanted) read_delta_row(delta_->seek(wanted));
    block_rows_before_.reset();
  }

  size_t take_delta_row(const model::ScanBatch& batch, size_t at) {
    const DeltaMark mark(delta_->value());
    bool is_present = mark.is_present();
    for (RunRows& run : runs_) {
      if (!run.is_at(*delta_row_)) continue;
      is_present = is_present || !mark.hides(run.run());
      run.advance(1);
    }
    if (is_present) {
      for (size_t i = 0; i < wanted_count_; ++i) {
        batch.columns[wanted_[i].column][at] = (*delta_row_)[wanted_[i].position];
      }
    }
    read_delta_row(delta_->next());
    return is_present ? 1 : 0;
  }

  // ---- the runs ----

  // Of several, the one with the smallest row.
  RunRows* first_run() {
    if (runs_.size() == 1) return runs_[0].at_row() ? &runs_[0] : nullptr;
    RunRows* first = nullptr;
    for (RunRows& run : runs_) {
      if (run.at_row() && (!first || run.head() < first->head())) first = &run;
    }
    return first;
  }

  // Where in the run's block the rows end that come before the delta's.
  size_t end_before_delta(RunRows& run) {
    if (!has_delta_row()) return run.limit();
    if (!block_rows_before_ || runs_.size() > 1) {
      block_rows_before_ = run.rows.block().lower_bound(*delta_row_, run.rows.row());
    }
    return std::min(*block_rows_before_, run.limit());
  }
  bool comes_before_delta(RunRows& run) { return run.rows.row() < end_before_delta(run); }

  // And before the other runs'. At least one row.
  size_t end_of_rows(RunRows& run) {
    size_t end = end_before_delta(run);
    if (runs_.size() == 1) return end;
    const QuadRow row = run.head();
    for (RunRows& other : runs_) {
      if (&other == &run) continue;
      if (other.is_at(row)) {
        other.advance(1);  // a quad that stands in two runs
        end = run.rows.row() + 1;
      } else if (other.at_row()) {
        end = std::min(end, run.rows.block().lower_bound(other.head(), run.rows.row()));
      }
    }
    return end;
  }

  size_t copy_run_rows(RunRows& run, const model::ScanBatch& batch, size_t at) {
    const size_t row = run.rows.row();
    const size_t count = std::min(end_of_rows(run) - row, batch.capacity - at);
    for (size_t i = 0; i < wanted_count_; ++i) {
      TermId* out = batch.columns[wanted_[i].column] + at;
      if (wanted_[i].position < limit_size_) {
        std::fill_n(out, count, target_[wanted_[i].position]);
        continue;
      }
      const auto values = run.rows.block().cells(wanted_[i].position, row, row + count);
      for (size_t n = 0; n < count; ++n) out[n] = TermId(values[n]);
    }
    if (row + count == run.rows.limit()) block_rows_before_.reset();
    run.advance(count);
    return count;
  }

  // ---- places are sought when the first row is wanted: many a scan skips at once. In a transaction that writes, rows
  // may move under an open scan: it goes on at the row that it would give next, which is in memory ----

  void open_runs() {
    runs_.clear();
    runs_.reserve(view_.runs.active.size());
    const auto prefix = std::span<const TermId>(target_).first(prefix_size_);
    for (const ActiveRun& run : view_.runs.active) {
      runs_.emplace_back(view_, order_, run, prefix);
      runs_.back().limit_to(limit_key());
    }
  }
  bool has_runs_of_now() const {
    return std::equal(runs_.begin(), runs_.end(), view_.runs.active.begin(), view_.runs.active.end(),
                      [](const RunRows& open, const ActiveRun& run) {
                        return open.run().number == run.number && open.run().activation == run.activation;
                      });
  }

  void seek(std::span<const TermId> key) {
    is_placed_ = true;
    if (view_.generation) seen_generation_ = *view_.generation;
    if (runs_.empty() || (view_.generation && !has_runs_of_now())) open_runs();
    for (RunRows& run : runs_) run.seek(key);
    block_rows_before_.reset();
    if (!delta_ && view_.transaction.row_count(delta_table()) > 0) delta_.emplace(view_.transaction, delta_table());
    if (delta_) read_delta_row(delta_->seek(QuadKey(key).view()));
  }
  void find_place() {
    if (!view_.generation || *view_.generation == seen_generation_) return;
    std::optional<QuadRow> next_row = delta_row_;
    for (RunRows& run : runs_) {
      if (run.rows.at_row() && (!next_row || run.head() < *next_row)) next_row = run.head();
    }
    seen_generation_ = *view_.generation;
    if (next_row) seek(*next_row);
  }

  const Table& delta_table() const noexcept { return view_.tables.delta_of(order_); }

  const QuadView view_;
  QuadOrder order_;
  std::vector<RunRows> runs_;
  std::optional<Cursor> delta_;  // where there is a delta
  bool is_placed_ = false;
  std::optional<QuadRow> delta_row_;
  std::optional<size_t> block_rows_before_;  // of the only run's block, before the delta's row; unknown until asked for
  QuadRow target_{};                         // starts with the prefix
  size_t prefix_size_;
  size_t limit_size_ = 0;  // only rows that start with so many ids of the target are given; 0: all of the range
  QuadKey prefix_key_;
  std::array<WantedColumn, 4> wanted_{};
  size_t wanted_count_ = 0;
  uint64_t seen_generation_ = 0;
};

}  // namespace

std::unique_ptr<model::QuadScan> scan_quads(const QuadView& view, QuadOrder order, std::span<const TermId> prefix,
                                            model::ColumnSet wanted) {
  return std::make_unique<MergedScan>(view, order, prefix, wanted);
}

}  // namespace quadrille::store
