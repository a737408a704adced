#include "engine/store/fold.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/store/block_table.h"
#include "engine/store/damage.h"

namespace quadrille::store {
namespace {

using model::QuadOrder;

// Blocks of one run that are being rewritten: taken out in ascending order, changed as rows, and put back.
class BlockRewrite {
 public:
  BlockRewrite(WriteTransaction& transaction, const Table& table, QuadOrder order, RunNumber run)
      : transaction_(transaction), table_(table), order_(order), run_(run) {}

  // Takes the block that has `row` in its range, if the run has any, and says where the next one starts.
  void take(std::string_view row) {
    Cursor cursor(transaction_, table_);
    if (find_block(cursor, run_, row)) take_here(cursor);
  }
  // The next one, which must be there.
  void take_next() {
    Cursor cursor(transaction_, table_);
    QUADRILLE_CHECK(cursor.find(BlockKey(run_, std::string_view(after_)).view()), "a block is where it was");
    take_here(cursor);
  }
  const std::string& after() const noexcept { return after_; }  // empty: there is no other block
  std::vector<QuadRow>& rows() noexcept { return rows_; }

  // Puts the rows back; with those of the next block where they are too few for one of their own. Returns how many.
  uint64_t put_back() {
    if (rows_.empty()) {
      write({});
      return 0;
    }
    auto encoded = encode_blocks(order_, rows_, !after_.empty());
    if (!after_.empty() && is_small(encoded)) {
      take_next();
      encoded = encode_blocks(order_, rows_, !after_.empty());
    }
    write(encoded);
    return rows_.size();
  }

 private:
  static bool is_small(const std::vector<CutBlock>& encoded) {
    return encoded.size() == 1 &&
           (encoded[0].rows < block_rows_max / 3 && encoded[0].value.size() < block_bytes_max / 3);
  }

  void take_here(Cursor& cursor) {
    if (!block_.load(BlockKey::row_of(cursor.key()), cursor.value(), Block::Keeping::InPlace) ||
        !block_.has_right_checksum()) {
      fail_damaged_row(transaction_, table_, cursor.key());
    }
    block_.append_rows(rows_);
    old_keys_.emplace_back(cursor.key());
    after_.clear();
    if (next_block(cursor)) after_ = BlockKey::row_of(cursor.key());
  }

  void write(const std::vector<CutBlock>& encoded) {
    std::vector<std::string> keys;
    for (const CutBlock& block : encoded) keys.emplace_back(BlockKey(run_, rows_[block.first_row]).view());
    // A block that keeps its key is written over: LMDB fills a page from which rows are erased from its neighbour, and
    // would leave gaps in all of them.
    for (const std::string& key : old_keys_) {
      if (!std::binary_search(keys.begin(), keys.end(), key)) transaction_.erase(table_, key);
    }
    Cursor cursor(transaction_, table_);
    for (size_t i = 0; i < encoded.size(); ++i) cursor.put_ascending(keys[i], encoded[i].value);
  }

  WriteTransaction& transaction_;
  const Table& table_;
  QuadOrder order_;
  RunNumber run_;
  Block block_{order_};
  std::vector<QuadRow> rows_;
  std::vector<std::string> old_keys_;
  std::string after_;
};

struct RowChange {
  std::string key;
  QuadRow row;
  DeltaMark mark;
};

// Rows of a run after what the delta says of them. `adds`: the run takes those that are present.
std::vector<QuadRow> changed_rows(std::span<const QuadRow> rows, std::span<const RowChange> changes,
                                  const ActiveRun& run, bool adds) {
  std::vector<QuadRow> merged;
  merged.reserve(rows.size() + changes.size());
  auto row = rows.begin();
  for (const RowChange& change : changes) {
    for (; row != rows.end() && *row < change.row; ++row) merged.push_back(*row);
    const bool is_there = row != rows.end() && *row == change.row;
    if (is_there) ++row;
    if ((is_there && !change.mark.hides(run)) || (adds && change.mark.is_present())) merged.push_back(change.row);
  }
  merged.insert(merged.end(), row, rows.end());
  return merged;
}

class OrderFold {
 public:
  OrderFold(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, QuadOrder order)
      : transaction_(transaction),
        blocks_(tables.blocks_of(order)),
        delta_(tables.delta_of(order)),
        runs_(runs),
        order_(order) {}

