// Wrong: does not know what to do with strings that have a language.
#include <quadrille/policy.hpp>
#include <stdexcept>

using namespace quadrille::plugin;

class ThrowsForLanguageStrings : public Policy {
 public:
  ThrowsForLanguageStrings() : Policy({.name = "throws-for-language-strings", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    for (const Version& version : conflict.versions) {
      if (!version.is_maximal) continue;
      for (const Statement& statement : version.left) {
        if (!statement.object.language.empty()) throw std::runtime_error("a language is not expected");
      }
    }
    return conflict.versions.back().left;
  }
};
QUADRILLE_POLICY(ThrowsForLanguageStrings)
