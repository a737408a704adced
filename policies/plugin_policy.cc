#include "policies/plugin_policy.h"

#include <fmt/format.h>

#include "engine/model/utf8.h"
#include "policies/deciding_now.h"
#include "policies/plugin_answer.h"
#include "policies/plugin_views.h"
#include "policies/policy_failure.h"
#include "policies/policy_name.h"

namespace quadrille::policies {
namespace {

using reconcile::Conflict;

base::Error invalid(std::string what) { return {base::ErrorKind::InvalidInput, std::move(what), {}}; }

// Of another size: a policy made with a later header is longer, one with fields of ours missing is no version 1.
base::Result<quadrille_policy_v1> copy_policy(const quadrille_policy_v1& offered) {
  if (offered.struct_size < sizeof(quadrille_policy_v1)) {
    return invalid(fmt::format("its description has {} bytes; expected at least {}", offered.struct_size,
                               sizeof(quadrille_policy_v1)));
  }
  return offered;
}

base::Result<void> check_policy(const quadrille_policy_v1& policy) {
  constexpr uint32_t all_kinds = 1u << QUADRILLE_QUAD_CELL | 1u << QUADRILLE_VALUE_CELL | 1u << QUADRILLE_RECORD_CELL;
  if (!policy.name) return invalid("it has no name");
  QUADRILLE_TRY(check_policy_name(policy.name));
  if (policy.decides == 0 || (policy.decides & ~all_kinds) != 0) {
    return invalid("it does not say which kinds of cells it decides; expected quads, values, records or several");
  }
  if (policy.retention > QUADRILLE_RETAIN_AS_IT_SAYS) {
    return invalid(fmt::format("its retention is {}; expected 0, 1 or 2", policy.retention));
  }
  if (!policy.resolve && !policy.choose) return invalid("the function 'resolve' is missing");
  if (policy.retention == QUADRILLE_RETAIN_AS_IT_SAYS && !policy.may_leave) {
    return invalid("the function 'may_leave' is missing, which its retention needs");
  }
  if (policy.reads_context && !policy.fallback) {
    return invalid("it reads its context and names no fallback, which decides until that can be read");
  }
  return {};
}

}  // namespace

PluginPolicy::PluginPolicy(std::shared_ptr<void> library, const quadrille_policy_v1& policy, std::string content_digest)
    : library_(std::move(library)),
      policy_(policy),
      name_(policy.name),
      fallback_(policy.fallback ? policy.fallback : ""),
      content_digest_(std::move(content_digest)) {}

base::Result<std::shared_ptr<const PluginPolicy>> PluginPolicy::make(std::shared_ptr<void> library,
                                                                     const quadrille_policy_v1& offered,
                                                                     std::string content_digest) {
  QUADRILLE_ASSIGN(const quadrille_policy_v1 policy, copy_policy(offered));
  QUADRILLE_TRY(check_policy(policy));
  return std::shared_ptr<const PluginPolicy>(new PluginPolicy(std::move(library), policy, std::move(content_digest)));
}

bool PluginPolicy::decides(log::CellKind kind) const {
  return (policy_.decides >> static_cast<uint32_t>(kind) & 1) != 0;
}

base::Result<void> PluginPolicy::check_argument(std::string_view argument) const {
  if (!policy_.check_argument) return Policy::check_argument(argument);
  PluginAnswer answer(PluginAnswer::Question::Other);
  const int32_t status = policy_.check_argument(as_text(argument), answer.get());
  try {
    answer.finish(status, name_.c_str());
  } catch (const PolicyFailure& failure) {
    return invalid(
        fmt::format("'{}' does not take the argument '{}': {}", name_, model::describe_text(argument), failure.what()));
  }
  return {};
}

reconcile::Decision PluginPolicy::resolve(const Conflict& conflict) const {
  if (!policy_.resolve) {
    std::vector<reconcile::VersionOutline> outlines;
    for (const reconcile::Version& version : conflict.versions) {
      outlines.push_back({&version.id.origin, version.stamp, version.is_maximal, version.left.empty()});
    }
    return {conflict.versions[pick({outlines, conflict.argument})].left};
  }
  const ConflictView view(conflict, reads_context());
  PluginAnswer answer(PluginAnswer::Question::Resolve);
  const DecidingNow note(name_, conflict.cell);
  const int32_t status = policy_.resolve(view.get(), answer.get());
  view.rethrow_fault();
  answer.finish(status, deciding_now());
  return {answer.take_content()};
}

std::optional<size_t> PluginPolicy::choose(const reconcile::Outline& outline) const {
  if (!policy_.choose) return std::nullopt;
  try {
    return pick(outline);
  } catch (const PolicyFailure&) {
    return std::nullopt;
  }
}

size_t PluginPolicy::pick(const reconcile::Outline& outline) const {
  const OutlineView view(outline);
  PluginAnswer answer(PluginAnswer::Question::Other);
  const DecidingNow note(name_);
  size_t place = outline.versions.size();
  const int32_t status = policy_.choose(view.get(), &place, answer.get());
  answer.finish(status, deciding_now());
  if (place < outline.versions.size()) return place;
  throw PolicyFailure(fmt::format("it chose version {} of {}", place, outline.versions.size()));
}

reconcile::Retention PluginPolicy::retention() const { return static_cast<reconcile::Retention>(policy_.retention); }

bool PluginPolicy::may_leave(const Conflict& conflict, size_t version) const {
  if (!policy_.may_leave) return false;
  const ConflictView view(conflict, false);
  PluginAnswer answer(PluginAnswer::Question::Other);
  const DecidingNow note(name_, conflict.cell);
  int32_t may_leave = 0;
  const int32_t status = policy_.may_leave(view.get(), version, &may_leave, answer.get());
  try {
    answer.finish(status, deciding_now());
  } catch (const PolicyFailure&) {
    return false;
  }
  return may_leave != 0;
}

reconcile::LocalDecision PluginPolicy::check(const reconcile::LocalChange& change) const {
  if (!policy_.check) return {};
  const LocalChangeView view(change);
  PluginAnswer answer(PluginAnswer::Question::Check);
  const DecidingNow note(name_, change.cell);
  const int32_t status = policy_.check(view.get(), answer.get());
  try {
    answer.finish(status, deciding_now());
  } catch (const PolicyFailure& failure) {
    return {fmt::format("policy '{}' failed at the check: {}", name_, failure.what()), {}};
  }
  return answer.take_local_decision();
}

}  // namespace quadrille::policies
