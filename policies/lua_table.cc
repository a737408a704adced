// The table library of the sandbox. Its own, because Lua's finds the end of a table with holes by chance, and sorts by
// a pivot that it takes from the clock.
#include <algorithm>

#include "policies/lua_sandbox.h"
#include "policies/lua_state.h"

namespace quadrille::policies {
namespace {

constexpr int values_max = 10'000;  // of one unpack

lua_Integer checked_length(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  return lua_length(state, 1);
}

void spend(lua_State* state, lua_Integer moved) {
  if (moved > 0) LuaState::of(state).spend(static_cast<uint64_t>(moved));
}

int table_insert(lua_State* state) {
  const lua_Integer end = checked_length(state) + 1;
  lua_Integer place = end;
  if (lua_gettop(state) == 3) {
    place = luaL_checkinteger(state, 2);
    luaL_argcheck(state, place >= 1 && place <= end, 2, "position out of bounds");
  } else if (lua_gettop(state) != 2) {
    return luaL_error(state, "wrong number of arguments to 'insert'");
  }
  spend(state, end - place);
  for (lua_Integer i = end; i > place; --i) {
    lua_rawgeti(state, 1, i - 1);
    lua_rawseti(state, 1, i);
  }
  lua_rawseti(state, 1, place);
  return 0;
}

int table_remove(lua_State* state) {
  const lua_Integer end = checked_length(state);
  const lua_Integer place = luaL_optinteger(state, 2, end);
  const bool is_inside = (place >= 1 && place <= end + 1) || (end == 0 && place == 0);
  luaL_argcheck(state, lua_isnoneornil(state, 2) || is_inside, 2, "position out of bounds");
  spend(state, end - place);
  lua_rawgeti(state, 1, place);
  for (lua_Integer i = place; i < end; ++i) {
    lua_rawgeti(state, 1, i + 1);
    lua_rawseti(state, 1, i);
  }
  if (place >= 1) {
    lua_pushnil(state);
    lua_rawseti(state, 1, std::max(place, end));
  }
  return 1;
}

// Adds the value on top of the stack, and pops it.
void add_shown(lua_State* state, luaL_Buffer* buffer) {
  if (!lua_isinteger(state, -1) && lua_type(state, -1) == LUA_TNUMBER) {
    push_lua_shown(state, -1);
    lua_remove(state, -2);
  }
  luaL_addvalue(buffer);
}

int table_concat(lua_State* state) {
  const lua_Integer end = luaL_optinteger(state, 4, checked_length(state));
  size_t separator_size = 0;
  const char* const separator = luaL_optlstring(state, 2, "", &separator_size);
  const lua_Integer first = luaL_optinteger(state, 3, 1);
  luaL_Buffer buffer;
  luaL_buffinit(state, &buffer);
  for (lua_Integer i = first; i <= end; ++i) {
    LuaState::of(state).spend(1 + separator_size / 16);
    const int type = lua_rawgeti(state, 1, i);
    if (type != LUA_TSTRING && type != LUA_TNUMBER) {
      return luaL_error(state, "invalid value (at index %I) in table for 'concat'", static_cast<LUAI_UACINT>(i));
    }
    add_shown(state, &buffer);
    if (i < end) luaL_addlstring(&buffer, separator, separator_size);
    if (i == LUA_MAXINTEGER) break;
  }
  luaL_pushresult(&buffer);
  return 1;
}

int table_pack(lua_State* state) {
  const int count = lua_gettop(state);
  spend(state, count);
  lua_createtable(state, count, 1);
  lua_insert(state, 1);
  for (int i = count; i >= 1; --i) lua_rawseti(state, 1, i);
  lua_pushinteger(state, count);
  lua_setfield(state, 1, "n");
  return 1;
}

int table_unpack(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  const lua_Integer first = luaL_optinteger(state, 2, 1);
  const lua_Integer end = lua_isnoneornil(state, 3) ? lua_length(state, 1) : luaL_checkinteger(state, 3);
  if (first > end) return 0;
  const auto count = static_cast<lua_Unsigned>(end) - static_cast<lua_Unsigned>(first) + 1;
  if (count == 0 || count > values_max || !lua_checkstack(state, static_cast<int>(count))) {
    return luaL_error(state, "too many results to unpack");
  }
  spend(state, static_cast<lua_Integer>(count));
  for (lua_Unsigned i = 0; i < count; ++i) lua_rawgeti(state, 1, first + static_cast<lua_Integer>(i));
  return static_cast<int>(count);
}

// Whether the value at place `left` of the table at `from` must come after that at `right`.
bool comes_after(lua_State* state, int from, lua_Integer left, lua_Integer right) {
  bool is_after = false;
  if (lua_isnoneornil(state, 2)) {
    lua_rawgeti(state, from, right);
    lua_rawgeti(state, from, left);
    is_after = lua_compare(state, -2, -1, LUA_OPLT) != 0;
    lua_pop(state, 2);
  } else {
    lua_pushvalue(state, 2);
    lua_rawgeti(state, from, right);
    lua_rawgeti(state, from, left);
    lua_call(state, 2, 1);
    is_after = lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
  }
  return is_after;
}

// Merges the sorted [first, middle) and [middle, end) of `from` into `into`; equal values stay in their order.
void merge(lua_State* state, int from, int into, lua_Integer first, lua_Integer middle, lua_Integer end) {
  lua_Integer left = first;
  lua_Integer right = middle;
  for (lua_Integer place = first; place < end; ++place) {
    LuaState::of(state).spend(2);
    const bool takes_right = left == middle || (right < end && comes_after(state, from, left, right));
    lua_rawgeti(state, from, takes_right ? right++ : left++);
    lua_rawseti(state, into, place);
  }
}

// Bottom-up merge sort (Knuth, TAOCP 3, section 5.2.4): stable, and sound with any order function.
int table_sort(lua_State* state) {
  const lua_Integer count = checked_length(state);
  if (!lua_isnoneornil(state, 2)) luaL_checktype(state, 2, LUA_TFUNCTION);
  lua_settop(state, 2);
  lua_createtable(state, static_cast<int>(std::min<lua_Integer>(count, 1 << 20)), 0);
  int from = 1;
  int into = 3;
  for (lua_Integer width = 1; width < count; width *= 2) {
    for (lua_Integer first = 1; first <= count; first += 2 * width) {
      merge(state, from, into, first, std::min(first + width, count + 1), std::min(first + 2 * width, count + 1));
    }
    std::swap(from, into);
  }
  for (lua_Integer i = 1; from == 3 && i <= count; ++i) {
    lua_rawgeti(state, 3, i);
    lua_rawseti(state, 1, i);
  }
  return 0;
}

}  // namespace

void add_lua_table(lua_State* state) {
  static constexpr luaL_Reg functions[] = {{"concat", table_concat}, {"insert", table_insert}, {"pack", table_pack},
                                           {"remove", table_remove}, {"sort", table_sort},     {"unpack", table_unpack},
                                           {nullptr, nullptr}};
  luaL_setfuncs(state, functions, 0);
}

}  // namespace quadrille::policies
