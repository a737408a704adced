// Reads the table that a policy in Lua returns. Within LuaState::run only: errors are Lua's.
#pragma once

#include <cstdint>
#include <lua.hpp>
#include <string>

#include "reconcile/policy.h"

namespace quadrille::policies {

struct LuaDescription {
  std::string name;
  uint32_t version = 0;
  uint32_t decides = 0;  // a bit a kind of cell
  bool accepts_several_values = false;
  reconcile::Retention retention = reconcile::Retention::AllVersions;
  bool reads_context = false;
  std::string fallback;
  bool checks = false;
  bool checks_argument = false;
};

// Of the value on top of the stack. An error for a key that is unknown, missing, or has another type or meaning.
LuaDescription read_lua_description(lua_State* state);

}  // namespace quadrille::policies
