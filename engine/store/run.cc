#include "engine/store/run.h"

#include <algorithm>

#include "engine/store/checked_value.h"
#include "engine/store/damage.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

constexpr std::string_view runs_key = "runs";

}  // namespace

void RunEncoder::cut(size_t rows_left_max, std::vector<EncodedBlock>& out) {
  size_t start = 0;
  while (pending_.size() - start > rows_left_max) {
    CutBlock cut = encoder_.next(std::span(pending_).subspan(start));
    EncodedBlock& block = out.emplace_back();
    const QuadKey key(pending_[start]);
    std::copy_n(key.view().begin(), quad_key_bytes, block.key.begin());
    block.value = std::move(cut.value);
    block.rows = static_cast<uint32_t>(cut.rows);
    start += cut.rows;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(start));
}

void RunEncoder::add(std::span<const QuadRow> rows, std::vector<EncodedBlock>& out) {
  constexpr size_t rows_at_once = 16 * block_rows_max;
  while (!rows.empty()) {
    const auto some = rows.first(std::min(rows.size(), rows_at_once));
    rows = rows.subspan(some.size());
    QUADRILLE_CHECK(pending_.empty() || pending_.back() < some.front(), "the rows of a run ascend");
    pending_.insert(pending_.end(), some.begin(), some.end());
    cut(block_rows_max - 1, out);
  }
}

void RunEncoder::finish(std::vector<EncodedBlock>& out) { cut(0, out); }

ActiveRun* RunList::find(RunNumber number) noexcept {
  const auto found = std::find_if(active.begin(), active.end(), [&](const ActiveRun& r) { return r.number == number; });
  return found == active.end() ? nullptr : &*found;
}

bool RunList::has(RunNumber number) const noexcept {
  return std::any_of(active.begin(), active.end(), [&](const ActiveRun& run) { return run.number == number; });
}

bool operator==(const RunList& a, const RunList& b) noexcept {
  return std::equal(
      a.active.begin(), a.active.end(), b.active.begin(), b.active.end(),
      [](const ActiveRun& x, const ActiveRun& y) { return x.number == y.number && x.activation == y.activation; });
}

RunList read_runs(const ReadTransaction& transaction, const Table& metadata) {
  RunList runs;
  const auto value = get_checked(transaction, metadata, runs_key);
  if (!value) return runs;
  constexpr size_t head_numbers = 4, run_numbers = 3;
  const size_t numbers = value->size() / 8;
  if (value->size() % 8 != 0 || numbers < head_numbers + run_numbers || (numbers - head_numbers) % run_numbers != 0) {
    fail_damaged_row(transaction, metadata, runs_key);
  }
  size_t at = 0;
  const auto next = [&] { return big_endian_at(*value, 8 * at++); };
  const auto next_small = [&] { return static_cast<uint32_t>(next()); };
  runs.next_number = next_small();
  runs.activation = next_small();
  runs.source = next_small();
  runs.target = next_small();
  runs.active.clear();
  while (at < numbers) {
    ActiveRun& run = runs.active.emplace_back();
    run.number = next_small();
    run.activation = next_small();
    run.rows = next();
  }
  return runs;
}

void write_runs(WriteTransaction& transaction, const Table& metadata, const RunList& runs) {
  std::string value;
  for (const uint32_t number : {runs.next_number, runs.activation, runs.source, runs.target}) {
    append_big_endian(value, number);
  }
  for (const ActiveRun& run : runs.active) {
    append_big_endian(value, run.number);
    append_big_endian(value, run.activation);
    append_big_endian(value, run.rows);
  }
  put_checked(transaction, metadata, runs_key, value);
}

}  // namespace quadrille::store
