// Wrong: takes the first value of each version, also where one left nothing.
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class CrashesWithoutValues : public Policy {
 public:
  CrashesWithoutValues() : Policy({.name = "crashes-without-values", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    const Statement* newest = nullptr;
    for (const Version& version : conflict.versions) newest = version.left.data();
    return {{newest->property, newest->object}};
  }
};
QUADRILLE_POLICY(CrashesWithoutValues)
