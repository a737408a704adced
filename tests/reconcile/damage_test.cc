// What is done about stores that are not what was written.
#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using base::ErrorKind;
using test::Cluster;
using test::Triple;

namespace {

const Triple quad{"s", "p", "o"};

bool some_finding_begins(const test::TestSite& site, const std::string& start) {
  const auto findings = site.store->verify();
  return std::any_of(findings.begin(), findings.end(), [&](const std::string& one) { return one.starts_with(start); });
}

// All rows of a table.
std::vector<std::string> keys_of(store::Transaction& transaction, const store::Table& table) {
  std::vector<std::string> keys;
  store::Cursor cursor(transaction.tables(), table);
  for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) keys.emplace_back(cursor.key());
  return keys;
}

}  // namespace

TEST_CASE("verify finds a cell that holds other quads than its history evaluates to") {
  Cluster cluster(2);
  cluster[0].insert(quad);
  CHECK(cluster[0].store->verify().empty());
  cluster[0].damage([](store::Store&, store::Transaction& quads) { quads.erase(ids_of(quads, quad)); });
  CHECK(some_finding_begins(cluster[0], "window: the cell of <http://e/s> <http://e/p> <http://e/o> holds other"));
}

TEST_CASE("verify finds a changeset that the log has lost, and one that is not what its hash names") {
  Cluster cluster(2);
  cluster[0].insert(quad);
  cluster[0].insert(Triple{"s", "p", "2"});
  cluster[1].pull(cluster[0]);
  cluster[0].damage([](store::Store&, store::Transaction& quads) {
    const store::Table operations = quads.tables().open_table("log.operations");
    const auto keys = keys_of(quads, operations);
    REQUIRE(keys.size() == 2);
    const std::string first(*quads.tables().get(operations, keys[0]));
    quads.tables().put(operations, keys[1], first);
  });
  CHECK(some_finding_begins(cluster[0], "log: changeset ams.0000000000000001:2 does not follow"));
  cluster[1].damage([](store::Store&, store::Transaction& quads) {
    const store::Table headers = quads.tables().open_table("log.headers");
    quads.tables().erase(headers, keys_of(quads, headers).front());
  });
  CHECK(some_finding_begins(cluster[1], "log: changeset ams.0000000000000001:1 is missing"));
}

TEST_CASE("a site that meets damage stops writing, says why, and goes on answering") {
  Cluster cluster(2);
  cluster[0].insert(quad);
  cluster[1].erase(quad);
  cluster[0].damage([](store::Store&, store::Transaction& quads) {
    const store::Table headers = quads.tables().open_table("log.headers");
    for (const std::string& key : keys_of(quads, headers)) quads.tables().put(headers, key, "nonsense");
  });
  {
    auto group = cluster[0].store->begin().value();
    const auto applied = group->apply(std::vector<log::ShippedChangeset>{cluster[1].last_changeset()});
    REQUIRE_FALSE(applied.ok());
    CHECK(applied.error().kind == ErrorKind::Corruption);
    CHECK(group->commit().error().kind == ErrorKind::Corruption);
  }
  const auto stopped = cluster[0].store->begin();
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().message.starts_with("writing has stopped: /"));
  CHECK(stopped.error().message.find(
            "data.mdb, table log.headers: the row 00000000000000000000000000000001 is damaged") != std::string::npos);
  CHECK(cluster[0].has(quad));
}

TEST_CASE("rows of the log that are too short are told, by whatever door they are met") {
  for (const char* table : {"log.headers", "log.positions"}) {
    INFO(table);
    Cluster cluster(2);
    cluster[0].insert(quad);
    cluster[0].damage([&](store::Store&, store::Transaction& quads) {
      const store::Table damaged = quads.tables().open_table(table);
      for (const std::string& key : keys_of(quads, damaged)) quads.tables().put(damaged, key, "short");
    });
    const auto snapshot = cluster[0].store->snapshot();
    const auto read = [&] {
      static_cast<void>(snapshot->first_missing({}));
      const auto header = snapshot->header_at(1);
      if (!header.ok()) throw base::StorageError(header.error());
    };
    CHECK_THROWS_WITH(read(), Catch::Contains(std::string(table) + ": the row 00"));
    CHECK(some_finding_begins(cluster[0], "/"));
  }
}

TEST_CASE("a changeset that is refused moves no clock") {
  Cluster cluster(2, {test::single_value("v", "sum")});
  Cluster other(2);  // of another assignment
  other[0].clock.now += 3'600'000;
  other[0].insert(Triple{"s", "v", "1"});
  auto group = cluster[1].store->begin().value();
  REQUIRE_FALSE(group->apply(std::vector<log::ShippedChangeset>{other[0].last_changeset()}).ok());
  CHECK(group->commit().ok());
  group.reset();
  CHECK(cluster[1].heartbeat().stamp.physical_ms < other[0].clock.now - 3'000'000);
}
