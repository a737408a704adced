// The blocks that a snapshot looked into lately, as far as they are decoded: the look-ups of one query meet in few
// blocks. Belongs to one thread at a time, as its snapshot does.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "engine/store/block.h"

namespace quadrille::store {

class BlockCache {
 public:
  // The block whose value lies at `value`, which must not change while the cache lives. Null: it is damaged.
  std::shared_ptr<Block> get(model::QuadOrder order, std::string_view first_row, std::string_view value);
  // Blocks that were not here when they were wanted.
  uint64_t blocks_read() const noexcept { return blocks_read_; }
  void count_read() noexcept { ++blocks_read_; }

 private:
  struct Slot {
    const char* address = nullptr;
    std::shared_ptr<Block> block;
  };
  std::array<Slot, 16> slots_;
  uint64_t blocks_read_ = 0;
};

}  // namespace quadrille::store
