#include "policies/lua_terms.h"

#include <string>

#include "policies/lua_state.h"

namespace quadrille::policies {
namespace {

using model::TermKind;

constexpr int depth_of_terms = 8;  // places on Lua's stack

void set_text(lua_State* state, const char* name, std::string_view text) {
  push_lua_text(state, text);
  lua_setfield(state, -2, name);
}

void set_term(lua_State* state, const char* name, const model::Term& term) {
  push_lua_term(state, term);
  lua_setfield(state, -2, name);
}

const char* name_of(TermKind kind) {
  switch (kind) {
    case TermKind::Iri: return "iri";
    case TermKind::BlankNode: return "blank_node";
    case TermKind::Literal: return "literal";
  }
  return "";
}

// A field that is a string, or absent and then empty.
std::string_view text_field(lua_State* state, int index, const char* name) {
  const int type = lua_getfield(state, index, name);
  if (type != LUA_TSTRING && type != LUA_TNIL) {
    luaL_error(state, "the %s of a term is a %s; expected a string", name, lua_typename(state, type));
  }
  size_t size = 0;
  const char* const text = type == LUA_TSTRING ? lua_tolstring(state, -1, &size) : "";
  lua_pop(state, 1);
  return {text, size};
}

[[noreturn]] void raise(lua_State* state, const base::Error& error) {
  lua_pushlstring(state, error.message.data(), error.message.size());
  lua_error(state);
  std::abort();  // lua_error does not return
}

}  // namespace

void push_lua_text(lua_State* state, std::string_view text) { lua_pushlstring(state, text.data(), text.size()); }

void push_lua_term(lua_State* state, const model::Term& term) {
  luaL_checkstack(state, depth_of_terms, nullptr);
  lua_createtable(state, 0, 4);
  lua_pushstring(state, name_of(term.kind()));
  lua_setfield(state, -2, "kind");
  set_text(state, "text", term.text());
  if (!term.is_literal()) return;
  set_text(state, "datatype", term.datatype());
  if (!term.language().empty()) set_text(state, "language", term.language());
}

void push_lua_content(lua_State* state, const reconcile::Content& content) {
  lua_createtable(state, static_cast<int>(content.size()), 0);
  lua_Integer place = 0;
  for (const auto& [property, object] : content) {
    lua_createtable(state, 0, 2);
    set_term(state, "property", property);
    set_term(state, "object", object);
    lua_rawseti(state, -2, ++place);
  }
}

void push_lua_quad(lua_State* state, const model::TermQuad& quad) {
  lua_createtable(state, 0, 4);
  if (quad.graph) set_term(state, "graph", *quad.graph);
  set_term(state, "subject", quad.subject);
  set_term(state, "property", quad.predicate);
  set_term(state, "object", quad.object);
}

TermParts lua_term_parts(lua_State* state, int index) {
  if (lua_type(state, index) != LUA_TTABLE) {
    luaL_error(state, "expected a term, which is a table with kind and text; got a %s", luaL_typename(state, index));
  }
  const int table = lua_absindex(state, index);
  luaL_checkstack(state, depth_of_terms, nullptr);
  TermParts parts;
  const std::string_view kind = text_field(state, table, "kind");
  if (kind == "iri") {
    parts.kind = TermKind::Iri;
  } else if (kind == "blank_node") {
    parts.kind = TermKind::BlankNode;
  } else if (kind != "literal") {
    luaL_error(state, "the kind of a term is '%s'; expected iri, blank_node or literal", kind.data());
  }
  parts.text = text_field(state, table, "text");
  if (parts.kind == TermKind::Literal) {
    parts.datatype = text_field(state, table, "datatype");
    parts.language = text_field(state, table, "language");
  }
  return parts;
}

model::Term lua_term(lua_State* state, int index) {
  const TermParts parts = lua_term_parts(state, index);
  LuaState::of(state).spend(8 + parts.text.size() / 16);
  auto term = check_term(parts);
  if (!term) raise(state, term.error());
  return std::move(term).value();
}

std::optional<model::Term> lua_term_field(lua_State* state, int index, const char* name) {
  std::optional<model::Term> term;
  if (lua_getfield(state, index, name) != LUA_TNIL) term = lua_term(state, -1);
  lua_pop(state, 1);
  return term;
}

void read_lua_content(lua_State* state, int index, const model::Term& property, AnsweredContent& content) {
  if (lua_type(state, index) != LUA_TTABLE) {
    luaL_error(state, "it answered a %s; expected a list of statements", luaL_typename(state, index));
  }
  const int list = lua_absindex(state, index);
  lua_Integer place = 0;
  const TermParts cell_property{TermKind::Iri, property.text(), {}, {}};
  while (lua_rawgeti(state, list, ++place) != LUA_TNIL) {
    if (lua_type(state, -1) != LUA_TTABLE) {
      luaL_error(state, "it answered a list with a %s in it; expected statements", luaL_typename(state, -1));
    }
    TermParts of_property = cell_property;
    TermParts of_object;
    if (lua_getfield(state, -1, "object") == LUA_TNIL) {
      of_object = lua_term_parts(state, -2);
    } else {
      of_object = lua_term_parts(state, -1);
      if (lua_getfield(state, -2, "property") != LUA_TNIL) of_property = lua_term_parts(state, -1);
      lua_pop(state, 1);
    }
    lua_pop(state, 2);
    if (const auto added = content.add(of_property, of_object); !added) {
      raise(state, {added.error().kind, "it answered " + added.error().message, {}});
    }
  }
  lua_pop(state, 1);
  lua_pushnil(state);
  if (place == 1 && lua_next(state, list) != 0) {
    luaL_error(state, "it answered a table that is no list; expected a list of statements");
  }
}

}  // namespace quadrille::policies
