// Wrong: keeps looking for a version that all others have led to; where four and more compete, for ever.
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class WaitsForAWinner : public Policy {
 public:
  WaitsForAWinner() : Policy({.name = "waits-for-a-winner", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    volatile bool has_winner = conflict.versions.size() < 4;
    while (!has_winner) {
    }
    return conflict.versions.back().left;
  }
};
QUADRILLE_POLICY(WaitsForAWinner)
