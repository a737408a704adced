// Policy assignments that change while sites write. DESIGN section 4, "Policy assignment".
#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>

#include "log/changeset_codec.h"
#include "reconcile/assignment_history.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using reconcile::Assignment;
using reconcile::AssignmentRule;
using test::Cluster;
using test::TestSite;
using test::Triple;

namespace {

Cluster sites(size_t count) { return Cluster(count, {}, "add-wins", test::all_policies); }

Assignment with(std::vector<AssignmentRule> rules, std::string quads = "add-wins") {
  return {std::move(rules), std::move(quads)};
}

AssignmentRule quads(const std::string& property, const std::string& policy) {
  return {{"*"}, {"http://e/" + property}, log::CellKind::Quad, "", policy};
}

AssignmentRule record(const std::string& property, const std::string& policy) {
  return {{"*"}, {"http://e/" + property}, log::CellKind::Record, "http://e/group", policy};
}

std::string in_force(const TestSite& site) { return summary(site.store->snapshot()->assignment().assignment); }

uint64_t window_rows(const TestSite& site) { return site.store->snapshot()->window_cell_count(); }

}  // namespace

TEST_CASE("an assignment that one site makes comes into force at all") {
  Cluster cluster = sites(3);
  cluster[0].assign(with({test::single_value("v", "sum")}));
  CHECK(in_force(cluster[0]) != in_force(cluster[1]));
  cluster.exchange();
  CHECK(in_force(cluster[0]) == in_force(cluster[1]));
  CHECK(in_force(cluster[0]) == in_force(cluster[2]));
  CHECK(cluster[0].store->assignment_digest() == cluster[2].store->assignment_digest());
  cluster[2].reopen();
  CHECK(in_force(cluster[0]) == in_force(cluster[2]));
}

TEST_CASE("of two assignments made at once the higher number is in force everywhere, and the conflict is recorded") {
  Cluster cluster = sites(2);
  cluster[0].assign(with({test::single_value("v", "sum")}));
  cluster[1].clock.now += 5;
  cluster[1].assign(with({test::single_value("w", "sum")}));
  cluster.exchange();
  for (auto& site : cluster.sites) {
    CHECK(in_force(*site) == "add-wins; single values http://e/w: sum");
    REQUIRE(site->conflicts().size() == 1);
    CHECK(site->conflicts().front().candidates.size() == 2);
    CHECK(site->conflicts().front().cell.subject == model::Term::iri("urn:quadrille:assignment"));
  }
  CHECK(cluster[0].conflicts() == cluster[1].conflicts());
}

TEST_CASE("a property that becomes single-valued while both sites write it ends with one value at both") {
  Cluster cluster = sites(2);
  cluster[0].insert({{"s", "v", "1"}, {"s", "v", "2"}});
  cluster.exchange();
  cluster[0].assign(with({test::single_value("v", "last-writer-wins")}));
  cluster[0].insert(Triple{"s", "v", "5"});  // replaces both: it has one value now
  cluster[1].insert(Triple{"s", "v", "6"});  // knows nothing of it
  cluster[1].erase(Triple{"s", "v", "1"});
  cluster.exchange();
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"5"});
  CHECK(cluster[0].text() == cluster[1].text());
  cluster.quiet();
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == std::vector<std::string>{"5"});
    CHECK(window_rows(*site) == 0);
    CHECK(site->store->verify().empty());
  }
}

TEST_CASE("several values from before stay until one is written") {
  Cluster cluster = sites(2);
  cluster[0].insert(Triple{"s", "v", "1"});
  cluster[1].insert(Triple{"s", "v", "2"});
  cluster[0].assign(with({test::single_value("v", "last-writer-wins")}));
  cluster.exchange();
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"1", "2"});
  CHECK(cluster[0].text() == cluster[1].text());
  cluster[1].insert(Triple{"s", "v", "3"});
  cluster.exchange();
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"3"});
}

