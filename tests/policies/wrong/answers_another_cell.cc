// Wrong: notes beside the value that there was a conflict, under another property.
#include <quadrille/policy.hpp>

using namespace quadrille::plugin;

class AnswersAnotherCell : public Policy {
 public:
  AnswersAnotherCell() : Policy({.name = "answers-another-cell", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    Content content = conflict.versions.back().left;
    content.push_back({Term::iri("http://example.org/wasInConflict"), Term::literal("yes")});
    return content;
  }
};
QUADRILLE_POLICY(AnswersAnotherCell)
