// Wrong: declares that it looks at maximal versions only, and takes the earliest of all.
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class LooksAtTheRest : public Policy {
 public:
  LooksAtTheRest()
      : Policy(
            {.name = "looks-at-the-rest", .version = 1, .decides = values, .retention = Retention::MaximalVersions}) {}

  Content resolve(const Conflict& conflict) const override { return conflict.versions.front().left; }
};
QUADRILLE_POLICY(LooksAtTheRest)
