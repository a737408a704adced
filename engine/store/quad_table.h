// Quads in four sorted orders, each as runs of blocks (block_table.h, run.h) under a delta.
//
// The delta has a row for each quad that was written since the blocks were: key its four ids in the order's sequence
// (quad_row.h), value a mark: 01, present, whatever the runs say; or 00 and the count of switches (4 bytes,
// big-endian), erased from the runs that were active by then. A quad that stands in two runs is one quad. The orders
// are compacted each by itself: what one has in its blocks another may still have in its delta.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model/quad.h"
#include "engine/model/quad_source.h"
#include "engine/store/block_cache.h"
#include "engine/store/environment.h"
#include "engine/store/quad_row.h"
#include "engine/store/run.h"

namespace quadrille::store {

// A row's value in the delta.
class DeltaMark {
 public:
  static DeltaMark present() noexcept { return DeltaMark(true, 0); }
  static DeltaMark erased(uint32_t activation) noexcept { return DeltaMark(false, activation); }
  static bool is_mark(std::string_view value) noexcept;
  explicit DeltaMark(std::string_view value);  // throws base::StorageError if it is none
  std::string_view bytes() const noexcept { return {bytes_.data(), is_present_ ? size_t{1} : bytes_.size()}; }

  bool is_present() const noexcept { return is_present_; }
  // The quad is erased from the runs whose activation is below this.
  uint64_t erased_before() const noexcept { return is_present_ ? 0 : uint64_t{activation_} + 1; }
  bool hides(const ActiveRun& run) const noexcept { return run.activation < erased_before(); }

 private:
  DeltaMark(bool is_present, uint32_t activation) noexcept;
  bool is_present_;
  uint32_t activation_;
  std::array<char, 5> bytes_;
};

struct QuadTables {
  std::array<Table, 4> blocks;  // by QuadOrder
  std::array<Table, 4> deltas;
  const Table& blocks_of(model::QuadOrder order) const noexcept { return blocks[static_cast<size_t>(order)]; }
  const Table& delta_of(model::QuadOrder order) const noexcept { return deltas[static_cast<size_t>(order)]; }
};

// What reads the quads of one transaction.
struct QuadView {
  const ReadTransaction& transaction;
  const QuadTables& tables;
  const RunList& runs;
  BlockCache* cache = nullptr;           // of a transaction that only reads
  const uint64_t* generation = nullptr;  // of one that writes: its count of writes; scans then find their place again
};

bool contains_quad(const QuadView& view, model::QuadOrder order, const model::Quad& quad);
// In the order that is quickest to look into.
bool contains_quad(const QuadView& view, const model::Quad& quad);
// True if the tables changed.
bool insert_quad(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, const model::Quad& quad);
bool erase_quad(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, const model::Quad& quad);
// Inserts many, sorted for each order; returns those that were new. Into empty tables it writes blocks.
std::vector<model::Quad> insert_quads(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs,
                                      std::vector<model::Quad> quads);

}  // namespace quadrille::store
