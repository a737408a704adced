#include "engine/load/sorter.h"

#include <algorithm>
#include <utility>

#include "engine/load/row_merge.h"
#include "engine/load/row_sort.h"

namespace quadrille::load {
namespace {

constexpr size_t spill_batch_rows = size_t{1} << 14;

}  // namespace

void Sorter::add(Rows rows) {
  if (rows.empty()) return;
  gathered_rows_ += rows.size();
  rows_in_memory_ += rows.size();
  rows_added_ += rows.size();
  gathered_.push_back(std::move(rows));
}

size_t Sorter::segment_rows() const noexcept {
  constexpr uint64_t segments = 16;
  const size_t longest = std::max(limits_.segment_rows, limits_.rows_in_memory / 8);
  return std::clamp<size_t>(rows_added_ / segments, limits_.segment_rows, longest);
}

std::optional<Pipeline::Piece> Sorter::next_piece() {
  if (gathered_rows_ >= segment_rows() || (input_ended_ && gathered_rows_ > 0)) return sort_piece();
  if (is_full() && !input_ended_ && !is_spilling_ && !segments_.empty()) return spill_piece();
  return std::nullopt;
}

Pipeline::Piece Sorter::sort_piece() {
  ++in_the_works_;
  const size_t size = std::exchange(gathered_rows_, 0);
  auto parts = std::make_shared<std::vector<Rows>>(std::exchange(gathered_, {}));
  auto sorted = std::make_shared<Rows>();
  return {[parts, sorted, size] {
            sorted->reserve(size);
            for (Rows& part : *parts) {
              sorted->insert(sorted->end(), part.begin(), part.end());
              part = {};
            }
            sort_rows(*sorted);
          },
          [this, sorted] {
            --in_the_works_;
            segments_.push_back(std::move(*sorted));
          }};
}

Pipeline::Piece Sorter::spill_piece() {
  ++in_the_works_;
  is_spilling_ = true;
  size_t rows = 0;
  std::vector<std::unique_ptr<RowSource>> sources;
  for (Rows& segment : std::exchange(segments_, {})) {
    rows += segment.size();
    sources.push_back(std::make_unique<MemoryRows>(std::move(segment)));
  }
  auto merge = std::make_shared<RowMerge>(std::move(sources), spill_batch_rows);
  return {[this, merge] { spill(*merge, 0); },  // nobody else touches the files meanwhile
          [this, rows] {
            --in_the_works_;
            is_spilling_ = false;
            rows_in_memory_ -= rows;
          }};
}

void Sorter::spill(RowSource& rows, size_t level) {
  if (level == levels_.size()) levels_.emplace_back();
  if (!levels_[level]) levels_[level] = std::make_unique<SpillFile>(directory_);
  for (auto batch = rows.next(); !batch.empty(); batch = rows.next()) levels_[level]->append(batch);
  levels_[level]->end_run();
  if (levels_[level]->run_count() < limits_.runs_max) return;
  const auto full = std::exchange(levels_[level], nullptr);
  RowMerge merge(full->rows_of_runs(), spill_batch_rows);
  spill(merge, level + 1);
}

std::vector<std::unique_ptr<RowSource>> Sorter::take_sources() {
  std::vector<std::unique_ptr<RowSource>> sources;
  for (Rows& segment : std::exchange(segments_, {}))
    sources.push_back(std::make_unique<MemoryRows>(std::move(segment)));
  for (const auto& file : levels_) {
    if (!file) continue;
    for (auto& run : file->rows_of_runs()) sources.push_back(std::move(run));
  }
  return sources;
}

}  // namespace quadrille::load