  // Folds what the delta has for one block of the base, from the first row at or after `place` on (or the first of
  // all), but no more than `delta_limit` rows; puts `place` behind it. Returns how many rows of blocks were written;
  // nothing if the delta is empty.
  std::optional<uint64_t> fold_one(std::string& place, uint64_t delta_limit) {
    changes_.clear();
    BlockRewrite base(transaction_, blocks_, order_, runs_.base().number);
    {
      Cursor delta(transaction_, delta_);
      if (!delta.seek(place) && !delta.first()) return std::nullopt;
      base.take(delta.key());
      take_changes(delta, base.after(), delta_limit);
    }
    base.rows() = changed_rows(base.rows(), changes_, runs_.base(), true);
    uint64_t written = base.put_back();
    for (size_t i = 1; i < runs_.active.size(); ++i) written += erase_from(runs_.active[i]);
    erase_changes();
    place = changes_.back().key + '\0';
    return written;
  }

 private:
  void take_changes(Cursor& delta, std::string_view after, uint64_t limit) {
    bool at_row = true;
    while (at_row && changes_.size() < limit && (after.empty() || delta.key() < after)) {
      changes_.push_back({std::string(delta.key()), read_row(delta.key()), DeltaMark(delta.value())});
      at_row = delta.next();
    }
  }

  uint64_t erase_from(const ActiveRun& run) {
    uint64_t written = 0;
    for (size_t next = 0; next < changes_.size();) {
      if (!changes_[next].mark.hides(run)) {
        ++next;
        continue;
      }
      BlockRewrite rewrite(transaction_, blocks_, order_, run.number);
      rewrite.take(changes_[next].key);
      size_t end = next + 1;
      while (end < changes_.size() && (rewrite.after().empty() || changes_[end].key < rewrite.after())) ++end;
      const auto here = std::span(changes_).subspan(next, end - next);
      auto rows = changed_rows(rewrite.rows(), here, run, false);
      if (rows.size() < rewrite.rows().size()) {
        rewrite.rows() = std::move(rows);
        written += rewrite.put_back();
      }
      next = end;
    }
    return written;
  }

  void erase_changes() {
    Cursor delta(transaction_, delta_);
    bool at_row = delta.find(changes_.front().key);
    for (const RowChange& change : changes_) {
      QUADRILLE_CHECK(at_row && delta.key() == change.key, "the delta is as it was read");
      delta.erase_here();
      at_row = delta.next();
    }
  }

  WriteTransaction& transaction_;
  const Table& blocks_;
  const Table& delta_;
  const RunList& runs_;
  QuadOrder order_;
  std::vector<RowChange> changes_;
};

// Moves the front of one run into another, in one order.
class OrderMerge {
 public:
  OrderMerge(WriteTransaction& transaction, const QuadTables& tables, const ActiveRun& source, const ActiveRun& target,
             QuadOrder order)
      : transaction_(transaction),
        blocks_(tables.blocks_of(order)),
        delta_(tables.delta_of(order)),
        source_(source),
        target_(target),
        order_(order) {}

  // What the source's first blocks have for one block of the target. Nothing: the source is empty.
  std::optional<uint64_t> merge_one() {
    constexpr size_t moved_rows_max = 4 * block_rows_max;
    BlockRewrite from(transaction_, blocks_, order_, source_.number);
    from.take({});
    if (from.rows().empty()) return std::nullopt;
    BlockRewrite into(transaction_, blocks_, order_, target_.number);
    into.take(QuadKey(from.rows().front()).view());
    const auto end_of_moved = [&] {
      if (into.after().empty()) return from.rows().end();
      return std::lower_bound(from.rows().begin(), from.rows().end(), read_row(into.after()));
    };
    while (!from.after().empty() && from.rows().size() < moved_rows_max && end_of_moved() == from.rows().end()) {
      from.take_next();
    }
    const auto end = end_of_moved();
    std::vector<QuadRow> moved(from.rows().begin(), end);
    from.rows().erase(from.rows().begin(), end);
    settle_marks(moved);
    std::vector<QuadRow> merged;
    std::set_union(into.rows().begin(), into.rows().end(), moved.begin(), moved.end(), std::back_inserter(merged));
    into.rows() = std::move(merged);
    return from.put_back() + into.put_back();
  }

 private:
  // Rows that the delta erases from the source are dropped; those that it erases from older runs alone, the target
  // among them, it must not erase once they are there.
  void settle_marks(std::vector<QuadRow>& rows) {
    if (transaction_.row_count(delta_) == 0) return;
    std::erase_if(rows, [&](const QuadRow& row) {
      const QuadKey key(row);
      const auto value = transaction_.get(delta_, key.view());
      if (!value) return false;
      const DeltaMark mark(*value);
      if (mark.hides(source_)) return true;
      if (mark.hides(target_)) transaction_.put(delta_, key.view(), DeltaMark::present().bytes());
      return false;
    });
  }

