// Whoever watches a check is told where it is: so that it is known what a policy did when the process has crashed, or
// when a call does not come to an end.
#pragma once

#include <cstdint>

#include "policies/forwarding_policy.h"

namespace quadrille::policies::check {

// Callable from several threads; of each of them it keeps apart what it is told.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void on_case(uint64_t number) = 0;  // is played from now on
  virtual void on_call() = 0;                 // the policy is called
  virtual void on_return() = 0;               // has answered, or thrown
};

// Tells of each call. Both must outlive it.
class AnnouncedPolicy final : public ForwardingPolicy {
 public:
  AnnouncedPolicy(const reconcile::Policy& policy, Watcher& watcher) : ForwardingPolicy(policy), watcher_(watcher) {}

  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const Call call(watcher_);
    return ForwardingPolicy::resolve(conflict);
  }
  std::optional<size_t> choose(const reconcile::Outline& outline) const override {
    const Call call(watcher_);
    return ForwardingPolicy::choose(outline);
  }
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override {
    const Call call(watcher_);
    return ForwardingPolicy::may_leave(conflict, version);
  }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override {
    const Call call(watcher_);
    return ForwardingPolicy::check(change);
  }

 private:
  class Call {
   public:
    explicit Call(Watcher& watcher) : watcher_(watcher) { watcher_.on_call(); }
    ~Call() { watcher_.on_return(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Watcher& watcher_;
  };

  Watcher& watcher_;
};

}  // namespace quadrille::policies::check
