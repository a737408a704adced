#include <catch2/catch.hpp>

#include <algorithm>

#include "policies/built_in.h"
#include "reconcile/assignment.h"

using namespace quadrille;
using log::CellKind;
using reconcile::Assignment;
using reconcile::AssignmentRule;

namespace {

const reconcile::PolicyRegistry registry = quadrille::policies::built_in();

AssignmentRule rule(const std::string& graph, const std::string& property, const std::string& policy,
                    CellKind cells = CellKind::Value) {
  return {{graph}, {property}, cells, "", policy};
}

std::string policy_for(const Assignment& assignment, const std::string& graph, const std::string& property) {
  return std::string(find_rule(assignment, registry, graph, property).decided_by.policy->name());
}

std::string trouble(std::vector<AssignmentRule> rules, const std::string& quads = "add-wins") {
  const auto result = Assignment{std::move(rules), quads}.check(registry);
  return result.ok() ? "" : result.error().message;
}

}  // namespace

TEST_CASE("the most specific rule counts: exact, then the longer prefix, the property before the graph") {
  const Assignment assignment{
      {rule("*", "http://e/*", "sum"), rule("*", "http://e/price*", "last-writer-wins"),
       rule("http://g/1", "*", "delete-wins", CellKind::Quad), rule("*", "http://e/price", "sum"),
       rule("http://g/1", "http://e/price", "last-writer-wins")},
      "add-wins"};
  CHECK(assignment.check(registry).ok());
  CHECK(policy_for(assignment, "", "http://x/p") == "add-wins");
  CHECK(policy_for(assignment, "http://g/1", "http://x/p") == "delete-wins");
  CHECK(policy_for(assignment, "", "http://e/p") == "sum");
  CHECK(policy_for(assignment, "http://g/1", "http://e/p") == "sum");
  CHECK(policy_for(assignment, "", "http://e/prices") == "last-writer-wins");
  CHECK(policy_for(assignment, "", "http://e/price") == "sum");
  CHECK(policy_for(assignment, "http://g/1", "http://e/price") == "last-writer-wins");
}

TEST_CASE("an empty graph is the default graph alone, and a star takes it in") {
  const Assignment assignment{{rule("", "http://e/a", "sum"), rule("*", "http://e/b", "sum")}, "add-wins"};
  CHECK(policy_for(assignment, "", "http://e/a") == "sum");
  CHECK(policy_for(assignment, "http://g/1", "http://e/a") == "add-wins");
  CHECK(policy_for(assignment, "", "http://e/b") == "sum");
  CHECK(find_rule(assignment, registry, "", "http://e/a").kind == CellKind::Value);
  CHECK(find_rule(assignment, registry, "http://g/1", "http://e/a").kind == CellKind::Quad);
}

TEST_CASE("an assignment that cannot be is refused with the reason") {
  CHECK(trouble({}) == "");
  CHECK(trouble({}, "coin-toss") ==
        "the default policy: there is no policy 'coin-toss'; there are add-wins, delete-wins, first-writer-wins, "
        "keep-all, last-writer-wins, max, min, site-priority, sum, union");
  CHECK(trouble({}, "sum") == "the default policy: 'sum' does not decide quads");
  CHECK(trouble({rule("*", "http://e/a", "add-wins")}) ==
        "the rule for property 'http://e/a' in graph '*': 'add-wins' does not decide single values");
  CHECK(trouble({rule("*", "http://e/*/b", "sum")}).find("only at the end") != std::string::npos);
  CHECK(trouble({rule("*", "", "sum")}).find("expected a property") != std::string::npos);
  CHECK(trouble({rule("*", "http://e/a", "sum"), rule("*", "http://e/a", "last-writer-wins")}).find("twice") !=
        std::string::npos);
  AssignmentRule record = rule("*", "http://e/a", "last-writer-wins", CellKind::Record);
  record.group = "http://e/address";
  CHECK(Assignment{{record}, "add-wins"}.check(registry).ok());
  AssignmentRule other = record;
  other.property.text = "http://e/b";
  other.policy = "delete-wins";
  CHECK_FALSE(Assignment{{other}, "add-wins"}.check(registry).ok());  // decides no records
  record.group = "";
  CHECK_FALSE(Assignment{{record}, "add-wins"}.check(registry).ok());
}

TEST_CASE("the digest is that of the rules, whatever order they stand in") {
  Assignment assignment{{rule("*", "http://e/a", "sum"), rule("*", "http://e/b", "last-writer-wins")}, "add-wins"};
  Assignment turned = assignment;
  std::reverse(turned.rules.begin(), turned.rules.end());
  CHECK(assignment.digest(registry) == turned.digest(registry));
  turned.rules[0].policy = "sum";
  CHECK(assignment.digest(registry) != turned.digest(registry));
  turned = assignment;
  turned.default_policy = "delete-wins";
  CHECK(assignment.digest(registry) != turned.digest(registry));
}

TEST_CASE("an assignment survives being written and read, and is refused where it is cut off") {
  const Assignment assignment{{rule("", "http://e/a", "sum"), rule("http://g/*", "*", "delete-wins", CellKind::Quad)},
                              "last-writer-wins"};
  const std::string bytes = encode(assignment);
  const Assignment back = reconcile::decode_assignment(bytes).value();
  CHECK(encode(back) == bytes);
  CHECK(back.rules.size() == 2);
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(reconcile::decode_assignment(std::string_view(bytes).substr(0, size)).ok());
  }
}
