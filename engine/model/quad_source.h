// What answers quad patterns. The query engine sees this interface and no store.
//
// Implementations: store::Snapshot (committed state), store::Transaction (with its own writes), and in tests a
// sorted vector. A source and its scans belong to one thread at a time; sources of one store may be used side by side.
// Storage faults are thrown as base::StorageError.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/model/quad.h"
#include "engine/model/term.h"
#include "engine/model/term_id.h"

namespace quadrille::model {

enum class Column : uint8_t { Subject = 0, Predicate = 1, Object = 2, Graph = 3 };

// The sort orders in which quads are kept, named by their columns.
enum class QuadOrder : uint8_t { Spog, Posg, Ospg, Gspo };
inline constexpr std::array<QuadOrder, 4> all_quad_orders = {QuadOrder::Spog, QuadOrder::Posg, QuadOrder::Ospg,
                                                             QuadOrder::Gspo};
constexpr std::array<Column, 4> columns_of(QuadOrder order) noexcept {
  using enum Column;
  switch (order) {
    case QuadOrder::Spog: return {Subject, Predicate, Object, Graph};
    case QuadOrder::Posg: return {Predicate, Object, Subject, Graph};
    case QuadOrder::Ospg: return {Object, Subject, Predicate, Graph};
    case QuadOrder::Gspo: return {Graph, Subject, Predicate, Object};
  }
  return {Subject, Predicate, Object, Graph};
}
constexpr const char* name_of(QuadOrder order) noexcept {
  constexpr const char* names[] = {"SPOG", "POSG", "OSPG", "GSPO"};
  return names[static_cast<size_t>(order)];
}

// A set of columns that a scan has to deliver; it need not decode the others.
class ColumnSet {
 public:
  constexpr ColumnSet() noexcept = default;
  static constexpr ColumnSet all() noexcept { return ColumnSet(0b1111); }
  constexpr ColumnSet with(Column column) const noexcept {
    return ColumnSet(static_cast<uint8_t>(bits_ | 1u << static_cast<int>(column)));
  }
  constexpr bool has(Column column) const noexcept { return (bits_ >> static_cast<int>(column) & 1u) != 0; }

 private:
  constexpr explicit ColumnSet(uint8_t bits) noexcept : bits_(bits) {}
  uint8_t bits_ = 0;
};

// Where a scan writes its rows: for each wanted column room for `capacity` ids. Columns are indexed by Column.
// The caller owns the memory.
struct ScanBatch {
  std::array<TermId*, 4> columns{};
  size_t capacity = 0;
};

// Rows in ascending order of the scan's QuadOrder.
class QuadScan {
 public:
  virtual ~QuadScan() = default;
  // Fills the wanted columns from row 0 on, and returns how many rows: 0 only at the end.
  virtual size_t next(const ScanBatch& batch) = 0;
  // Skips forward to the first row whose columns after the prefix are >= `key` (in the scan's order; a key may be
  // shorter than the row). Never goes back: a key behind the current row changes nothing. Cheap when the row is near.
  virtual void skip_to(std::span<const TermId> key) = 0;
  // Skips likewise, and then gives the rows whose columns after the prefix equal `key`, and none behind them, until it
  // is told to skip on, in this way or the other. Of use where a row that is read in vain is not cheap.
  virtual void skip_to_rows_of(std::span<const TermId> key) = 0;
};

class QuadSource {
 public:
  virtual ~QuadSource() = default;

  // The rows whose leading columns, in `order`, equal `prefix` (0 to 4 ids), in ascending order.
  // The scan must not outlive the source.
  virtual std::unique_ptr<QuadScan> scan(QuadOrder order, std::span<const TermId> prefix, ColumnSet wanted) const = 0;
  // How many rows that scan would give: exact where that is cheap, else an estimate. Never 0 if there are rows.
  virtual uint64_t estimate_count(QuadOrder order, std::span<const TermId> prefix) const = 0;
  virtual bool contains(const Quad& quad) const = 0;

  // Another source of the very same state, for another thread; null if there is none to be had, or no more of them.
  // It must not outlive this one.
  virtual std::unique_ptr<QuadSource> make_twin() const { return nullptr; }
  // Blocks that scans have looked into so far, each time that one was not at hand; 0 where there are no blocks.
  virtual uint64_t blocks_read() const { return 0; }

  // The id of a term, if this store has ever seen it, or if it is inline.
  virtual std::optional<TermId> find_term(const Term& term) const = 0;
  // The term of an id that this source gave. Requires that it is bound, not transient and not the default graph.
  virtual Term get_term(TermId id) const = 0;
};

// What an update writes to. Sees its own writes.
class QuadTarget : public QuadSource {
 public:
  // Finds or makes the id of a term.
  virtual TermId intern(const Term& term) = 0;
  // Assert that a quad exists, or that it does not exist, after this transaction; the last assertion counts.
  // True if the store changed.
  virtual bool insert(const Quad& quad) = 0;
  virtual bool erase(const Quad& quad) = 0;
};

}  // namespace quadrille::model
