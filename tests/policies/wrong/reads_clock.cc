// Wrong: chooses by the second in which it is asked.
#include <ctime>
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class ReadsClock : public Policy {
 public:
  ReadsClock() : Policy({.name = "reads-clock", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    return conflict.versions[static_cast<size_t>(std::time(nullptr)) % conflict.versions.size()].left;
  }
};
QUADRILLE_POLICY(ReadsClock)
