// The base library of the sandbox.
#include <algorithm>
#include <compare>
#include <string_view>
#include <vector>

#include "policies/lua_sandbox.h"
#include "policies/lua_state.h"

namespace quadrille::policies {
namespace {

// A key of a table, so that keys have an order: integers, floats, booleans, strings.
struct Key {
  int rank = 0;
  lua_Integer integer = 0;
  lua_Number number = 0;
  std::string_view text;

  friend bool operator<(const Key& left, const Key& right) {
    if (left.rank != right.rank) return left.rank < right.rank;
    if (left.integer != right.integer) return left.integer < right.integer;
    if (left.number != right.number) return left.number < right.number;
    return left.text < right.text;
  }
};

Key key_at(lua_State* state, int index) {
  switch (lua_type(state, index)) {
    case LUA_TNUMBER:
      if (lua_isinteger(state, index)) return {0, lua_tointeger(state, index), 0, {}};
      return {1, 0, lua_tonumber(state, index), {}};
    case LUA_TBOOLEAN: return {2, lua_toboolean(state, index), 0, {}};
    case LUA_TSTRING: {
      size_t size = 0;
      const char* const text = lua_tolstring(state, index, &size);
      return {3, 0, 0, {text, size}};  // strings are not collected as long as the state lives
    }
    default: break;
  }
  luaL_error(state, "a table with a key of type %s has no order that is the same everywhere",
             luaL_typename(state, index));
  return {};
}

void push_key(lua_State* state, const Key& key) {
  switch (key.rank) {
    case 0: lua_pushinteger(state, key.integer); break;
    case 1: lua_pushnumber(state, key.number); break;
    case 2: lua_pushboolean(state, key.integer != 0); break;
    default: lua_pushlstring(state, key.text.data(), key.text.size());
  }
}

template <class Visit>
void for_each_key(lua_State* state, int table, Visit&& visit) {
  uint64_t count = 0;
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    lua_pop(state, 1);
    visit(key_at(state, -1));
    ++count;
  }
  LuaState::of(state).spend(count);
}

int base_next(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 2);
  const bool is_first = lua_isnil(state, 2);
  const Key after = is_first ? Key() : key_at(state, 2);
  bool is_found = false;
  Key found;
  for_each_key(state, 1, [&](const Key& key) {
    if ((is_first || after < key) && (!is_found || key < found)) {
      found = key;
      is_found = true;
    }
  });
  if (!is_found) {
    lua_pushnil(state);
    return 1;
  }
  push_key(state, found);
  lua_pushvalue(state, -1);
  lua_rawget(state, 1);
  return 2;
}

// The iterator of pairs(): upvalues are the keys in order, and the place of the last one.
int pairs_step(lua_State* state) {
  lua_Integer place = lua_tointeger(state, lua_upvalueindex(2));
  while (lua_rawgeti(state, lua_upvalueindex(1), ++place) != LUA_TNIL) {
    lua_pushvalue(state, -1);
    if (lua_rawget(state, lua_upvalueindex(3)) != LUA_TNIL) break;  // else it was removed meanwhile
    lua_pop(state, 2);
  }
  lua_pushinteger(state, place);
  lua_replace(state, lua_upvalueindex(2));
  return lua_isnil(state, -1) ? 1 : 2;
}

int base_pairs(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  std::vector<Key> keys;
  for_each_key(state, 1, [&](const Key& key) { keys.push_back(key); });
  std::sort(keys.begin(), keys.end());
  LuaState::of(state).spend(keys.size() * 4);
  lua_createtable(state, static_cast<int>(keys.size()), 0);
  for (size_t i = 0; i < keys.size(); ++i) {
    push_key(state, keys[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushinteger(state, 0);
  lua_pushvalue(state, 1);
  lua_pushcclosure(state, pairs_step, 3);
  lua_pushvalue(state, 1);
  lua_pushnil(state);
  return 3;
}

int ipairs_step(lua_State* state) {
  const lua_Integer place = luaL_checkinteger(state, 2) + 1;
  lua_pushinteger(state, place);
  return lua_geti(state, 1, place) == LUA_TNIL ? 1 : 2;
}

int base_ipairs(lua_State* state) {
  luaL_checkany(state, 1);
  lua_pushcfunction(state, ipairs_step);
  lua_pushvalue(state, 1);
  lua_pushinteger(state, 0);
  return 3;
}

int base_assert(lua_State* state) {
  if (lua_toboolean(state, 1)) return lua_gettop(state);
  luaL_checkany(state, 1);
  lua_remove(state, 1);
  lua_pushliteral(state, "assertion failed!");
  lua_settop(state, 1);
  return lua_error(state);
}

int base_error(lua_State* state) {
  const auto level = static_cast<int>(luaL_optinteger(state, 2, 1));
  lua_settop(state, 1);
  if (lua_type(state, 1) == LUA_TSTRING && level > 0) {
    luaL_where(state, level);
    lua_insert(state, 1);
    lua_concat(state, 2);
  }
  return lua_error(state);
}

int base_pcall(lua_State* state) {
  luaL_checkany(state, 1);
  lua_pushboolean(state, 1);
  lua_insert(state, 1);
  const int status = lua_pcall(state, lua_gettop(state) - 2, LUA_MULTRET, 0);
  if (status == LUA_OK) return lua_gettop(state);
  if (LuaState::of(state).is_ended()) return lua_error(state);
  lua_pushboolean(state, 0);
  lua_insert(state, -2);
  return 2;
}

int base_select(lua_State* state) {
  const int count = lua_gettop(state);
  if (lua_type(state, 1) == LUA_TSTRING && std::string_view(lua_tostring(state, 1)) == "#") {
    lua_pushinteger(state, count - 1);
    return 1;
  }
  lua_Integer first = luaL_checkinteger(state, 1);
  if (first < 0) first = count + first;
  luaL_argcheck(state, first >= 1, 1, "index out of range");
  return first >= count ? 0 : count - static_cast<int>(first);
}

int base_tonumber(lua_State* state) {
  luaL_checkany(state, 1);
  if (lua_type(state, 1) == LUA_TNUMBER) {
    lua_settop(state, 1);
    return 1;
  }
  size_t size = 0;
  const char* const text = lua_type(state, 1) == LUA_TSTRING ? lua_tolstring(state, 1, &size) : nullptr;
  LuaState::of(state).spend(size / 16);
  if (text && lua_stringtonumber(state, text) == size + 1) return 1;
  lua_pushnil(state);
  return 1;
}

int base_tostring(lua_State* state) {
  luaL_checkany(state, 1);
  push_lua_shown(state, 1);
  return 1;
}

int base_type(lua_State* state) {
  luaL_checkany(state, 1);
  lua_pushstring(state, luaL_typename(state, 1));
  return 1;
}

}  // namespace

void add_lua_base(lua_State* state) {
  static constexpr luaL_Reg functions[] = {
      {"assert", base_assert}, {"error", base_error},       {"ipairs", base_ipairs}, {"next", base_next},
      {"pairs", base_pairs},   {"pcall", base_pcall},       {"select", base_select}, {"tonumber", base_tonumber},
      {"type", base_type},     {"tostring", base_tostring}, {nullptr, nullptr}};
  luaL_setfuncs(state, functions, 0);
  lua_pushliteral(state, LUA_VERSION);
  lua_setfield(state, -2, "_VERSION");
}

}  // namespace quadrille::policies
