// The longest text of what the maximal versions left; between equally long ones the bytewise last. Takes an argument:
// the least length that counts.
#include <algorithm>
#include <quadrille/policy.hpp>
#include <stdexcept>

using namespace quadrille::plugin;

class LongestText : public Policy {
 public:
  LongestText()
      : Policy({.name = "longest-text", .version = 3, .decides = values, .retention = Retention::MaximalVersions}) {}

  std::optional<std::string> check_argument(std::string_view argument) const override {
    const bool is_number = std::all_of(argument.begin(), argument.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && argument.size() < 6) return std::nullopt;
    return "expected the least length, up to 99999";
  }

  Content resolve(const Conflict& conflict) const override {
    const size_t least = conflict.argument.empty() ? 0 : std::stoul(conflict.argument);
    const Statement* best = nullptr;
    for (const Version& version : conflict.versions) {
      if (!version.is_maximal) continue;
      for (const Statement& statement : version.left) {
        if (statement.object.text.size() < least) throw std::runtime_error("a text is too short");
        if (!best || is_better(statement, *best)) best = &statement;
      }
    }
    return best ? Content{*best} : Content{};
  }

 private:
  static bool is_better(const Statement& one, const Statement& other) {
    if (one.object.text.size() != other.object.text.size()) return one.object.text.size() > other.object.text.size();
    return one.object > other.object;
  }
};
QUADRILLE_POLICY(LongestText)
