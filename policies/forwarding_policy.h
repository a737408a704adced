// A policy that answers as another one does: for those that look at its calls.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

// `policy` must outlive it.
class ForwardingPolicy : public reconcile::Policy {
 public:
  explicit ForwardingPolicy(const reconcile::Policy& policy) : policy_(policy) {}

  std::string_view name() const override { return policy_.name(); }
  uint32_t version() const override { return policy_.version(); }
  std::string content_digest() const override { return policy_.content_digest(); }
  bool decides(log::CellKind kind) const override { return policy_.decides(kind); }
  base::Result<void> check_argument(std::string_view argument) const override {
    return policy_.check_argument(argument);
  }
  bool accepts_several_values() const override { return policy_.accepts_several_values(); }

  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override { return policy_.resolve(conflict); }
  std::optional<size_t> choose(const reconcile::Outline& outline) const override { return policy_.choose(outline); }

  reconcile::Retention retention() const override { return policy_.retention(); }
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override {
    return policy_.may_leave(conflict, version);
  }

  bool reads_context() const override { return policy_.reads_context(); }
  std::string_view fallback() const override { return policy_.fallback(); }

  bool checks_local_changes() const override { return policy_.checks_local_changes(); }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override { return policy_.check(change); }

 private:
  const reconcile::Policy& policy_;
};

}  // namespace quadrille::policies
