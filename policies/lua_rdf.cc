#include "policies/lua_rdf.h"

#include <optional>

#include "engine/model/term_order.h"
#include "engine/model/value.h"
#include "policies/lua_state.h"
#include "policies/lua_terms.h"

namespace quadrille::policies {
namespace {

// What C++ throws may not be mistaken for an error of the policy.
template <class Work>
auto without_fault(lua_State* state, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception&) {  // an error of Lua is none
    LuaState::of(state).raise(std::current_exception());
    throw;  // not reached: raise() does not return
  }
}

// Numbers of many digits cost more than their text.
void spend_for(lua_State* state, const model::Term& left, const model::Term& right) {
  LuaState::of(state).spend(20 + (left.text().size() + right.text().size()) / 4);
}

int rdf_compare(lua_State* state) {
  return without_fault(state, [&] {
    const model::Term left = lua_term(state, 1);
    const model::Term right = lua_term(state, 2);
    spend_for(state, left, right);
    const auto order = model::compare_terms(left, right);
    lua_pushinteger(state, order < 0 ? -1 : order > 0 ? 1 : 0);
    return 1;
  });
}

using Operator = std::optional<model::Value> (*)(const model::Value&, const model::Value&);

int calculate(lua_State* state, Operator apply) {
  return without_fault(state, [&] {
    const model::Term left = lua_term(state, 1);
    const model::Term right = lua_term(state, 2);
    spend_for(state, left, right);
    if (const auto result = apply(model::value_of(left), model::value_of(right))) {
      push_lua_term(state, model::to_term(*result));
    } else {
      lua_pushnil(state);
    }
    return 1;
  });
}

int rdf_add(lua_State* state) { return calculate(state, model::add); }
int rdf_subtract(lua_State* state) { return calculate(state, model::subtract); }

int rdf_integer(lua_State* state) {
  return without_fault(state, [&] {
    const model::Value value = model::value_of(lua_term(state, 1));
    const auto integer = value.is_exact() ? value.decimal().to_int64() : std::nullopt;
    if (integer) {
      lua_pushinteger(state, *integer);
    } else {
      lua_pushnil(state);
    }
    return 1;
  });
}

int rdf_iri(lua_State* state) {
  return without_fault(state, [&] {
    luaL_checktype(state, 1, LUA_TSTRING);
    lua_createtable(state, 0, 2);
    lua_pushliteral(state, "iri");
    lua_setfield(state, -2, "kind");
    lua_pushvalue(state, 1);
    lua_setfield(state, -2, "text");
    static_cast<void>(lua_term(state, -1));  // checks it
    return 1;
  });
}

int rdf_literal(lua_State* state) {
  return without_fault(state, [&] {
    luaL_checktype(state, 1, LUA_TSTRING);
    lua_settop(state, 3);
    lua_createtable(state, 0, 4);
    lua_pushliteral(state, "literal");
    lua_setfield(state, 4, "kind");
    lua_pushvalue(state, 1);
    lua_setfield(state, 4, "text");
    lua_pushvalue(state, 2);
    lua_setfield(state, 4, "datatype");
    lua_pushvalue(state, 3);
    lua_setfield(state, 4, "language");
    push_lua_term(state, lua_term(state, 4));  // in the form in which all terms are shown
    return 1;
  });
}

}  // namespace

void add_lua_rdf(lua_State* state) {
  static constexpr luaL_Reg functions[] = {{"add", rdf_add},  {"compare", rdf_compare}, {"integer", rdf_integer},
                                           {"iri", rdf_iri},  {"literal", rdf_literal}, {"subtract", rdf_subtract},
                                           {nullptr, nullptr}};
  luaL_setfuncs(state, functions, 0);
}

}  // namespace quadrille::policies
