// Quads in four sorted orders. First storage format: one table an order, a row a quad, the key its four ids in the
// order's sequence, 8 bytes each, big-endian; no value.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/quad.h"
#include "engine/model/quad_source.h"
#include "engine/store/environment.h"

namespace quadrille::store {

struct QuadTables {
  std::array<Table, 4> orders;  // by QuadOrder
  const Table& of(model::QuadOrder order) const noexcept { return orders[static_cast<size_t>(order)]; }
};

// A quad's ids in the sequence of an order, and back.
using QuadRow = std::array<model::TermId, 4>;
QuadRow to_row(model::QuadOrder order, const model::Quad& quad) noexcept;
model::Quad to_quad(model::QuadOrder order, const QuadRow& row) noexcept;

// A row as a key, and back. `to_key` takes 0 to 4 ids.
class QuadKey {
 public:
  explicit QuadKey(std::span<const model::TermId> ids) noexcept;
  std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, 32> bytes_;
  size_t size_;
};
QuadRow read_row(std::string_view key);

// A scan of one order. `generation`, if given, is the count of writes of the transaction: when it changes, the scan
// finds its place again.
std::unique_ptr<model::QuadScan> scan_quads(const ReadTransaction& transaction, const Table& table,
                                            model::QuadOrder order, std::span<const model::TermId> prefix,
                                            model::ColumnSet wanted, const uint64_t* generation);

bool contains_quad(const ReadTransaction& transaction, const QuadTables& tables, const model::Quad& quad);
// True if the tables changed.
bool insert_quad(WriteTransaction& transaction, const QuadTables& tables, const model::Quad& quad);
bool erase_quad(WriteTransaction& transaction, const QuadTables& tables, const model::Quad& quad);
// Inserts many, sorted for each order; returns those that were new.
std::vector<model::Quad> insert_quads(WriteTransaction& transaction, const QuadTables& tables,
                                      std::vector<model::Quad> quads);

}  // namespace quadrille::store
