#include "engine/store/block_cache.h"

#include <cstdint>

namespace quadrille::store {

std::shared_ptr<Block> BlockCache::get(model::QuadOrder order, std::string_view first_row, std::string_view value) {
  // Which slot a block takes changes how long a look-up takes, and nothing else.
  const auto address = reinterpret_cast<uintptr_t>(value.data());
  static_assert(std::tuple_size_v<decltype(slots_)> == 16);
  Slot& slot = slots_[(address * 0x9E3779B97F4A7C15u) >> 60];
  if (slot.address == value.data() && slot.block->order() == order) return slot.block;
  count_read();
  // A scan may still read the one that stood here.
  if (!slot.block || slot.block.use_count() > 1) slot.block = std::shared_ptr<Block>(new Block(order));
  slot.address = nullptr;
  if (!slot.block->load(order, first_row, value, Block::Keeping::InPlace)) return nullptr;
  slot.address = value.data();
  return slot.block;
}

}  // namespace quadrille::store
