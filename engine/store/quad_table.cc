#include "engine/store/quad_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/store/key.h"

namespace quadrille::store {
namespace {

using model::Column;
using model::ColumnSet;
using model::Quad;
using model::QuadOrder;
using model::TermId;

constexpr size_t row_bytes = 32;

TermId quad_column(const Quad& quad, Column column) noexcept {
  switch (column) {
    case Column::Subject: return quad.subject;
    case Column::Predicate: return quad.predicate;
    case Column::Object: return quad.object;
    case Column::Graph: return quad.graph;
  }
  return {};
}

[[noreturn]] void fail_apart(const ReadTransaction& transaction, const Table& table, const char* what) {
  throw base::StorageError({base::ErrorKind::Corruption,
                            fmt::format("{}, table {}: {}; the store needs 'quadrille verify'",
                                        transaction.environment().file().string(), table.name(), what),
                            {}});
}

// Inserts rows, which are sorted and without duplicates, and drops from the list those that the table had already.
void insert_rows(WriteTransaction& transaction, const Table& table, std::vector<QuadRow>& rows) {
  Cursor cursor(transaction, table);
  std::string last;
  bool appending = !cursor.last();
  if (!appending) last = cursor.key();
  std::erase_if(rows, [&](const QuadRow& row) {
    const QuadKey key(row);
    appending = appending || key.view() > last;
    if (!appending) return !cursor.put_if_absent(key.view(), {});
    cursor.append(key.view(), {});
    return false;
  });
}

class TableScan final : public model::QuadScan {
 public:
  TableScan(const ReadTransaction& transaction, const Table& table, QuadOrder order, std::span<const TermId> prefix,
            ColumnSet wanted, const uint64_t* generation)
      : cursor_(transaction, table), prefix_(prefix), generation_(generation) {
    if (generation_) seen_generation_ = *generation_;
    const auto columns = columns_of(order);
    for (size_t i = 0; i < 4; ++i) {
      if (wanted.has(columns[i])) wanted_[wanted_count_++] = {i * 8, static_cast<size_t>(columns[i])};
    }
    has_row_ = cursor_.seek(prefix_.view());
  }

  size_t next(const model::ScanBatch& batch) override {
    find_place();
    size_t count = 0;
    for (; count < batch.capacity && in_range(); ++count) {
      const char* row = cursor_.key().data();
      for (size_t i = 0; i < wanted_count_; ++i) {
        batch.columns[wanted_[i].column][count] = TermId(read_big_endian(row + wanted_[i].offset));
      }
      has_row_ = cursor_.next();
    }
    keep_place();
    return count;
  }

  void skip_to(std::span<const TermId> key) override {
    find_place();
    const std::string_view prefix = prefix_.view();
    QUADRILLE_CHECK(prefix.size() + key.size() * 8 <= row_bytes, "a scan's key is longer than its row");
    std::array<char, row_bytes> target;
    std::copy(prefix.begin(), prefix.end(), target.begin());
    for (size_t i = 0; i < key.size(); ++i) write_big_endian(target.data() + prefix.size() + i * 8, key[i].bits());
    const std::string_view wanted(target.data(), prefix.size() + key.size() * 8);
    // It is cheaper to step to a near row than to seek it.
    for (int step = 0; step < near_steps && in_range() && cursor_.key() < wanted; ++step) has_row_ = cursor_.next();
    if (in_range() && cursor_.key() < wanted) has_row_ = cursor_.seek(wanted);
    keep_place();
  }

 private:
  static constexpr int near_steps = 4;
  struct WantedColumn {
    size_t offset;  // in the key
    size_t column;  // in the batch
  };

  bool in_range() const { return has_row_ && cursor_.key().starts_with(prefix_.view()); }

  // In a transaction that writes, rows may move under an open scan: it remembers the row that it would give next.
  void keep_place() {
    if (generation_ && in_range()) std::copy_n(cursor_.key().data(), row_bytes, next_row_.data());
    if (generation_) has_next_row_ = in_range();
  }
  void find_place() {
    if (!generation_ || *generation_ == seen_generation_) return;
    seen_generation_ = *generation_;
    has_row_ = has_next_row_ && cursor_.seek({next_row_.data(), row_bytes});
  }

