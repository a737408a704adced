#include <catch2/catch.hpp>

#include "reconcile/conflict_vocabulary.h"
#include "reconcile/stored_conflict.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using model::Term;
using reconcile::ConflictRecord;
using test::Cluster;
using test::Triple;

namespace {

Triple value(const std::string& object) { return {"s", "v", object}; }

Cluster cluster_with(const std::string& policy, size_t sites = 2) {
  return Cluster(sites, {test::single_value("v", policy)}, "add-wins", test::all_policies);
}

// Objects of <urn:quadrille:conflict:ID> q:property in the local graph, as N-Triples.
std::vector<std::string> said(const test::TestSite& site, const std::string& subject, const std::string& property) {
  const auto snapshot = site.store->snapshot();
  const auto graph = snapshot->find_term(reconcile::local_graphs().front());
  const auto subject_id = snapshot->find_term(Term::iri(subject));
  const auto property_id = snapshot->find_term(Term::iri(std::string(reconcile::conflict_vocabulary) + property));
  std::vector<std::string> found;
  if (!graph || !subject_id || !property_id) return found;
  const std::array<model::TermId, 3> prefix = {*graph, *subject_id, *property_id};
  const auto scan = snapshot->scan(model::QuadOrder::Gspo, prefix, model::ColumnSet::all());
  std::array<model::TermId, 4> row;
  model::ScanBatch batch;
  for (size_t i = 0; i < 4; ++i) batch.columns[i] = &row[i];
  batch.capacity = 1;
  while (scan->next(batch) == 1) found.push_back(to_ntriples(snapshot->get_term(row[2])));
  return found;
}

uint64_t quads_in_local_graph(const test::TestSite& site) {
  const auto snapshot = site.store->snapshot();
  const std::array<model::TermId, 1> prefix = {*snapshot->find_term(reconcile::local_graphs().front())};
  return snapshot->estimate_count(model::QuadOrder::Gspo, prefix);
}

}  // namespace

TEST_CASE("a conflict record says when, where, who wrote what, what was chosen and by which policy") {
  Cluster cluster = cluster_with("last-writer-wins");
  cluster[0].insert(value("1"));
  cluster[1].clock.now += 5;
  cluster[1].insert(value("2"));
  cluster.exchange();
  const auto records = cluster[0].conflicts();
  REQUIRE(records.size() == 1);
  const ConflictRecord& record = records.front();
  CHECK(record.is_provisional);
  CHECK(record.time == log::Stamp{1'000'005, 0});
  CHECK(record.cell.kind == log::CellKind::Value);
  CHECK(record.cell.subject == test::term_of("s"));
  CHECK(record.cell.property == test::term_of("v"));
  CHECK_FALSE(record.cell.graph);
  REQUIRE(record.candidates.size() == 2);
  CHECK(record.candidates[0].id == log::ChangesetId{{"ams", 1}, 1});
  CHECK(record.candidates[0].left.front().object == test::term_of("1"));
  CHECK(record.candidates[1].id.origin.name == "nyc");
  CHECK(record.chosen.front().object == test::term_of("2"));
  CHECK(record.policy == "last-writer-wins");
  CHECK(record.failure.empty());
}

TEST_CASE("a record is provisional until its component folds, then final and the same on all sites") {
  Cluster cluster = cluster_with("last-writer-wins", 3);
  cluster[0].insert(value("1"));
  cluster[1].insert(value("2"));
  cluster[0].pull(cluster[1]);
  const std::string id = cluster[0].conflicts().front().id;
  cluster.quiet();
  for (auto& site : cluster.sites) {
    const auto records = site->conflicts();
    REQUIRE(records.size() == 1);
    CHECK(records.front().id == id);
    CHECK_FALSE(records.front().is_provisional);
    CHECK(records == cluster[0].conflicts());
  }
}

TEST_CASE("a component that grows replaces its record") {
  Cluster cluster = cluster_with("last-writer-wins", 3);
  cluster[0].insert(value("1"));
  cluster[1].insert(value("2"));
  cluster[2].insert(value("3"));
  cluster[0].pull(cluster[1]);
  const std::string id = cluster[0].conflicts().front().id;
  cluster[0].pull(cluster[2]);
  const auto records = cluster[0].conflicts();
  REQUIRE(records.size() == 1);
  CHECK(records.front().id != id);
  CHECK(records.front().candidates.size() == 3);
  CHECK(said(cluster[0], "urn:quadrille:conflict:" + id, "policy").empty());
}

TEST_CASE("a write that settles a conflict leaves its record, and only folding makes it final") {
  Cluster cluster = cluster_with("last-writer-wins");
  cluster[0].insert(value("1"));
  cluster[1].insert(value("2"));
  cluster.exchange();
  cluster[0].insert(value("3"));
  cluster.exchange();
  REQUIRE(cluster[1].conflicts().size() == 1);
  CHECK(cluster[1].conflicts().front().is_provisional);
  cluster.quiet();
  REQUIRE(cluster[1].conflicts().size() == 1);
  CHECK_FALSE(cluster[1].conflicts().front().is_provisional);
  CHECK(cluster[1].values("s", "v") == std::vector<std::string>{"3"});
}