TEST_CASE("a peer that was away during the change brings what it wrote under the older cells") {
  Cluster cluster = sites(3);
  cluster[0].insert(Triple{"s", "v", "1"});
  cluster.exchange();
  cluster[2].insert(Triple{"s", "v", "7"});
  cluster[2].erase(Triple{"s", "v", "1"});
  cluster[0].assign(with({test::single_value("v", "sum")}));
  cluster[1].pull(cluster[0]);
  cluster[0].update([](model::QuadTarget& target) -> base::Result<void> {
    target.erase(test::ids_of(target, {"s", "v", "1"}));
    target.insert(test::ids_of(target, {"s", "v", "4"}));
    return {};
  });
  cluster[1].update([](model::QuadTarget& target) -> base::Result<void> {
    target.erase(test::ids_of(target, {"s", "v", "1"}));
    target.insert(test::ids_of(target, {"s", "v", "11"}));
    return {};
  });
  cluster.exchange();
  for (auto& site : cluster.sites) CHECK(site->values("s", "v") == std::vector<std::string>{"14"});
  cluster.quiet();
  CHECK(cluster[2].conflicts() == cluster[0].conflicts());
}

TEST_CASE("where only the policy changes, a component is decided under the newest number among its versions") {
  Cluster cluster(2, {quads("p", "delete-wins")});
  cluster[0].insert(Triple{"s", "p", "o"});
  cluster.exchange();
  cluster[0].erase(Triple{"s", "p", "o"});
  cluster[1].assign(with({quads("p", "add-wins")}));
  cluster[1].insert(Triple{"s", "p", "o"});
  cluster.exchange();
  for (auto& site : cluster.sites) {
    CHECK(site->has({"s", "p", "o"}));
    REQUIRE(site->conflicts().size() == 1);
    CHECK(site->conflicts().front().policy == "add-wins");
  }
}

TEST_CASE("a site that lacks a policy that an assignment names takes nothing past it, and says which") {
  Cluster cluster(2);
  Cluster with_more(2, {}, "add-wins", test::all_policies);
  with_more[0].insert(Triple{"s", "p", "1"});
  cluster[1].apply({with_more[0].last_changeset()});
  with_more[0].assign(with({test::single_value("v", "history-hash")}));
  {
    const auto group = cluster[1].store->begin().value();
    const std::vector<log::ShippedChangeset> changesets = {with_more[0].last_changeset()};
    const auto refused = group->apply(changesets);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == base::ErrorKind::Unavailable);  // not the sender's fault
    CHECK_THAT(refused.error().message, Catch::Contains("there is no policy 'history-hash'"));
  }
  CHECK(cluster[1].store->snapshot()->version_vector().at(with_more[0].id()) == 1);
  CHECK(in_force(cluster[1]) == "add-wins");
  cluster[1].insert(Triple{"s", "p", "2"});  // and goes on by itself
}

TEST_CASE("a changeset that names another assignment than the highest that it knew is refused") {
  Cluster cluster = sites(3);
  cluster[0].insert(Triple{"s", "v", "1"});
  const log::VersionVector before = cluster[0].store->snapshot()->version_vector();
  cluster[0].assign(with({test::single_value("v", "last-writer-wins")}));
  cluster.exchange();
  const auto snapshot = cluster[0].store->snapshot();
  const auto id = [&](const char* word) { return *snapshot->find_term(test::term_of(word)); };
  const std::vector<log::QuadOperation> quads = {{{id("s"), id("v"), id("1"), model::TermId::default_graph()}, false}};
  const log::EncodedChunk chunk = encode_chunk({quads, {}, {}}, log::SourceTermText(*snapshot));
  const auto forged = [&](const log::VersionVector& seen, const log::AssignmentNumber& number) {
    log::ChangesetHeader header;
    header.id = {cluster[2].id(), 1};
    header.stamp = {2'000'000, 0};
    header.dependencies = seen;
    header.assignment = number;
    header.operation_count = 1;
    header.chunk_count = 1;
    log::ChangesetHasher hasher;
    hasher.add_chunk(chunk.bytes);
    header.hash = hasher.finish({}, header);
    return log::ShippedChangeset{header, {chunk.bytes}};
  };
  const auto after = snapshot->version_vector();
  const auto newest = snapshot->assignment().number;
  CHECK_THROWS_WITH(cluster[1].apply({forged(after, {})}), Catch::Contains("another policy assignment"));
  CHECK_THROWS_WITH(cluster[1].apply({forged(before, newest)}), Catch::Contains("another policy assignment"));
  CHECK_NOTHROW(cluster[1].apply({forged(before, {})}));
}

