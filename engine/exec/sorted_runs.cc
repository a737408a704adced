#include "engine/exec/sorted_runs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace quadrille::exec {
namespace {

using PageHeader = std::array<uint64_t, 2>;  // rows, and the bytes that follow

}  // namespace

void RunWriter::end_row() {
  ++rows_;
  if (page_.size() >= page_bytes_) write_page();
}

void RunWriter::write_page() {
  const PageHeader header = {rows_, page_.size()};
  file_->append({reinterpret_cast<const char*>(header.data()), sizeof header});
  file_->append(page_);
  page_.clear();
  rows_ = 0;
}

SortedRun RunWriter::end_run() {
  if (rows_ > 0) write_page();
  return {file_, std::exchange(run_begin_, file_->size()), file_->size()};
}

RunReader::RunReader(SortedRun source, size_t keys, size_t columns, RunState& run)
    : source_(std::move(source)), columns_(columns), memory_(run), keys_(keys) {}

void RunReader::read_page() {
  PageHeader header;
  source_.file->read(source_.begin, {reinterpret_cast<char*>(header.data()), sizeof header});
  memory_.give_back();
  memory_.take(header[1]);
  page_.resize(header[1]);
  source_.file->read(source_.begin + sizeof header, page_);
  source_.begin += sizeof header + header[1];
  rows_left_ = header[0];
  rest_ = page_;
}

bool RunReader::advance() {
  has_row_ = rows_left_ > 0 || source_.begin < source_.end;
  if (!has_row_) return false;
  if (rows_left_ == 0) read_page();
  row_ = rest_;
  for (SortKey& key : keys_) key = take_key(rest_);
  rest_.remove_prefix(columns_ * sizeof(TermId));
  row_ = row_.substr(0, row_.size() - rest_.size());
  --rows_left_;
  return true;
}

TermId RunReader::id(size_t column) const noexcept {
  uint64_t bits = 0;
  std::memcpy(&bits, row_.data() + row_.size() - (columns_ - column) * sizeof bits, sizeof bits);
  return TermId(bits);
}

RunMerge::RunMerge(std::vector<std::unique_ptr<RunReader>> readers, const SortDirections& directions)
    : readers_([&] {
        for (const auto& reader : readers) reader->advance();
        return std::move(readers);
      }()),
      directions_(directions),
      tree_(readers_.size(), [this](size_t left, size_t right) { return is_before(left, right); }) {}

bool RunMerge::is_before(size_t left, size_t right) const {
  const RunReader& first = *readers_[left];
  const RunReader& second = *readers_[right];
  if (!first.has_row() || !second.has_row()) return first.has_row();
  const auto order = directions_.compare([&](size_t i) -> const SortKey& { return first.key(i); },
                                         [&](size_t i) -> const SortKey& { return second.key(i); });
  return order != 0 ? order < 0 : left < right;
}

const RunReader* RunMerge::current() const noexcept {
  const RunReader& reader = *readers_[tree_.winner()];
  return reader.has_row() ? &reader : nullptr;
}

void RunMerge::advance() {
  readers_[tree_.winner()]->advance();
  tree_.replay();
}

size_t SortedRuns::merge_width() const {
  constexpr size_t width_min = 2;
  constexpr size_t width_max = 256;
  const uint64_t for_each = run_.spill_page_bytes() * 2;  // the last row of a page may be a long one
  return std::clamp<size_t>(run_.memory_share(0, 0) / for_each, width_min, width_max);
}

std::unique_ptr<RunMerge> SortedRuns::merge_of(size_t begin, size_t end) {
  std::vector<std::unique_ptr<RunReader>> readers;
  for (size_t i = begin; i < end; ++i) {
    readers.push_back(std::make_unique<RunReader>(std::move(runs_[i]), directions_.count(), columns_, run_));
  }
  return std::make_unique<RunMerge>(std::move(readers), directions_);
}

// One pass: neighbours become one until there are so few, or none is left to look at.
void SortedRuns::reduce_to(size_t count) {
  RunWriter writer(run_, figures_);
  std::vector<SortedRun> reduced;
  for (size_t i = 0; i < runs_.size();) {
    const size_t all = reduced.size() + runs_.size() - i;
    const size_t end = std::min(runs_.size(), i + (all <= count ? 1 : std::min(count, all - count + 1)));
    if (end == i + 1) {
      reduced.push_back(std::move(runs_[i++]));
      continue;
    }
    const auto merge = merge_of(i, end);
    for (size_t rows = 0; const RunReader* row = merge->current(); merge->advance()) {
      if (++rows % batch_rows_max == 0) run_.check();
      writer.row() += row->bytes();
      writer.end_row();
    }
    reduced.push_back(writer.end_run());
    i = end;
  }
  runs_ = std::move(reduced);
}

std::unique_ptr<RunMerge> SortedRuns::merge() {
  writer_.reset();  // its runs hold the file as long as they need it
  const size_t width = merge_width();
  while (runs_.size() > width) reduce_to(width);
  return merge_of(0, runs_.size());
}

}  // namespace quadrille::exec
