#include "policies/watched_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "engine/base/result.h"
#include "policies/built_in.h"
#include "policies/forwarding_policy.h"

namespace quadrille::policies {
namespace {

using reconcile::CellName;
using reconcile::Policy;

bool is_of_cell(const CellName& cell, const reconcile::CellStatement& statement) {
  if (cell.kind == log::CellKind::Record) return true;
  return statement.property == cell.property && (cell.kind == log::CellKind::Value || statement.object == cell.object);
}

class WatchedPolicy final : public ForwardingPolicy {
 public:
  WatchedPolicy(std::shared_ptr<const Policy> policy, PolicyWatch watching)
      : ForwardingPolicy(*policy), policy_(std::move(policy)), watching_(std::move(watching)) {
    watching_.book.add(name());
  }

  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const Watch watch(*this, &conflict.cell);
    try {
      reconcile::Decision decision = policy_->resolve(conflict);
      const bool is_all_of_cell = std::all_of(decision.content.begin(), decision.content.end(),
                                              [&](const auto& one) { return is_of_cell(conflict.cell, one); });
      if (!is_all_of_cell) watching_.book.on_failure(name(), "it answered a statement that is not of the cell");
      return decision;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const base::StorageError&) {
      throw;
    } catch (const std::exception& failure) {
      watching_.book.on_failure(name(), failure.what());
      throw;
    }
  }
  std::optional<size_t> choose(const reconcile::Outline& outline) const override {
    const Watch watch(*this, nullptr);
    return policy_->choose(outline);
  }
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override {
    const Watch watch(*this, &conflict.cell);
    return policy_->may_leave(conflict, version);
  }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override {
    const Watch watch(*this, &change.cell);
    return policy_->check(change);
  }

 private:
  // From here to the end of the call, also by an exception.
  class Watch {
   public:
    Watch(const WatchedPolicy& owner, const CellName* cell)
        : owner_(owner), cell_(cell), start_us_(owner.watching_.clock.now_us()) {}
    ~Watch() { owner_.tell((owner_.watching_.clock.now_us() - start_us_) / 1000, cell_); }
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
      watching_.book.on_overrun(name(), took_ms);
      const std::string where =
          cell ? fmt::format("the cell {} {}", to_ntriples(cell->subject), to_ntriples(cell->property)) : "a cell";
      watching_.on_overrun(fmt::format("policy '{}' took {} ms over {}", name(), took_ms, where));
    } catch (const std::exception&) {
      // Of no use to the answer, so no reason to end the call otherwise.
    }
  }

  std::shared_ptr<const Policy> policy_;
  PolicyWatch watching_;
};

}  // namespace

std::shared_ptr<const Policy> watch(std::shared_ptr<const Policy> policy, PolicyWatch watching) {
  return std::make_shared<WatchedPolicy>(std::move(policy), std::move(watching));
}

reconcile::PolicyRegistry watch_loaded(const reconcile::PolicyRegistry& policies, const PolicyWatch& watching) {
  const reconcile::PolicyRegistry trusted = built_in();
  reconcile::PolicyRegistry watched;
  for (const std::string& name : policies.names()) {
    auto policy = policies.find(name);
    if (!trusted.find(name)) policy = watch(std::move(policy), watching);
    const bool is_new = watched.add(std::move(policy)).ok();
    QUADRILLE_CHECK(is_new, "two policies of one name in one registry");
  }
  return watched;
}

}  // namespace quadrille::policies