TEST_CASE("a changeset that brings two assignments is refused: they would have one number") {
  Cluster cluster = sites(2);
  cluster[0].insert(Triple{"s", "v", "1"});
  cluster.exchange();
  const auto snapshot = cluster[0].store->snapshot();
  const std::vector<log::Announcement> both = {
      {log::AnnouncementKind::Assignment, encode(with({test::single_value("v", "sum")}))},
      {log::AnnouncementKind::Assignment, encode(with({test::single_value("w", "sum")}))}};
  const auto chunk_of = [&](std::span<const log::Announcement> announcements) {
    return encode_whole_chunk({{}, {}, announcements}, log::SourceTermText(*snapshot));
  };
  const auto forged = [&](const std::vector<std::string>& chunks) {
    log::ShippedChangeset changeset{{}, chunks};
    log::ChangesetHeader& header = changeset.header;
    header.id = {cluster[0].id(), 2};
    header.stamp = {2'000'000, 0};
    header.dependencies = snapshot->version_vector();
    header.operation_count = 2;
    header.chunk_count = static_cast<uint32_t>(chunks.size());
    log::ChangesetHasher hasher;
    for (const std::string& chunk : chunks) hasher.add_chunk(chunk);
    header.hash = hasher.finish(cluster[0].last_changeset().header.hash, header);
    return changeset;
  };
  for (const auto& chunks : {std::vector<std::string>{chunk_of(both)},
                             {chunk_of(std::span(both).first(1)), chunk_of(std::span(both).last(1))}}) {
    const auto refused = cluster[1].store->begin().value()->apply(std::vector{forged(chunks)});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == base::ErrorKind::InvalidInput);
    CHECK_THAT(refused.error().message, Catch::Contains("policy assignment") || Catch::Contains("malformed"));
    const auto staged = cluster[1].store->stage(forged(chunks));
    CHECK_THROWS_WITH(
        [&] {
          while (!cluster[1].take_step(*staged)) {
          }
        }(),
        Catch::Contains("policy assignment") || Catch::Contains("malformed"));
  }
  CHECK(in_force(cluster[1]) == "add-wins");
}

TEST_CASE("no assignment is made while too many still count, for a member has not confirmed them") {
  Cluster cluster = sites(3);
  const auto try_assign = [&](size_t number) {
    auto group = cluster[0].store->begin().value();
    const auto receipt = group->assign(with({test::single_value("v" + std::to_string(number), "sum")}));
    if (!receipt.ok()) return receipt.error().message;
    REQUIRE(group->commit().ok());
    cluster[0].stability->on_changeset(receipt->header);
    return std::string();
  };
  size_t made = 0;
  while (made < 1'000 && try_assign(made).empty()) {
    ++made;
    cluster[1].pull(cluster[0]);
  }
  CHECK(made + 1 == reconcile::assignments_max);
  CHECK_THAT(try_assign(made), Catch::StartsWith("128 policy assignments still count"));
  cluster.quiet();
  cluster.quiet();
  CHECK(try_assign(made).empty());
}

TEST_CASE("an assignment that is taken in step by step comes into force too") {
  Cluster cluster = sites(2);
  cluster[1].set_large_changeset_min(1);
  cluster[0].assign(with({test::single_value("v", "sum")}));
  const auto staged = cluster[1].store->stage(cluster[0].last_changeset());
  while (!cluster[1].take_step(*staged)) {
  }
  CHECK(in_force(cluster[1]) == in_force(cluster[0]));
  cluster[0].insert(Triple{"s", "v", "1"});
  cluster[1].pull(cluster[0]);
  CHECK(cluster[1].values("s", "v") == std::vector<std::string>{"1"});
}

