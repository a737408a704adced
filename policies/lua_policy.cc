#include "policies/lua_policy.h"

#include <fmt/format.h>

#include <utility>

#include "policies/deciding_now.h"
#include "policies/lua_sandbox.h"
#include "policies/lua_source.h"
#include "policies/lua_terms.h"
#include "policies/policy_failure.h"
#include "policies/policy_file.h"

namespace quadrille::policies {
namespace {

using reconcile::Conflict;

constexpr size_t source_bytes_max = size_t{1} << 20;
// A new one whenever a policy could answer otherwise in this sandbox than in the one before.
constexpr int sandbox_version = 1;
// What stands before the line in messages, which conflict records hold: the same at every site, so no path.
constexpr const char* chunk_name = "=policy";

base::Error invalid(std::string what) { return {base::ErrorKind::InvalidInput, std::move(what), {}}; }

// What an error of Lua says.
std::string message_of(lua_State* state) {
  if (lua_type(state, -1) == LUA_TSTRING) return one_line({lua_tostring(state, -1), lua_rawlen(state, -1)});
  return fmt::format("it threw a {}", luaL_typename(state, -1));
}

int append_code(lua_State*, const void* bytes, size_t size, void* code) {
  static_cast<std::string*>(code)->append(static_cast<const char*>(bytes), size);
  return 0;
}

// In protected mode, with nothing on the stack.
using Work = std::function<void(lua_State*)>;
int run_work(lua_State* state) {
  const auto& work = *static_cast<const Work*>(lua_touserdata(state, 1));
  lua_settop(state, 0);
  try {
    work(state);
  } catch (const std::exception&) {  // an error of Lua is none
    LuaState::of(state).raise(std::current_exception());
  }
  return 0;
}

void run(const LuaLimits& limits, const Work& work) {
  const PlainLocale locale;
  LuaState state(limits);
  if (state.run(run_work, const_cast<Work*>(&work))) return;
  const std::string limit = state.limit_that_ended_it();
  throw PolicyFailure(limit.empty() ? message_of(state.get()) : limit);
}

std::string compile(const std::string& text, const LuaLimits& limits) {
  std::string code;
  run(limits, [&](lua_State* state) {
    if (luaL_loadbufferx(state, text.data(), text.size(), chunk_name, "t") != LUA_OK) lua_error(state);
    constexpr int keep_lines = 0;
    lua_dump(state, append_code, &code, keep_lines);
  });
  return code;
}

// Runs the file, as it were, and leaves what it returned.
void push_policy(lua_State* state, const std::string& code) {
  luaL_loadbufferx(state, code.data(), code.size(), chunk_name, "b");
  push_lua_environment(state);
  lua_setupvalue(state, -2, 1);  // _ENV, which each chunk has as its first
  push_lua_length(state);
  lua_call(state, 1, 1);
}

void set_text(lua_State* state, const char* key, std::string_view text) {
  push_lua_text(state, text);
  lua_setfield(state, -2, key);
}

void set_integer(lua_State* state, const char* key, lua_Integer value) {
  lua_pushinteger(state, value);
  lua_setfield(state, -2, key);
}

void set_term(lua_State* state, const char* key, const std::optional<model::Term>& term) {
  if (!term) return;
  push_lua_term(state, *term);
  lua_setfield(state, -2, key);
}

void set_content(lua_State* state, const char* key, const reconcile::Content& content) {
  push_lua_content(state, content);
  lua_setfield(state, -2, key);
}

void set_cell(lua_State* state, const reconcile::CellName& cell) {
  lua_createtable(state, 0, 5);
  set_text(state, "kind",
           cell.kind == log::CellKind::Quad    ? "quad"
           : cell.kind == log::CellKind::Value ? "value"
                                               : "record");
  set_term(state, "graph", cell.graph);
  set_term(state, "subject", cell.subject);
  set_term(state, "property", cell.property);
  set_term(state, "object", cell.object);
  lua_setfield(state, -2, "cell");
}

void push_version(lua_State* state, const reconcile::Version& version) {
  lua_createtable(state, 0, 7);
  set_text(state, "site", version.id.origin.name);
  set_text(state, "incarnation", fmt::format("{:016x}", version.id.origin.incarnation));
  set_integer(state, "seq", static_cast<lua_Integer>(version.id.seq));
  lua_createtable(state, 0, 2);
  set_integer(state, "ms", version.stamp.physical_ms);
  set_integer(state, "counter", version.stamp.counter);
  lua_setfield(state, -2, "stamp");
  lua_pushboolean(state, version.is_maximal);
  lua_setfield(state, -2, "is_maximal");
  set_content(state, "saw", version.saw);
  set_content(state, "left", version.left);
}

// has_seen(later, earlier), by their places from 1.
int has_seen(lua_State* state) {
  const auto& conflict = *static_cast<const Conflict*>(lua_touserdata(state, lua_upvalueindex(1)));
  const auto place = [&](int argument) {
    const lua_Integer given = luaL_checkinteger(state, argument);
    const bool is_there = given >= 1 && static_cast<size_t>(given) <= conflict.versions.size();
    luaL_argcheck(state, is_there, argument, "expected the place of a version");
    return static_cast<size_t>(given) - 1;
  };
  lua_pushboolean(state, conflict.seen[place(1)][place(2)]);
  return 1;
}

// match({graph, subject, property, object, default_graph_only}), a list of quads.
int match_context(lua_State* state) {
  try {
    luaL_checktype(state, 1, LUA_TTABLE);
    const auto& context = *static_cast<const reconcile::Context*>(lua_touserdata(state, lua_upvalueindex(1)));
    reconcile::QuadPattern pattern;
    pattern.graph = lua_term_field(state, 1, "graph");
    pattern.subject = lua_term_field(state, 1, "subject");
    pattern.property = lua_term_field(state, 1, "property");
    pattern.object = lua_term_field(state, 1, "object");
    lua_getfield(state, 1, "default_graph_only");
    pattern.default_graph_only = lua_toboolean(state, -1) != 0;
    if (pattern.graph && pattern.default_graph_only) {
      return luaL_error(state, "it asked its context for the default graph alone and for a named one");
    }
    lua_createtable(state, 0, 0);
    lua_Integer place = 0;
    for (const model::TermQuad& quad : context.match(pattern)) {
      LuaState::of(state).spend(10);
      push_lua_quad(state, quad);
      lua_rawseti(state, -2, ++place);
    }
    return 1;
  } catch (const std::exception&) {  // a fault of the store's; an error of Lua is no std::exception
    LuaState::of(state).raise(std::current_exception());
  }
  return 0;
}

void push_conflict(lua_State* state, const Conflict& conflict, bool with_context) {
  lua_createtable(state, 0, 6);
  set_cell(state, conflict.cell);
  set_content(state, "base", conflict.base);
  set_text(state, "argument", conflict.argument);
  lua_createtable(state, static_cast<int>(conflict.versions.size()), 0);
  lua_Integer place = 0;
  for (const reconcile::Version& version : conflict.versions) {
    push_version(state, version);
    lua_rawseti(state, -2, ++place);
  }
  lua_setfield(state, -2, "versions");
  lua_pushlightuserdata(state, const_cast<Conflict*>(&conflict));
  lua_pushcclosure(state, has_seen, 1);
  lua_setfield(state, -2, "has_seen");
  if (!with_context || !conflict.context) return;
  lua_pushlightuserdata(state, const_cast<reconcile::Context*>(conflict.context));
  lua_pushcclosure(state, match_context, 1);
  lua_setfield(state, -2, "match");
}

void push_change(lua_State* state, const reconcile::LocalChange& change) {
  lua_createtable(state, 0, 4);
  set_cell(state, change.cell);
  set_content(state, "saw", change.saw);
  set_content(state, "left", change.left);
  set_text(state, "argument", change.argument);
}

// What `check` returned: nothing, {refused = "why"}, or {completed = {...}}.
reconcile::LocalDecision read_local_decision(lua_State* state, const model::Term& property) {
  reconcile::LocalDecision decision;
  if (lua_isnil(state, -1)) return decision;
  if (lua_type(state, -1) != LUA_TTABLE) {
    luaL_error(state, "check returned a %s; expected nothing, {refused = ...} or {completed = ...}",
               luaL_typename(state, -1));
  }
  if (lua_getfield(state, -1, "refused") == LUA_TSTRING) decision.refused = message_of(state);
  lua_pop(state, 1);
  if (lua_getfield(state, -1, "completed") != LUA_TNIL) {
    AnsweredContent content;
    read_lua_content(state, -1, property, content);
    decision.completed = content.take();
  }
  lua_pop(state, 1);
  if (!decision.refused && !decision.completed) {
    luaL_error(state, "check returned a table without refused and completed; expected one of them, or nothing");
  }
  return decision;
}

}  // namespace

base::Result<std::shared_ptr<const LuaPolicy>> LuaPolicy::make(std::string_view source, const LuaLimits& limits) {
  QUADRILLE_ASSIGN(const std::string text, prepare_lua(source));
  std::shared_ptr<LuaPolicy> policy(new LuaPolicy());
  policy->limits_ = limits;
  policy->content_digest_ =
      digest_of(fmt::format("{} sandbox {} instructions {} objects {} memory {}\n{}", LUA_RELEASE, sandbox_version,
                            limits.instructions, limits.object_bytes, limits.bytes, source));
  try {
    policy->code_ = compile(text, limits);
    policy->call([&](lua_State* state) { policy->about_ = read_lua_description(state); });
  } catch (const PolicyFailure& failure) {
    return invalid(failure.what());
  }
  return std::shared_ptr<const LuaPolicy>(std::move(policy));
}

void LuaPolicy::call(const Work& work) const {
  try {
    run(limits_, [&](lua_State* state) {
      push_policy(state, code_);
      work(state);
    });
  } catch (const std::bad_alloc&) {
    throw PolicyOutOfMemory(fmt::format("no memory for {}", deciding_now()));
  }
}

base::Result<void> LuaPolicy::check_argument(std::string_view argument) const {
  if (!about_.checks_argument) return Policy::check_argument(argument);
  std::string expected;
  try {
    call([&](lua_State* state) {
      lua_getfield(state, -1, "check_argument");
      push_lua_text(state, argument);
      lua_call(state, 1, 1);
      if (!lua_isnil(state, -1)) expected = message_of(state);
    });
  } catch (const PolicyFailure& failure) {
    expected = failure.what();
  }
  if (expected.empty()) return {};
  return invalid(fmt::format("'{}' does not take the argument '{}': {}", name(), one_line(argument), expected));
}

reconcile::Decision LuaPolicy::resolve(const Conflict& conflict) const {
  const DecidingNow note(name(), conflict.cell);
  AnsweredContent content;
  call([&](lua_State* state) {
    lua_getfield(state, -1, "resolve");
    push_conflict(state, conflict, about_.reads_context);
    lua_call(state, 1, 1);
    read_lua_content(state, -1, conflict.cell.property, content);
  });
  return {content.take()};
}

bool LuaPolicy::may_leave(const Conflict& conflict, size_t version) const {
  if (about_.retention != reconcile::Retention::AsItSays) return false;
  const DecidingNow note(name(), conflict.cell);
  bool may_leave = false;
  try {
    call([&](lua_State* state) {
      lua_getfield(state, -1, "may_leave");
      push_conflict(state, conflict, false);
      lua_pushinteger(state, static_cast<lua_Integer>(version) + 1);
      lua_call(state, 2, 1);
      may_leave = lua_toboolean(state, -1) != 0;
    });
  } catch (const PolicyFailure&) {
    return false;
  }
  return may_leave;
}

reconcile::LocalDecision LuaPolicy::check(const reconcile::LocalChange& change) const {
  if (!about_.checks) return {};
  const DecidingNow note(name(), change.cell);
  reconcile::LocalDecision decision;
  try {
    call([&](lua_State* state) {
      lua_getfield(state, -1, "check");
      push_change(state, change);
      lua_call(state, 1, 1);
      decision = read_local_decision(state, change.cell.property);
    });
  } catch (const PolicyFailure& failure) {
    return {fmt::format("policy '{}' failed at the check: {}", name(), failure.what()), {}};
  }
  return decision;
}

base::Result<std::shared_ptr<const reconcile::Policy>> load_lua_policy(const std::filesystem::path& file) {
  QUADRILLE_ASSIGN(const auto source, read_policy_file(file, source_bytes_max));
  auto policy = LuaPolicy::make(source);
  if (!policy)
    return base::Error{policy.error().kind, fmt::format("{}: {}", file.string(), policy.error().message), {}};
  return std::shared_ptr<const reconcile::Policy>(std::move(policy).value());
}

}  // namespace quadrille::policies
