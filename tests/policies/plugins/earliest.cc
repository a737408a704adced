// Chooses by the outline alone: what the earliest maximal version left. With the argument "nowhere": a version that is
// not there.
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class Earliest : public Policy {
 public:
  Earliest()
      : Policy({.name = "earliest",
                .version = 1,
                .decides = quads | values | records,
                .retention = Retention::MaximalVersions}) {}

  std::optional<std::string> check_argument(std::string_view) const override { return std::nullopt; }
  size_t choose(const Outline& outline) const override {
    if (outline.argument == "nowhere") return outline.versions.size();
    size_t place = 0;
    while (!outline.versions[place].is_maximal) ++place;
    return place;
  }
};
QUADRILLE_POLICY(Earliest)
