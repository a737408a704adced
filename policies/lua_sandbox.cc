#include "policies/lua_sandbox.h"

#include <cmath>
#include <initializer_list>
#include <new>

#include "policies/lua_rdf.h"
#include "policies/lua_state.h"

namespace quadrille::policies {
namespace {

// Functions of Lua's own whose work grows with their strings: what they are given counts.
int call_counted(lua_State* state) {
  uint64_t bytes = 0;
  const int count = lua_gettop(state);
  for (int i = 1; i <= count; ++i) {
    if (lua_type(state, i) == LUA_TSTRING) bytes += lua_rawlen(state, i);
  }
  LuaState::of(state).spend(bytes / 16);
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);
  lua_call(state, count, LUA_MULTRET);
  return lua_gettop(state);
}

// Moves some of a library of Lua's own into the table below it. Pops the library.
void take_functions(lua_State* state, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    lua_getfield(state, -1, name);
    if (lua_iscfunction(state, -1)) lua_pushcclosure(state, call_counted, 1);
    lua_setfield(state, -3, name);
  }
  lua_pop(state, 1);
}

void open_library(lua_State* state, lua_CFunction library) {
  lua_pushcfunction(state, library);
  lua_call(state, 0, 1);
}

int length_operator(lua_State* state) {
  lua_pushinteger(state, lua_length(state, 2));
  return 1;
}

}  // namespace

void push_lua_environment(lua_State* state) {
  lua_createtable(state, 0, 24);
  add_lua_base(state);
  lua_createtable(state, 0, 8);
  add_lua_table(state);
  lua_setfield(state, -2, "table");
  lua_createtable(state, 0, 16);
  open_library(state, luaopen_string);
  take_functions(state, {"byte", "char", "format", "len", "lower", "reverse", "sub", "upper"});
  add_lua_string(state);
  lua_pushliteral(state, "");  // any string: they share a metatable
  lua_createtable(state, 0, 1);
  lua_pushvalue(state, -3);
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
  lua_pop(state, 1);
  lua_setfield(state, -2, "string");
  lua_createtable(state, 0, 16);
  open_library(state, luaopen_math);
  take_functions(state, {"abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf", "pi",
                         "sqrt", "tointeger", "type", "ult"});
  lua_setfield(state, -2, "math");
  lua_createtable(state, 0, 8);
  open_library(state, luaopen_utf8);
  take_functions(state, {"char", "codepoint", "codes", "len", "offset"});
  lua_setfield(state, -2, "utf8");
  lua_createtable(state, 0, 8);
  add_lua_rdf(state);
  lua_setfield(state, -2, "rdf");
}

void push_lua_length(lua_State* state) {
  lua_newuserdatauv(state, 0, 0);
  lua_createtable(state, 0, 1);
  lua_pushcfunction(state, length_operator);
  lua_setfield(state, -2, "__pow");
  lua_setmetatable(state, -2);
}

lua_Integer lua_length(lua_State* state, int index) {
  if (lua_type(state, index) == LUA_TSTRING) return static_cast<lua_Integer>(lua_rawlen(state, index));
  if (lua_type(state, index) != LUA_TTABLE) {
    luaL_error(state, "attempt to get length of a %s value", luaL_typename(state, index));
  }
  const int table = lua_absindex(state, index);
  const auto is_there = [&](lua_Integer place) {
    const bool found = lua_rawgeti(state, table, place) != LUA_TNIL;
    lua_pop(state, 1);
    return found;
  };
  lua_Integer there = 0;
  lua_Integer absent = 1;
  while (is_there(absent)) {
    there = absent;
    if (absent > LUA_MAXINTEGER / 2) luaL_error(state, "a table that is too long");
    absent *= 2;
  }
  while (absent - there > 1) {
    const lua_Integer middle = there + (absent - there) / 2;
    (is_there(middle) ? there : absent) = middle;
  }
  return there;
}

void push_lua_shown(lua_State* state, int index) {
  switch (lua_type(state, index)) {
    case LUA_TNUMBER:
      lua_pushvalue(state, index);
      if (!lua_isinteger(state, -1) && std::isnan(lua_tonumber(state, -1))) {
        lua_pop(state, 1);
        lua_pushliteral(state, "nan");  // processors differ in its sign
        return;
      }
      lua_tolstring(state, -1, nullptr);
      return;
    case LUA_TSTRING: lua_pushvalue(state, index); return;
    case LUA_TBOOLEAN: lua_pushstring(state, lua_toboolean(state, index) ? "true" : "false"); return;
    default: lua_pushstring(state, luaL_typename(state, index)); return;  // never an address
  }
}

PlainLocale::PlainLocale() : plain_(newlocale(LC_ALL_MASK, "C", nullptr)) {
  if (!plain_) throw std::bad_alloc();
  before_ = uselocale(plain_);
}

PlainLocale::~PlainLocale() {
  uselocale(before_);
  freelocale(plain_);
}

}  // namespace quadrille::policies
