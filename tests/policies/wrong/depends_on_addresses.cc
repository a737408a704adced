// Wrong: takes the first of a set whose order follows from where its members lie in memory.
#include <memory>
#include <quadrille/policy.hpp>
#include <unordered_map>
#include <vector>

using namespace quadrille::plugin;

class DependsOnAddresses : public Policy {
 public:
  DependsOnAddresses() : Policy({.name = "depends-on-addresses", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    std::vector<std::unique_ptr<Version>> candidates;
    std::unordered_map<const Version*, size_t> places;
    for (size_t i = 0; i < conflict.versions.size(); ++i) {
      candidates.push_back(std::make_unique<Version>(conflict.versions[i]));
      places[candidates.back().get()] = i;
    }
    return conflict.versions[places.begin()->second].left;
  }
};
QUADRILLE_POLICY(DependsOnAddresses)
