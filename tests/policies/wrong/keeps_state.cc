// Wrong: takes turns, by a count of its calls.
#include <atomic>
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class KeepsState : public Policy {
 public:
  KeepsState() : Policy({.name = "keeps-state", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    return conflict.versions[calls_++ % conflict.versions.size()].left;
  }

 private:
  mutable std::atomic<size_t> calls_ = 0;
};
QUADRILLE_POLICY(KeepsState)