TEST_CASE("a group that gets another property while its records are written is decided alike, early folded or not") {
  for (const bool folds_early : {false, true}) {
    INFO(folds_early);
    Cluster cluster(3, {record("v", "history-hash")}, "add-wins", test::all_policies);
    cluster[0].insert({{"s", "v", "1"}, {"s", "w", "8"}});
    cluster.quiet();
    cluster[0].insert(Triple{"s", "v", "2"});
    if (folds_early) cluster.quiet();
    cluster[0].assign(with({record("v", "history-hash"), record("w", "history-hash")}));
    for (const size_t other : {1, 2}) cluster[other].pull(cluster[0]);
    cluster[0].insert({{"s", "v", "3"}, {"s", "w", "3"}});
    cluster[1].insert({{"s", "v", "4"}, {"s", "w", "4"}});
    cluster[2].insert({{"s", "v", "5"}, {"s", "w", "5"}});
    cluster.exchange();
    const std::string before = cluster[0].text();
    for (auto& site : cluster.sites) CHECK(site->text() == before);
    for (int round = 0; round < 2; ++round) cluster.quiet();
    for (auto& site : cluster.sites) {
      CHECK(site->text() == before);
      CHECK(site->conflicts() == cluster[0].conflicts());
    }
  }
}

TEST_CASE("an assignment that fails with its group was never there") {
  Cluster cluster = sites(2);
  {
    auto group = cluster[0].store->begin().value();
    REQUIRE(group->assign(with({test::single_value("v", "sum")})).ok());
  }
  CHECK(in_force(cluster[0]) == "add-wins");
  cluster[0].insert({{"s", "v", "1"}, {"s", "v", "2"}});
  CHECK(cluster[0].values("s", "v").size() == 2);
}

