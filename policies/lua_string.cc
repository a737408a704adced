// The functions of `string` that are not Lua's own: find without patterns, format without addresses, rep that counts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "policies/lua_sandbox.h"
#include "policies/lua_state.h"

namespace quadrille::policies {
namespace {

std::string_view checked_text(lua_State* state, int index) {
  size_t size = 0;
  const char* const text = luaL_checklstring(state, index, &size);
  return {text, size};
}

int string_find(lua_State* state) {
  const std::string_view text = checked_text(state, 1);
  const std::string_view wanted = checked_text(state, 2);
  if (!lua_toboolean(state, 4)) {
    return luaL_error(state, "patterns are not offered in policies; expected find(text, wanted, first, true)");
  }
  const auto size = static_cast<lua_Integer>(text.size());
  lua_Integer first = luaL_optinteger(state, 3, 1);
  if (first < 0) first = std::max<lua_Integer>(size + first + 1, 1);
  if (first == 0) first = 1;
  // The worst case of a plain search: each place is tried to its end.
  LuaState::of(state).spend(text.size() / 16 * (1 + wanted.size() / 16));
  const size_t found = first > size + 1 ? std::string_view::npos : text.find(wanted, static_cast<size_t>(first - 1));
  if (found == std::string_view::npos) {
    lua_pushnil(state);
    return 1;
  }
  lua_pushinteger(state, static_cast<lua_Integer>(found + 1));
  lua_pushinteger(state, static_cast<lua_Integer>(found + wanted.size()));
  return 2;
}

int string_rep(lua_State* state) {
  const std::string_view text = checked_text(state, 1);
  const lua_Integer times = luaL_checkinteger(state, 2);
  const std::string_view separator = lua_isnoneornil(state, 3) ? std::string_view() : checked_text(state, 3);
  if (times <= 0) {
    lua_pushliteral(state, "");
    return 1;
  }
  constexpr uint64_t size_max = uint64_t{1} << 30;  // beyond any limit of memory
  const auto count = static_cast<uint64_t>(times);
  const uint64_t each = text.size() + separator.size();
  if (each > 0 && count > size_max / each) return luaL_error(state, "resulting string too large");
  const uint64_t size = count * each - separator.size();
  LuaState::of(state).spend(size / 16 + (each == 0 ? 0 : count));
  luaL_Buffer buffer;
  luaL_buffinit(state, &buffer);
  luaL_prepbuffsize(&buffer, size);
  for (uint64_t i = 0; i < count && each > 0; ++i) {
    luaL_addlstring(&buffer, text.data(), text.size());
    if (i + 1 < count) luaL_addlstring(&buffer, separator.data(), separator.size());
  }
  luaL_pushresult(&buffer);
  return 1;
}

// The letters of the conversions of a format in their order, '%' left out. Raises an error for one that is not offered.
std::string conversions_of(lua_State* state, std::string_view format) {
  std::string letters;
  for (size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 1)) {
    at = format.find_first_not_of("-+ #0123456789.", at + 1);
    if (at == std::string_view::npos) luaL_error(state, "a format that ends within a conversion");
    const char letter = format[at];
    if (letter == '%') continue;
    if (std::string_view("cdioxXeEfgGs").find(letter) == std::string_view::npos) {
      luaL_error(state, "the conversion '%%%c' is not offered in policies", letter);
    }
    letters += letter;
  }
  return letters;
}

// Lua's own, with what it would show otherwise here and there replaced.
int string_format(lua_State* state) {
  const std::string_view format = checked_text(state, 1);
  LuaState::of(state).spend(format.size() / 4);
  int argument = 1;
  for (const char letter : conversions_of(state, format)) {
    if (++argument > lua_gettop(state)) break;  // Lua's own says so
    if (letter == 's') {
      push_lua_shown(state, argument);
      lua_replace(state, argument);
      LuaState::of(state).spend(lua_rawlen(state, argument) / 16);
    } else if (lua_type(state, argument) == LUA_TNUMBER && std::isnan(lua_tonumber(state, argument))) {
      lua_pushnumber(state, std::numeric_limits<lua_Number>::quiet_NaN());
      lua_replace(state, argument);
    }
  }
  const int count = lua_gettop(state);
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);
  lua_call(state, count, 1);
  return 1;
}

}  // namespace

void add_lua_string(lua_State* state) {
  static constexpr luaL_Reg functions[] = {{"find", string_find}, {"rep", string_rep}, {nullptr, nullptr}};
  luaL_setfuncs(state, functions, 0);
  lua_getfield(state, -1, "format");
  lua_pushcclosure(state, string_format, 1);
  lua_setfield(state, -2, "format");
}

}  // namespace quadrille::policies
