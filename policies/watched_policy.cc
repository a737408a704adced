#include "policies/watched_policy.h"

#include <fmt/format.h>

#include <utility>

#include "policies/built_in.h"

namespace quadrille::policies {
namespace {

using reconcile::CellName;
using reconcile::Policy;

class WatchedPolicy final : public Policy {
 public:
  WatchedPolicy(std::shared_ptr<const Policy> policy, const base::SteadyClock& clock, OnOverrun on_overrun)
      : policy_(std::move(policy)), clock_(clock), on_overrun_(std::move(on_overrun)) {}

  std::string_view name() const override { return policy_->name(); }
  uint32_t version() const override { return policy_->version(); }
  std::string content_digest() const override { return policy_->content_digest(); }
  bool decides(log::CellKind kind) const override { return policy_->decides(kind); }
  base::Result<void> check_argument(std::string_view argument) const override {
    return policy_->check_argument(argument);
  }
  bool accepts_several_values() const override { return policy_->accepts_several_values(); }

  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const Watch watch(*this, &conflict.cell);
    return policy_->resolve(conflict);
  }
  std::optional<size_t> choose(const reconcile::Outline& outline) const override {
    const Watch watch(*this, nullptr);
    return policy_->choose(outline);
  }

  reconcile::Retention retention() const override { return policy_->retention(); }
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override {
    const Watch watch(*this, &conflict.cell);
    return policy_->may_leave(conflict, version);
  }

  bool reads_context() const override { return policy_->reads_context(); }
  std::string_view fallback() const override { return policy_->fallback(); }

  bool checks_local_changes() const override { return policy_->checks_local_changes(); }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override {
    const Watch watch(*this, &change.cell);
    return policy_->check(change);
  }

 private:
  // From here to the end of the call, also by an exception.
  class Watch {
   public:
    Watch(const WatchedPolicy& owner, const CellName* cell)
        : owner_(owner), cell_(cell), start_us_(owner.clock_.now_us()) {}
    ~Watch() { owner_.tell((owner_.clock_.now_us() - start_us_) / 1000, cell_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    const WatchedPolicy& owner_;
    const CellName* cell_;
    int64_t start_us_;
  };

  void tell(int64_t took_ms, const CellName* cell) const noexcept {
    if (took_ms < overrun_ms) return;
    try {
      const std::string where =
          cell ? fmt::format("the cell {} {}", to_ntriples(cell->subject), to_ntriples(cell->property)) : "a cell";
      on_overrun_(fmt::format("policy '{}' took {} ms over {}", name(), took_ms, where));
    } catch (const std::exception&) {
      // Of no use to the answer, so no reason to end the call otherwise.
    }
  }

  std::shared_ptr<const Policy> policy_;
  const base::SteadyClock& clock_;
  OnOverrun on_overrun_;
};

}  // namespace

std::shared_ptr<const Policy> watch(std::shared_ptr<const Policy> policy, const base::SteadyClock& clock,
                                    OnOverrun on_overrun) {
  return std::make_shared<WatchedPolicy>(std::move(policy), clock, std::move(on_overrun));
}

reconcile::PolicyRegistry watch_loaded(const reconcile::PolicyRegistry& policies, const base::SteadyClock& clock,
                                       const OnOverrun& on_overrun) {
  const reconcile::PolicyRegistry trusted = built_in();
  reconcile::PolicyRegistry watched;
  for (const std::string& name : policies.names()) {
    auto policy = policies.find(name);
    if (!trusted.find(name)) policy = watch(std::move(policy), clock, on_overrun);
    const bool is_new = watched.add(std::move(policy)).ok();
    QUADRILLE_CHECK(is_new, "two policies of one name in one registry");
  }
  return watched;
}

}  // namespace quadrille::policies
