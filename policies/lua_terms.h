// RDF terms and what is made of them as Lua's tables, and back. Within LuaState::run only: errors are Lua's.
//
//   a term       {kind = "iri", text = "http://…"}, {kind = "blank_node", text = "b1"},
//                {kind = "literal", text = "1", datatype = "http://…#integer", language = nil}
//   a statement  {property = term, object = term}
//   a content    a list of statements
//   a quad       {graph = term or nil, subject = term, property = term, object = term}
#pragma once

#include <lua.hpp>
#include <optional>

#include "policies/answered_terms.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

void push_lua_text(lua_State* state, std::string_view text);
void push_lua_term(lua_State* state, const model::Term& term);
void push_lua_content(lua_State* state, const reconcile::Content& content);
void push_lua_quad(lua_State* state, const model::TermQuad& quad);

// Of the table at `index`. Views into strings of the state, which live as long as it.
TermParts lua_term_parts(lua_State* state, int index);
model::Term lua_term(lua_State* state, int index);
// A field of the table at `index`; none if it is nil.
std::optional<model::Term> lua_term_field(lua_State* state, int index, const char* name);

// The list at `index`: statements, or terms, which are objects of `property`.
void read_lua_content(lua_State* state, int index, const model::Term& property, AnsweredContent& content);

}  // namespace quadrille::policies