TEST_CASE("an assignment that does not fit is refused, and changes nothing") {
  Cluster cluster = sites(1);
  auto group = cluster[0].store->begin().value();
  const auto refused = group->assign(with({test::single_value("v", "add-wins")}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("'add-wins' does not decide single values") != std::string::npos);
}

namespace {

// Writes, assignments, deliveries, folds and restarts in any order.
class RandomChange {
 public:
  explicit RandomChange(uint32_t seed) : random_(seed), reads_context_(seed % 2 == 0), cluster_(sites(2 + seed % 3)) {
    for (size_t i = 0; i < cluster_.size(); ++i) {
      cluster_[i].set_large_changeset_min(below(3) == 0 ? 2 : 10'000);
      cluster_[i].clock.now += static_cast<int64_t>(below(40)) - 20;
    }
  }

  void run() {
    for (int step = 0; step < 60; ++step) take_step();
    cluster_.exchange();
    // With policies that read other quads that depends on how far each has replayed.
    if (!reads_context_) check_same("after delivery");
    for (int round = 0; round < 3; ++round) cluster_.quiet();
    check_same("after quiet");
    for (auto& site : cluster_.sites) {
      CHECK(window_rows(*site) == 0);
      CHECK(described(*site) == described(cluster_[0]));
      // Nothing waits for what has folded, and of the assignments only the newest still counts.
      CHECK(site->rows_as_they_lie({"log.waiting"}) == 0);
      CHECK(site->rows_as_they_lie({"reconcile.assignments"}) == 1);
      const auto findings = site->store->verify();
      CHECK(findings == std::vector<std::string>());
    }
  }

 private:
  static std::vector<std::string> described(const TestSite& site) {
    std::vector<std::string> lines;
    for (const auto& record : site.conflicts()) {
      std::string line = to_string(record.time) + " " + to_ntriples(record.cell.property) +
                         (record.cell.object ? " " + to_ntriples(*record.cell.object) : std::string()) +
                         (record.is_provisional ? " provisional " : " final ") + record.policy;
      for (const auto& candidate : record.candidates) {
        line += " " + candidate.id.origin.name + ":" + std::to_string(candidate.id.seq);
        for (const auto& left : candidate.left) line += "=" + to_ntriples(left.object);
      }
      line += " ->";
      for (const auto& chosen : record.chosen) line += " " + to_ntriples(chosen.object);
      lines.push_back(line);
    }
    return lines;
  }

  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
  TestSite& any_site() { return cluster_[below(cluster_.size())]; }

  void check_same(const std::string& when) {
    INFO(when);
    for (size_t i = 1; i < cluster_.size(); ++i) REQUIRE(cluster_[i].text() == cluster_[0].text());
  }

  AssignmentRule any_rule(const std::string& property) {
    static const std::vector<std::string> of_quads = {"add-wins", "delete-wins", "last-writer-wins", "history-hash",
                                                      "context-hash"};
    static const std::vector<std::string> of_values = {"last-writer-wins", "sum", "history-hash", "context-hash"};
    const size_t context_free = reads_context_ ? 0 : 1;  // the last one is not
    switch (below(3)) {
      case 0: return quads(property, of_quads[below(of_quads.size() - context_free)]);
      case 1: return test::single_value(property, of_values[below(of_values.size() - context_free)]);
      default: return record(property, reads_context_ ? "context-hash" : "last-writer-wins");
    }
  }

  void take_step() {
    TestSite& site = any_site();
    site.clock.now += static_cast<int64_t>(below(4));
    switch (below(12)) {
      case 0: site.assign(with({any_rule("v"), any_rule("w")})); break;
      case 1:
        site.hear(any_site().heartbeat());
        for (auto& other : cluster_.sites) {
          if (below(2) == 0) other->hear(site.heartbeat());
        }
        break;
      case 2: site.fold(1 + below(4)); break;
      case 3:
        if (below(3) == 0) site.reopen();
        break;
      case 4:
      case 5:
      case 6: site.pull(any_site(), 1 + below(4)); break;
      default: write(site);
    }
  }

  void write(TestSite& site) {
    const size_t count = 1 + below(3);
    const auto wrote = site.try_update([&](model::QuadTarget& target) -> base::Result<void> {
      for (size_t i = 0; i < count; ++i) {
        const Triple triple{"s", below(2) == 0 ? "v" : "w", std::to_string(below(4))};
        if (below(3) == 0) {
          target.erase(test::ids_of(target, triple));
        } else {
          target.insert(test::ids_of(target, triple));
        }
      }
      return {};
    });
    if (!wrote.ok()) CHECK(wrote.error().kind == base::ErrorKind::Refused);  // two values where one may be
  }

  std::mt19937 random_;
  bool reads_context_;
  Cluster cluster_;
};

}  // namespace

TEST_CASE("sites agree whatever is assigned, written, delivered, folded and restarted in whatever order") {
  const char* more = std::getenv("QUADRILLE_SEEDS");
  const auto seeds = static_cast<uint32_t>(more ? std::atoi(more) : 60);
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    INFO("seed " << seed);
    RandomChange(seed).run();
  }
}

namespace {

class FallsBack final : public test::TestPolicy {
 public:
  explicit FallsBack(std::string fallback) : fallback_(std::move(fallback)) {}
  std::string_view name() const override { return "reads-others"; }
  bool reads_context() const override { return true; }
  std::string_view fallback() const override { return fallback_; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    return {conflict.versions.back().left};
  }

 private:
  std::string fallback_;
};

std::string trouble_with_fallback(const std::string& fallback) {
  reconcile::PolicyRegistry registry = policies::built_in();
  REQUIRE(registry.add(std::make_shared<FallsBack>(fallback)).ok());
  const auto checked = with({}, "reads-others").check(registry);
  return checked.ok() ? "" : checked.error().message;
}

}  // namespace

TEST_CASE("a policy that reads other quads needs a fallback that could decide in its place") {
  CHECK(trouble_with_fallback("add-wins") == "");
  CHECK(trouble_with_fallback("site-priority(ams, nyc)") == "");
  CHECK_THAT(trouble_with_fallback("nobody"), Catch::Contains("falls back to 'nobody', which is not there"));
  CHECK_THAT(trouble_with_fallback("sum"), Catch::Contains("falls back to 'sum', which does not decide quads"));
  CHECK_THAT(trouble_with_fallback("reads-others"), Catch::Contains("which reads other quads too"));
  CHECK_THAT(trouble_with_fallback("add-wins(x)"), Catch::Contains("whose argument is none of that policy"));
}