  Cursor cursor_;
  QuadKey prefix_;
  const uint64_t* generation_;
  uint64_t seen_generation_ = 0;
  std::array<WantedColumn, 4> wanted_{};
  size_t wanted_count_ = 0;
  std::array<char, row_bytes> next_row_{};
  bool has_next_row_ = false;
  bool has_row_ = false;
};

}  // namespace

QuadRow to_row(QuadOrder order, const Quad& quad) noexcept {
  QuadRow row;
  const auto columns = columns_of(order);
  for (size_t i = 0; i < 4; ++i) row[i] = quad_column(quad, columns[i]);
  return row;
}

Quad to_quad(QuadOrder order, const QuadRow& row) noexcept {
  std::array<TermId, 4> by_column;
  const auto columns = columns_of(order);
  for (size_t i = 0; i < 4; ++i) by_column[static_cast<size_t>(columns[i])] = row[i];
  return {by_column[0], by_column[1], by_column[2], by_column[3]};
}

QuadKey::QuadKey(std::span<const TermId> ids) noexcept : size_(ids.size() * 8) {
  QUADRILLE_CHECK(ids.size() <= 4, "a quad has four ids");
  for (size_t i = 0; i < ids.size(); ++i) write_big_endian(bytes_.data() + i * 8, ids[i].bits());
}

QuadRow read_row(std::string_view key) {
  QUADRILLE_CHECK(key.size() == row_bytes, "a row of a quad table has 32 bytes");
  QuadRow row;
  for (size_t i = 0; i < 4; ++i) row[i] = TermId(read_big_endian(key.data() + i * 8));
  return row;
}

std::unique_ptr<model::QuadScan> scan_quads(const ReadTransaction& transaction, const Table& table, QuadOrder order,
                                            std::span<const TermId> prefix, ColumnSet wanted,
                                            const uint64_t* generation) {
  return std::make_unique<TableScan>(transaction, table, order, prefix, wanted, generation);
}

bool contains_quad(const ReadTransaction& transaction, const QuadTables& tables, const Quad& quad) {
  return transaction.contains(tables.of(QuadOrder::Spog), QuadKey(to_row(QuadOrder::Spog, quad)).view());
}

bool insert_quad(WriteTransaction& transaction, const QuadTables& tables, const Quad& quad) {
  for (QuadOrder order : model::all_quad_orders) {
    const bool is_new = transaction.put_if_absent(tables.of(order), QuadKey(to_row(order, quad)).view(), {});
    if (!is_new && order == QuadOrder::Spog) return false;
    if (!is_new) fail_apart(transaction, tables.of(order), "has a quad that SPOG has not");
  }
  return true;
}

bool erase_quad(WriteTransaction& transaction, const QuadTables& tables, const Quad& quad) {
  for (QuadOrder order : model::all_quad_orders) {
    const bool was_there = transaction.erase(tables.of(order), QuadKey(to_row(order, quad)).view());
    if (!was_there && order == QuadOrder::Spog) return false;
    if (!was_there) fail_apart(transaction, tables.of(order), "lacks a quad that SPOG has");
  }
  return true;
}

std::vector<Quad> insert_quads(WriteTransaction& transaction, const QuadTables& tables, std::vector<Quad> quads) {
  std::vector<QuadRow> rows(quads.size());
  std::transform(quads.begin(), quads.end(), rows.begin(), [](const Quad& q) { return to_row(QuadOrder::Spog, q); });
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  insert_rows(transaction, tables.of(QuadOrder::Spog), rows);
  quads.resize(rows.size());
  std::transform(rows.begin(), rows.end(), quads.begin(), [](const QuadRow& r) { return to_quad(QuadOrder::Spog, r); });
  for (QuadOrder order : {QuadOrder::Posg, QuadOrder::Ospg, QuadOrder::Gspo}) {
    std::transform(quads.begin(), quads.end(), rows.begin(), [order](const Quad& q) { return to_row(order, q); });
    std::sort(rows.begin(), rows.end());
    const size_t wanted = rows.size();
    insert_rows(transaction, tables.of(order), rows);
    if (rows.size() != wanted) fail_apart(transaction, tables.of(order), "has a quad that SPOG has not");
  }
  return quads;
}

}  // namespace quadrille::store
