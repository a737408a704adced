#include "policies/lua_description.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "policies/lua_terms.h"
#include "policies/policy_name.h"

namespace quadrille::policies {
namespace {

constexpr std::string_view keys[] = {"name",      "version",   "decides",       "accepts_several_values",
                                     "retention", "may_leave", "resolve",       "reads_context",
                                     "fallback",  "check",     "check_argument"};

// Leaves a field of the table on top of the stack, if it is there and of this type.
bool has_field(lua_State* state, const char* key, int type) {
  const int found = lua_getfield(state, -1, key);
  if (found == type) return true;
  if (found != LUA_TNIL) {
    luaL_error(state, "its %s is a %s; expected a %s", key, lua_typename(state, found), lua_typename(state, type));
  }
  lua_pop(state, 1);
  return false;
}

bool has_function(lua_State* state, const char* key) {
  if (!has_field(state, key, LUA_TFUNCTION)) return false;
  lua_pop(state, 1);
  return true;
}

std::string text_field(lua_State* state, const char* key) {
  if (!has_field(state, key, LUA_TSTRING)) return {};
  std::string text(lua_tostring(state, -1), lua_rawlen(state, -1));
  lua_pop(state, 1);
  return text;
}

bool boolean_field(lua_State* state, const char* key) {
  if (!has_field(state, key, LUA_TBOOLEAN)) return false;
  const bool value = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  return value;
}

void check_keys(lua_State* state) {
  lua_pushnil(state);
  while (lua_next(state, -2) != 0) {
    lua_pop(state, 1);
    if (lua_type(state, -1) != LUA_TSTRING)
      luaL_error(state, "it returned a list; expected a table with name, resolve, ...");
    const std::string_view key = lua_tostring(state, -1);
    if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys)) {
      luaL_error(state,
                 "the key '%s' is unknown; expected name, version, decides, accepts_several_values, retention, "
                 "may_leave, resolve, reads_context, fallback, check or check_argument",
                 key.data());
    }
  }
}

uint32_t read_version(lua_State* state) {
  int is_integer = 0;
  lua_getfield(state, -1, "version");
  const lua_Integer version = lua_tointegerx(state, -1, &is_integer);
  lua_pop(state, 1);
  if (!is_integer || version < 1 || version > std::numeric_limits<uint32_t>::max()) {
    luaL_error(state, "its version is none; expected a whole number from 1");
  }
  return static_cast<uint32_t>(version);
}

uint32_t read_decides(lua_State* state) {
  uint32_t decides = 0;
  const auto trouble = [&] {
    luaL_error(state, "its decides is none; expected a list of 'quad', 'value' and 'record'");
  };
  if (!has_field(state, "decides", LUA_TTABLE)) trouble();
  for (lua_Integer place = 1; lua_rawgeti(state, -1, place) != LUA_TNIL; ++place) {
    const std::string_view kind = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "";
    if (kind != "quad" && kind != "value" && kind != "record") trouble();
    decides |= 1u << static_cast<uint32_t>(kind == "quad"    ? log::CellKind::Quad
                                           : kind == "value" ? log::CellKind::Value
                                                             : log::CellKind::Record);
    lua_pop(state, 1);
  }
  lua_pop(state, 2);
  if (decides == 0) trouble();
  return decides;
}

reconcile::Retention read_retention(lua_State* state) {
  const std::string retention = text_field(state, "retention");
  const bool says = has_function(state, "may_leave");
  if (says != (retention == "as it says")) {
    luaL_error(state, "expected may_leave and retention = \"as it says\", or neither");
  }
  if (says) return reconcile::Retention::AsItSays;
  if (retention == "maximal") return reconcile::Retention::MaximalVersions;
  if (!retention.empty() && retention != "all") {
    luaL_error(state, "its retention is '%s'; expected all, maximal or as it says", retention.c_str());
  }
  return reconcile::Retention::AllVersions;
}

}  // namespace

LuaDescription read_lua_description(lua_State* state) {
  if (lua_type(state, -1) != LUA_TTABLE) {
    luaL_error(state, "it returned a %s; expected a table with name, version, decides and resolve",
               luaL_typename(state, -1));
  }
  check_keys(state);
  LuaDescription about;
  about.name = text_field(state, "name");
  if (const auto checked = check_policy_name(about.name); !checked) {
    luaL_error(state, "%s", checked.error().message.c_str());
  }
  about.version = read_version(state);
  about.decides = read_decides(state);
  if (!has_function(state, "resolve")) luaL_error(state, "the function 'resolve' is missing");
  about.accepts_several_values = boolean_field(state, "accepts_several_values");
  about.retention = read_retention(state);
  about.reads_context = boolean_field(state, "reads_context");
  about.fallback = text_field(state, "fallback");
  if (about.reads_context == about.fallback.empty()) {
    luaL_error(state, "expected reads_context = true and the name of a fallback, or neither");
  }
  about.checks = has_function(state, "check");
  about.checks_argument = has_function(state, "check_argument");
  return about;
}

}  // namespace quadrille::policies
