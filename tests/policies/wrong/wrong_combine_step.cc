// Wrong: counts the versions, and says that those which others have seen may leave.
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class WrongCombineStep : public Policy {
 public:
  WrongCombineStep()
      : Policy({.name = "wrong-combine-step", .version = 1, .decides = values, .retention = Retention::AsItSays}) {}

  Content resolve(const Conflict& conflict) const override {
    const std::string count = std::to_string(conflict.versions.size());
    return {{conflict.cell.property, Term::literal(count, "http://www.w3.org/2001/XMLSchema#integer")}};
  }
  bool may_leave(const Conflict&, size_t) const override { return true; }
};
QUADRILLE_POLICY(WrongCombineStep)
