// A policy of native code behind the C interface (policies/plugin/quadrille_policy.h).
#pragma once

#include <memory>
#include <string>

#include "policies/plugin/quadrille_policy.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

// What the plugin says of itself, checked, copied, and of the size that we know.
class PluginPolicy : public reconcile::Policy {
 public:
  // InvalidInput, with what was expected, for one that lacks what a policy needs. `library` is kept as long as the
  // policy lives; `offered` is the library's.
  static base::Result<std::shared_ptr<const PluginPolicy>> make(std::shared_ptr<void> library,
                                                                const quadrille_policy_v1& offered,
                                                                std::string content_digest);

  std::string_view name() const override { return name_; }
  uint32_t version() const override { return policy_.version; }
  std::string content_digest() const override { return content_digest_; }
  bool decides(log::CellKind kind) const override;
  base::Result<void> check_argument(std::string_view argument) const override;
  bool accepts_several_values() const override { return policy_.accepts_several_values != 0; }

  // Throws PolicyFailure (policies/policy_failure.h) where the plugin does not decide, PolicyOutOfMemory, and what the
  // context throws.
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override;
  // Nothing too where the plugin fails to choose: resolve() is asked then, and says why.
  std::optional<size_t> choose(const reconcile::Outline& outline) const override;

  reconcile::Retention retention() const override;
  // A plugin that fails here keeps the version.
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override;

  bool reads_context() const override { return policy_.reads_context != 0; }
  std::string_view fallback() const override { return fallback_; }

  // A plugin that fails here refuses the update.
  bool checks_local_changes() const override { return policy_.check != nullptr; }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override;

 private:
  PluginPolicy(std::shared_ptr<void> library, const quadrille_policy_v1& policy, std::string content_digest);

  size_t pick(const reconcile::Outline& outline) const;

  std::shared_ptr<void> library_;
  quadrille_policy_v1 policy_;
  std::string name_;
  std::string fallback_;
  std::string content_digest_;
};

}  // namespace quadrille::policies
