// A Lua of its own for one call of a policy: nothing survives the call, and what it may use is bounded in a way that is
// the same at every site.
//
// Uses Debian's Lua built as C++: an error of Lua is an exception, so objects on the way out are destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <lua.hpp>
#include <memory>
#include <string>
#include <vector>

namespace quadrille::policies {

// Part of what sites compare.
struct LuaLimits {
  uint64_t instructions = 2'000'000;  // of Lua's virtual machine; functions of the sandbox count by what they do
  // Of all strings, tables and functions that are ever made: nothing is collected. What is counted does not depend on
  // where keys were hashed.
  size_t object_bytes = size_t{64} << 20;
  // Of all memory, which does depend on it a little; far enough above the other not to be met first by an honest
  // policy.
  size_t bytes = size_t{512} << 20;
};

class LuaState {
 public:
  // Throws std::bad_alloc.
  explicit LuaState(const LuaLimits& limits);
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  lua_State* get() const noexcept { return state_; }
  static LuaState& of(lua_State* state) noexcept { return **static_cast<LuaState**>(lua_getextraspace(state)); }

  // Counts work that a function of the sandbox does. Raises Lua's error when the instructions are used up.
  void spend(uint64_t instructions);
  // Keeps what C++ code below a Lua function has thrown, and goes on as an error of Lua that no pcall stops.
  void raise(std::exception_ptr fault);
  // Whether an error is on its way that pcall must let through.
  bool is_ended() const noexcept { return is_spent_ || is_full_ || is_without_memory_ || fault_; }
  // In Lua's protected mode; false if it ended by an error, which is then on top of the stack.
  bool run(lua_CFunction function, void* argument);
  // To be called after run() was false. Throws what was kept, std::bad_alloc where the process has no memory; else says
  // which limit was met; empty: none was.
  std::string limit_that_ended_it() const;

 private:
  static void* allocate(void* self, void* block, size_t old_size, size_t new_size) noexcept;
  void* take(size_t size) noexcept;
  static void on_count(lua_State* state, lua_Debug* what);

  LuaLimits limits_;
  uint64_t instructions_left_;
  size_t object_bytes_ = 0;
  size_t bytes_ = 0;
  bool is_spent_ = false;
  bool is_full_ = false;
  bool is_without_memory_ = false;
  std::exception_ptr fault_;
  // Blocks are never given back one by one: all of them go with the state, which therefore is not closed either.
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* free_ = nullptr;
  size_t free_size_ = 0;
  lua_State* state_ = nullptr;
};

}  // namespace quadrille::policies