  WriteTransaction& transaction_;
  const Table& blocks_;
  const Table& delta_;
  const ActiveRun& source_;
  const ActiveRun& target_;
  QuadOrder order_;
};

// So many runs beside the base are left alone as long as they are small; and a run is small that has fewer quads than
// this share of the base.
constexpr size_t small_runs_max = 4;
constexpr uint64_t small_run_share = 8;

}  // namespace

uint64_t fold_delta(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, FoldPlace& place,
                    uint64_t row_limit) {
  const uint64_t order_limit = std::max<uint64_t>(1, row_limit / model::all_quad_orders.size());
  uint64_t rows_written = 0;
  for (QuadOrder order : model::all_quad_orders) {
    OrderFold fold(transaction, tables, runs, order);
    uint64_t done = 0;
    while (done < order_limit) {
      const auto written = fold.fold_one(place.next_key[static_cast<size_t>(order)], order_limit - done);
      if (!written) break;
      done += std::max<uint64_t>(1, *written);
    }
    rows_written += done;
  }
  return rows_written;
}

bool choose_merge(RunList& runs, uint64_t quads) {
  if (runs.source != 0) return true;
  if (runs.active.size() == 1) return false;
  std::vector<const ActiveRun*> by_size;
  uint64_t rows_beside_base = 0;
  for (size_t i = 1; i < runs.active.size(); ++i) {
    by_size.push_back(&runs.active[i]);
    rows_beside_base += runs.active[i].rows;
  }
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const ActiveRun* a, const ActiveRun* b) { return a->rows < b->rows; });
  const uint64_t base_rows = quads > rows_beside_base ? quads - rows_beside_base : 0;
  if (by_size.back()->rows >= base_rows / small_run_share) {
    runs.source = by_size.back()->number;
    runs.target = runs.base().number;
  } else if (by_size.size() > small_runs_max) {
    runs.source = by_size[0]->number;
    runs.target = by_size[1]->number;
  }
  return runs.source != 0;
}

uint64_t merge_runs(WriteTransaction& transaction, const QuadTables& tables, RunList& runs, uint64_t row_limit) {
  ActiveRun* const source = runs.find(runs.source);
  ActiveRun* const target = runs.find(runs.target);
  QUADRILLE_CHECK(source && target && source != target, "a merge is of two active runs");
  row_limit = std::max<uint64_t>(1, row_limit);
  uint64_t rows_written = 0;
  bool is_done = true;
  for (QuadOrder order : model::all_quad_orders) {
    OrderMerge merge(transaction, tables, *source, *target, order);
    while (rows_written < row_limit) {
      const auto written = merge.merge_one();
      if (!written) break;
      rows_written += std::max<uint64_t>(1, *written);
    }
    is_done = is_done && rows_written < row_limit;
  }
  if (!is_done) return rows_written;
  target->rows += source->rows;
  std::erase_if(runs.active, [number = runs.source](const ActiveRun& run) { return run.number == number; });
  runs.source = runs.target = 0;
  return rows_written;
}

bool remove_run(WriteTransaction& transaction, const QuadTables& tables, RunNumber run, uint64_t row_limit) {
  uint64_t rows = 0;
  for (QuadOrder order : model::all_quad_orders) {
    Cursor cursor(transaction, tables.blocks_of(order));
    bool at_row = cursor.seek(BlockKey(run, std::string_view()).view());
    for (; at_row && BlockKey::run_of(cursor.key()) == run; at_row = cursor.next()) {
      if (rows >= row_limit && rows > 0) return false;
      rows += std::max<uint64_t>(1, Block::row_count(cursor.value()));
      cursor.erase_here();
    }
  }
  return true;
}

std::vector<RunNumber> runs_with_blocks(const ReadTransaction& transaction, const QuadTables& tables) {
  std::vector<RunNumber> runs;
  for (QuadOrder order : model::all_quad_orders) {
    Cursor cursor(transaction, tables.blocks_of(order));
    for (bool at_row = cursor.first(); at_row;) {
      runs.push_back(BlockKey::run_of(cursor.key()));
      const RunNumber next = runs.back() + 1;
      at_row = next != 0 && cursor.seek(BlockKey(next, std::string_view()).view());
    }
  }
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

}  // namespace quadrille::store
