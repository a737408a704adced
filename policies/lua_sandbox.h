// What a policy in Lua can reach: a closed environment in which everything is the same at every site.
//
//   from the base library  assert error ipairs next pairs pcall select tonumber tostring type _VERSION
//   string                 byte char find format len lower rep reverse sub upper
//   table                  concat insert pack remove sort unpack
//   math                   abs ceil floor fmod huge max maxinteger min mininteger modf pi sqrt tointeger type ult
//   utf8                   char codepoint codes len offset
//   rdf                    policies/lua_rdf.h
//
// Where they differ from Lua 5.4: `pairs` and `next` go by integers, floats, booleans, strings, each ascending, and
// refuse other keys; `tostring` of a table is "table"; `string.format` has no %p, %a and %q; `string.find` finds plain
// text only, and patterns are not offered, because the time that they take cannot be bounded; `table.sort` is stable;
// no arithmetic on strings; no metatables; no operator ^. `#` and the functions of `table` find the same end of a table
// with holes always. What is not there: anything that reads clocks, chance, files, code or the collector's mind.
#pragma once

#include <locale.h>

#include <lua.hpp>

namespace quadrille::policies {

// The parts that are not Lua's own, each put into the table on top of the stack.
void add_lua_base(lua_State* state);
void add_lua_table(lua_State* state);
void add_lua_string(lua_State* state);  // where Lua's own `format` is already

// Pushes a new environment. Within LuaState::run only.
void push_lua_environment(lua_State* state);
// Pushes the object whose operator ^ is the length of its right side (policies/lua_source.h).
void push_lua_length(lua_State* state);

// The length as policies see it: of a table, the end that a search by doubling and halving finds, which depends on
// nothing but what is in it.
lua_Integer lua_length(lua_State* state, int index);
// Pushes the value as `tostring` shows it.
void push_lua_shown(lua_State* state, int index);

// The calling thread speaks plain C, as long as this lives, whatever the process's locale: Lua writes and reads
// numbers, compares strings and changes case by the locale.
class PlainLocale {
 public:
  PlainLocale();
  ~PlainLocale();
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  locale_t plain_;
  locale_t before_;
};

}  // namespace quadrille::policies
