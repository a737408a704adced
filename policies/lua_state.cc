#include "policies/lua_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace quadrille::policies {
namespace {

constexpr int instructions_per_count = 1000;
constexpr size_t alignment = alignof(std::max_align_t);
constexpr size_t first_chunk_bytes = size_t{48} << 10;
constexpr size_t later_chunk_bytes = size_t{1} << 20;

// Lua says what a new block is for (lua_Alloc): a type's number for an object, else something else.
bool is_object(size_t what) { return what >= LUA_TSTRING && what <= LUA_NUMTYPES + 1; }

}  // namespace

LuaState::LuaState(const LuaLimits& limits) : limits_(limits), instructions_left_(limits.instructions) {
  state_ = lua_newstate(&LuaState::allocate, this);
  if (!state_) throw std::bad_alloc();
  *static_cast<LuaState**>(lua_getextraspace(state_)) = this;
  lua_gc(state_, LUA_GCSTOP);
  lua_sethook(state_, &LuaState::on_count, LUA_MASKCOUNT, instructions_per_count);
}

void LuaState::spend(uint64_t instructions) {
  if (instructions <= instructions_left_) {
    instructions_left_ -= instructions;
    return;
  }
  instructions_left_ = 0;
  is_spent_ = true;
  lua_sethook(state_, &LuaState::on_count, LUA_MASKCOUNT, 1);  // so that nothing goes on after a pcall
  luaL_error(state_, "the limit of instructions is used up");
}

void LuaState::on_count(lua_State* state, lua_Debug*) {
  LuaState& self = of(state);
  self.spend(self.is_spent_ ? 1 : instructions_per_count);
}

void LuaState::raise(std::exception_ptr fault) {
  if (!fault_) fault_ = std::move(fault);
  luaL_error(state_, "the site has a fault of its own");
}

bool LuaState::run(lua_CFunction function, void* argument) {
  lua_pushcfunction(state_, function);
  lua_pushlightuserdata(state_, argument);
  return lua_pcall(state_, 1, 0, 0) == LUA_OK;
}

std::string LuaState::limit_that_ended_it() const {
  if (fault_) std::rethrow_exception(fault_);
  if (is_without_memory_) throw std::bad_alloc();
  if (is_spent_) return fmt::format("it used up its limit of {} instructions", limits_.instructions);
  if (is_full_) return fmt::format("it used up its limit of {} MiB", limits_.object_bytes >> 20);
  return {};
}

void* LuaState::take(size_t size) noexcept {
  size = (size + alignment - 1) / alignment * alignment;
  if (size > free_size_) {
    const size_t chunk_size = std::max(size, chunks_.empty() ? first_chunk_bytes : later_chunk_bytes);
    try {
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_size));
    } catch (const std::bad_alloc&) {
      is_without_memory_ = true;
      return nullptr;
    }
    free_ = chunks_.back().get();
    free_size_ = chunk_size;
  }
  void* const block = free_;
  free_ += size;
  free_size_ -= size;
  return block;
}

void* LuaState::allocate(void* self_pointer, void* block, size_t old_size, size_t new_size) noexcept {
  auto& self = *static_cast<LuaState*>(self_pointer);
  if (new_size == 0) return nullptr;
  if (block && new_size <= old_size) return block;
  if (!block && is_object(old_size)) self.object_bytes_ += new_size;
  self.bytes_ += new_size;
  if (self.object_bytes_ > self.limits_.object_bytes || self.bytes_ > self.limits_.bytes) {
    self.is_full_ = true;
    return nullptr;
  }
  void* const taken = self.take(new_size);
  if (taken && block) std::memcpy(taken, block, old_size);
  return taken;
}

}  // namespace quadrille::policies
