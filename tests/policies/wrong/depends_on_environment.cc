// Wrong: the first or the last version, as a variable of the environment says.
#include <cstdlib>
#include <quadrille/policy.hpp>
#include <string>

using namespace quadrille::plugin;

class DependsOnEnvironment : public Policy {
 public:
  DependsOnEnvironment() : Policy({.name = "depends-on-environment", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    const char* const preferred = std::getenv("CONFLICTS_PREFER_FIRST");
    const bool prefers_first = preferred && std::string(preferred) == "1";
    return prefers_first ? conflict.versions.front().left : conflict.versions.back().left;
  }
};
QUADRILLE_POLICY(DependsOnEnvironment)
