// The policies under policies/example, which people start from.
#include <catch2/catch.hpp>

#include "policies/load_policy.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Strings = std::vector<std::string>;

namespace {

std::shared_ptr<const reconcile::Policy> load(const std::string& file) {
  auto policy = load_policy(file);
  if (!policy) FAIL(policy.error().message);
  return *policy;
}

reconcile::Content record(const std::vector<std::pair<std::string, std::string>>& fields) {
  reconcile::Content content;
  for (const auto& [name, value] : fields) {
    content.push_back({model::Term::iri("urn:" + name), model::Term::literal(value)});
  }
  return content;
}

}  // namespace

TEST_CASE("furthest-step goes to the step that stands last in its argument") {
  const auto policy = load(QUADRILLE_PLUGINS "/example_furthest_step.so");
  const std::string steps = "open, triaged, closed";
  CHECK(policy->resolve(concurrent({{"triaged"}, {"open"}}, steps)).content == strings({"triaged"}));
  CHECK(policy->resolve(concurrent({{"open"}, {"closed"}, {"triaged"}}, steps)).content == strings({"closed"}));
  CHECK(policy->resolve(concurrent({{"open"}, {"else"}}, steps)).content == strings({"open"}));
  CHECK(policy->resolve(concurrent({{}, {}}, steps)).content.empty());
  CHECK(policy->check_argument(steps));
  CHECK_FALSE(policy->check_argument("open"));
  CHECK_FALSE(policy->check_argument("open,,closed"));
  CHECK(policy->check({concurrent({}).cell, {}, strings({"else"}), steps}).refused ==
        std::optional<std::string>("'else' is none of the steps open, triaged, closed"));
  CHECK_FALSE(policy->check({concurrent({}).cell, {}, strings({"open"}), steps}).refused);
}

TEST_CASE("alphabetical-site takes what the site with the first name left") {
  const auto policy = load(QUADRILLE_PLUGINS "/example_alphabetical_site.so");
  reconcile::Conflict conflict = concurrent({{"a"}, {"b"}, {"c"}});
  CHECK(policy->resolve(conflict).content == strings({"a"}));
  order(conflict, 0, 2);
  CHECK(policy->resolve(conflict).content == strings({"b"}));
}

TEST_CASE("merge-fields keeps what each site changed, and the latest where several changed one field") {
  const auto policy = load(QUADRILLE_SOURCE_DIR "/policies/example/merge_fields.lua");
  reconcile::Conflict conflict = concurrent({{}, {}});
  conflict.cell.kind = log::CellKind::Record;
  conflict.base = record({{"city", "Ghent"}, {"street", "old"}, {"zip", "1"}});
  conflict.versions[0].left = record({{"city", "Ghent"}, {"street", "new"}, {"zip", "2"}});
  conflict.versions[1].left = record({{"city", "Bruges"}, {"street", "old"}, {"zip", "3"}});
  CHECK(policy->resolve(conflict).content == record({{"city", "Bruges"}, {"street", "new"}, {"zip", "3"}}));
  conflict.versions[1].left = record({{"street", "old"}, {"zip", "1"}});
  CHECK(policy->resolve(conflict).content == record({{"street", "new"}, {"zip", "2"}}));
  conflict.versions[0].left.clear();
  conflict.versions[1].left = record({{"city", "Ghent"}, {"street", "old"}, {"zip", "9"}});
  CHECK(policy->resolve(conflict).content == record({{"zip", "9"}}));
}

TEST_CASE("with-partner goes by the quad of the other property") {
  class Partners final : public reconcile::Context {
   public:
    std::vector<model::TermQuad> match(const reconcile::QuadPattern& pattern) const override {
      CHECK(pattern.property == model::Term::iri("urn:other"));
      CHECK((pattern.subject && pattern.object && pattern.default_graph_only));
      if (!is_there) return {};
      return {{*pattern.subject, *pattern.property, *pattern.object, std::nullopt}};
    }
    bool is_there = false;
  };
  const auto policy = load(QUADRILLE_SOURCE_DIR "/policies/example/with_partner.lua");
  reconcile::Conflict conflict = concurrent({{"a"}, {}}, "urn:other");
  conflict.cell.kind = log::CellKind::Quad;
  conflict.cell.object = conflict.versions[0].left.front().object;
  Partners partners;
  conflict.context = &partners;
  CHECK(policy->resolve(conflict).content.empty());
  partners.is_there = true;
  CHECK(policy->resolve(conflict).content == conflict.versions[0].left);
  CHECK(policy->fallback() == "add-wins");
  CHECK_FALSE(policy->check_argument(""));
}