TEST_CASE("records can be read as quads of the local graph, which counts in nothing that sites compare") {
  Cluster cluster = cluster_with("sum");
  cluster[0].insert(value("1"));
  cluster[1].insert(value("2"));
  cluster[0].pull(cluster[1]);
  const std::string node = "urn:quadrille:conflict:" + cluster[0].conflicts().front().id;
  const std::string xsd = "^^<http://www.w3.org/2001/XMLSchema#";
  CHECK(said(cluster[0], node, "chosen") == std::vector<std::string>{"\"3\"" + xsd + "integer>"});
  CHECK(said(cluster[0], node, "provisional") == std::vector<std::string>{"\"true\"" + xsd + "boolean>"});
  CHECK(said(cluster[0], node, "candidate").size() == 2);
  CHECK(said(cluster[0], node + ":1", "site") == std::vector<std::string>{"\"ams\""});
  CHECK(said(cluster[0], node + ":2", "left") == std::vector<std::string>{"\"2\"" + xsd + "integer>"});
  CHECK(cluster[0].store->snapshot()->quad_count() == 1);
  const uint64_t quads = quads_in_local_graph(cluster[0]);
  cluster.quiet();
  CHECK(said(cluster[0], node, "provisional") == std::vector<std::string>{"\"false\"" + xsd + "boolean>"});
  CHECK(quads_in_local_graph(cluster[0]) == quads);
  CHECK(cluster[0].store->snapshot()->digest() == cluster[1].store->snapshot()->digest());
}

TEST_CASE("the local graph is read-only for updates") {
  Cluster cluster(1);
  const auto refused = cluster[0].try_update([](model::QuadTarget& target) -> base::Result<void> {
    const model::TermId word = target.intern(test::term_of("x"));
    target.insert({word, word, word, target.intern(reconcile::local_graphs().front())});
    return {};
  });
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == base::ErrorKind::Refused);
  CHECK(quads_in_local_graph(cluster[0]) == 0);
}

TEST_CASE("where a policy throws or answers another cell's statements, the fallback decides and the record says so") {
  for (const auto& [policy, reason] : std::vector<std::pair<std::string, std::string>>{
           {"throwing", "no idea"}, {"answers-another-cell", "it answered a statement that is not of the cell"}}) {
    Cluster values = cluster_with(policy);
    values[0].insert(value("1"));
    values[1].insert(value("2"));
    values.exchange();
    CHECK(values[0].values("s", "v") == std::vector<std::string>{"2"});  // last-writer-wins
    CHECK(values[0].conflicts().front().failure == reason);

    Cluster quads(2, {}, policy, test::all_policies);
    quads[0].insert(Triple{"s", "p", "o"});
    quads[1].erase(Triple{"s", "p", "o"});
    quads.exchange();
    CHECK(quads[1].has({"s", "p", "o"}));  // add-wins
    CHECK(quads[1].conflicts().front().failure == reason);
  }
}

TEST_CASE("a policy that accepts several values may be given several by one request") {
  Cluster cluster = cluster_with("several-values");
  cluster[0].insert({value("1"), value("2")});
  CHECK(cluster[0].values("s", "v").size() == 2);
  cluster[0].insert({value("3")});
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"3"});
  cluster[1].insert({value("4"), value("5")});
  cluster.exchange();
  CHECK(cluster[1].values("s", "v") == std::vector<std::string>{"3", "4", "5"});
  cluster.quiet();
  CHECK(cluster[0].text() == cluster[1].text());
}

TEST_CASE("a record survives being written and read") {
  const log::Cell cell{log::CellKind::Value, model::TermId(1), model::TermId(2), model::TermId(3), {}};
  const log::CellContent one{{cell.property, model::TermId(4)}};
  const reconcile::StoredConflict conflict{
      {7, 1}, cell, {{0, 5, {6, 0}, {}, one}, {3, 9, {7, 1}, one, {}}}, one, "sum", "no idea", "max", false};
  const auto back = reconcile::decode_conflicts(encode(std::vector{conflict, conflict}));
  REQUIRE(back.size() == 2);
  CHECK(back[1].time == conflict.time);
  CHECK(back[1].cell == conflict.cell);
  CHECK(back[1].candidates == conflict.candidates);
  CHECK(back[1].chosen == conflict.chosen);
  CHECK(back[1].policy == conflict.policy);
  CHECK(back[1].failure == conflict.failure);
  CHECK(back[1].is_provisional == conflict.is_provisional);
  CHECK_THROWS_AS(reconcile::decode_conflicts("nonsense"), base::StorageError);
}
