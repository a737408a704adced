// A policy in Lua 5.4: a file that returns a table.
//
//   return {
//     name = "nearest", version = 1,
//     decides = {"value"},                   -- "quad", "value", "record"
//     resolve = function(conflict)           -- the statements that the cell holds
//       ...
//     end,
//     -- may also be there:
//     accepts_several_values = false,        -- whether one local update may leave several values in a value cell
//     retention = "all",                     -- "maximal": the answer depends on the base and the maximal versions
//     alone;
//                                            -- "as it says": may_leave tells
//     may_leave = function(conflict, version) return false end,   -- version: its place in conflict.versions
//     reads_context = false,                 -- conflict.match(pattern) is there; needs fallback = "last-writer-wins"
//     check_argument = function(argument) end,    -- returns nothing, or what was expected instead
//     check = function(change) end,          -- returns nothing, {refused = "why"}, or {completed = {statements}}
//   }
//
// A conflict is {cell = {kind, graph, subject, property, object}, base = content, argument = "…", versions = {…},
// has_seen = function(later, earlier)}; a version is {site, incarnation = "hex", seq, stamp = {ms, counter},
// is_maximal, saw = content, left = content}; a change is {cell, saw, left, argument}. Terms, statements and contents:
// policies/lua_terms.h. An answer may have terms in place of statements: objects of the cell's property.
//
// Each call has a Lua of its own, so nothing is remembered (policies/lua_state.h), in a closed environment
// (policies/lua_sandbox.h). Calls may come from several threads.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "policies/lua_description.h"
#include "policies/lua_state.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

class LuaPolicy : public reconcile::Policy {
 public:
  // InvalidInput, in one line: no Lua, no table, a key that is unknown, missing or of the wrong type.
  static base::Result<std::shared_ptr<const LuaPolicy>> make(std::string_view source, const LuaLimits& limits = {});

  std::string_view name() const override { return about_.name; }
  uint32_t version() const override { return about_.version; }
  std::string content_digest() const override { return content_digest_; }
  bool decides(log::CellKind kind) const override { return (about_.decides >> static_cast<uint32_t>(kind) & 1) != 0; }
  base::Result<void> check_argument(std::string_view argument) const override;
  bool accepts_several_values() const override { return about_.accepts_several_values; }

  // Throws PolicyFailure, PolicyOutOfMemory (policies/policy_failure.h), and what the context throws.
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override;

  reconcile::Retention retention() const override { return about_.retention; }
  // A policy that fails here keeps the version.
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override;

  bool reads_context() const override { return about_.reads_context; }
  std::string_view fallback() const override { return about_.fallback; }

  // A policy that fails here refuses the update.
  bool checks_local_changes() const override { return about_.checks; }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override;

 private:
  // Works with the policy's table on top of the stack.
  using Work = std::function<void(lua_State*)>;

  LuaPolicy() = default;
  void call(const Work& work) const;

  LuaLimits limits_;
  std::string code_;  // compiled
  LuaDescription about_;
  std::string content_digest_;
};

base::Result<std::shared_ptr<const reconcile::Policy>> load_lua_policy(const std::filesystem::path& file);

}  // namespace quadrille::policies
