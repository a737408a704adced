// Wrong: chooses by chance.
#include <quadrille/policy.hpp>
#include <random>

using namespace quadrille::plugin;

class ThrowsDice : public Policy {
 public:
  ThrowsDice() : Policy({.name = "throws-dice", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    std::random_device dice;
    return conflict.versions[dice() % conflict.versions.size()].left;
  }
};
QUADRILLE_POLICY(ThrowsDice)
