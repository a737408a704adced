// furthest-step(open, triaged, closed): a status that goes forward only. Of what sites left against each other, the
// step that stands last in the argument wins; the argument is in the assignment, so it is the same everywhere.
#include <algorithm>
#include <quadrille/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace quadrille::plugin;

namespace {

std::vector<std::string_view> steps_of(std::string_view argument) {
  std::vector<std::string_view> steps;
  while (!argument.empty()) {
    const size_t comma = std::min(argument.find(','), argument.size());
    std::string_view step = argument.substr(0, comma);
    argument.remove_prefix(std::min(comma + 1, argument.size()));
    while (step.starts_with(' ')) step.remove_prefix(1);
    while (step.ends_with(' ')) step.remove_suffix(1);
    steps.push_back(step);
  }
  return steps;
}

// 0: no step of the list.
size_t place_of(const Term& term, const std::vector<std::string_view>& steps) {
  const auto step = std::find(steps.begin(), steps.end(), term.text);
  return step == steps.end() ? 0 : static_cast<size_t>(step - steps.begin()) + 1;
}

}  // namespace

class FurthestStep : public Policy {
 public:
  FurthestStep()
      : Policy({.name = "furthest-step", .version = 1, .decides = values, .retention = Retention::MaximalVersions}) {}

  std::optional<std::string> check_argument(std::string_view argument) const override {
    const auto steps = steps_of(argument);
    const bool has_empty = std::find(steps.begin(), steps.end(), std::string_view()) != steps.end();
    if (steps.size() >= 2 && !has_empty) return std::nullopt;
    return "expected at least two steps, first to last, with commas between them";
  }

  Content resolve(const Conflict& conflict) const override {
    const auto steps = steps_of(conflict.argument);
    const Statement* furthest = nullptr;
    for (const Version& version : conflict.versions) {
      if (!version.is_maximal) continue;  // as `retention` promises
      for (const Statement& statement : version.left) {
        if (!furthest || is_before(*furthest, statement, steps)) furthest = &statement;
      }
    }
    return furthest ? Content{*furthest} : Content{};
  }

  // What a client of this site sends is refused where it is no step. What other sites sent stays as it is.
  LocalDecision check(const LocalChange& change) const override {
    const auto steps = steps_of(change.argument);
    for (const Statement& statement : change.left) {
      if (place_of(statement.object, steps) == 0) {
        return {"'" + statement.object.text + "' is none of the steps " + change.argument, std::nullopt};
      }
    }
    return {};
  }

 private:
  // Every two different terms must be told apart, or the answer would depend on which was looked at first.
  static bool is_before(const Statement& one, const Statement& other, const std::vector<std::string_view>& steps) {
    const size_t place = place_of(one.object, steps);
    const size_t other_place = place_of(other.object, steps);
    return place != other_place ? place < other_place : one.object < other.object;
  }
};

QUADRILLE_POLICY(FurthestStep)
