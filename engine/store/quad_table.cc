#include "engine/store/quad_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/store/block_table.h"

namespace quadrille::store {
namespace {

using model::Quad;
using model::QuadOrder;
using model::TermId;

// Its blocks' leading column is searched without being decoded, and a look-up is often near the ones before.
constexpr QuadOrder lookup_order = QuadOrder::Spog;

void mark_quad(WriteTransaction& transaction, const QuadTables& tables, const Quad& quad, const DeltaMark& mark) {
  for (QuadOrder order : model::all_quad_orders) {
    const QuadKey key(to_row(order, quad));
    if (!mark.is_present() && transaction.row_count(tables.blocks_of(order)) == 0) {
      transaction.erase(tables.delta_of(order), key.view());
    } else {
      transaction.put(tables.delta_of(order), key.view(), mark.bytes());
    }
  }
}

std::vector<QuadRow> sorted_rows(QuadOrder order, std::span<const Quad> quads) {
  std::vector<QuadRow> rows(quads.size());
  std::transform(quads.begin(), quads.end(), rows.begin(), [order](const Quad& quad) { return to_row(order, quad); });
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Takes out of sorted rows those that are in the tables.
void drop_present(const QuadView& view, QuadOrder order, std::vector<QuadRow>& rows) {
  if (rows.empty()) return;
  std::vector<BlockRows> runs;
  for (const ActiveRun& run : view.runs.active) {
    runs.emplace_back(view.transaction, view.tables.blocks_of(order), order, run.number, std::span<const TermId>{});
    runs.back().seek(rows.front());
  }
  const bool has_delta = view.transaction.row_count(view.tables.delta_of(order)) > 0;
  std::erase_if(rows, [&](const QuadRow& row) {
    uint64_t erased_before = 0;
    if (has_delta) {
      if (const auto value = view.transaction.get(view.tables.delta_of(order), QuadKey(row).view())) {
        const DeltaMark mark(*value);
        if (mark.is_present()) return true;
        erased_before = mark.erased_before();
      }
    }
    bool is_present = false;
    for (size_t i = 0; i < runs.size() && !is_present; ++i) {
      if (view.runs.active[i].activation < erased_before) continue;
      runs[i].skip_to(row);
      is_present = runs[i].at_row() && runs[i].block().upper_bound(row, runs[i].row()) > runs[i].row();
    }
    return is_present;
  });
}

void add_to_delta(WriteTransaction& transaction, const Table& table, std::span<const QuadRow> rows) {
  Cursor cursor(transaction, table);
  for (const QuadRow& row : rows) cursor.put_ascending(QuadKey(row).view(), DeltaMark::present().bytes());
}

}  // namespace

DeltaMark::DeltaMark(bool is_present, uint32_t activation) noexcept : is_present_(is_present), activation_(activation) {
  bytes_[0] = is_present ? '\1' : '\0';
  const uint32_t number = __builtin_bswap32(activation);
  std::memcpy(bytes_.data() + 1, &number, sizeof number);
}

bool DeltaMark::is_mark(std::string_view value) noexcept {
  return value == std::string_view("\1", 1) || (value.size() == 5 && value.front() == '\0');
}

DeltaMark::DeltaMark(std::string_view value) : is_present_(value.size() == 1), activation_(0) {
  if (!is_mark(value)) {
    throw base::StorageError(
        {base::ErrorKind::Corruption, "a row of a delta has no mark; the store needs 'quadrille verify'", {}});
  }
  std::memcpy(bytes_.data(), value.data(), value.size());
  if (is_present_) return;
  std::memcpy(&activation_, value.data() + 1, sizeof activation_);
  activation_ = __builtin_bswap32(activation_);
}

bool contains_quad(const QuadView& view, QuadOrder order, const Quad& quad) {
  const QuadRow row = to_row(order, quad);
  const auto value = view.transaction.get(view.tables.delta_of(order), QuadKey(row).view());
  uint64_t erased_before = 0;
  if (value) {
    const DeltaMark mark(*value);
    if (mark.is_present()) return true;
    erased_before = mark.erased_before();
  }
  return std::any_of(view.runs.active.begin(), view.runs.active.end(), [&](const ActiveRun& run) {
    return run.activation >= erased_before &&
           blocks_contain(view.transaction, view.tables.blocks_of(order), order, run.number, row, view.cache);
  });
}

bool contains_quad(const QuadView& view, const Quad& quad) { return contains_quad(view, lookup_order, quad); }

bool insert_quad(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, const Quad& quad) {
  if (contains_quad({transaction, tables, runs}, quad)) return false;
  mark_quad(transaction, tables, quad, DeltaMark::present());
  return true;
}

bool erase_quad(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, const Quad& quad) {
  if (!contains_quad({transaction, tables, runs}, quad)) return false;
  mark_quad(transaction, tables, quad, DeltaMark::erased(runs.activation));
  return true;
}

std::vector<Quad> insert_quads(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs,
                               std::vector<Quad> quads) {
  std::vector<QuadRow> rows = sorted_rows(QuadOrder::Spog, quads);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  drop_present({transaction, tables, runs}, QuadOrder::Spog, rows);
  quads.resize(rows.size());
  std::transform(rows.begin(), rows.end(), quads.begin(), [](const QuadRow& r) { return to_quad(QuadOrder::Spog, r); });
  for (QuadOrder order : model::all_quad_orders) {
    if (order != QuadOrder::Spog) rows = sorted_rows(order, quads);
    if (transaction.row_count(tables.blocks_of(order)) == 0 && transaction.row_count(tables.delta_of(order)) == 0) {
      fill_block_table(transaction, tables.blocks_of(order), order, runs.base().number, rows);
    } else {
      add_to_delta(transaction, tables.delta_of(order), rows);
    }
  }
  return quads;
}

}  // namespace quadrille::store
