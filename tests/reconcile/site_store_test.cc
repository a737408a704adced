#include <catch2/catch.hpp>

#include "log/changeset_codec.h"
#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using base::ErrorKind;
using test::Cluster;
using test::TestSite;
using test::Triple;

namespace {

const Triple quad{"s", "p", "o"};

ErrorKind error_of_applying(TestSite& site, const std::vector<log::ShippedChangeset>& batch) {
  auto group = site.store->begin().value();
  const auto report = group->apply(batch);
  REQUIRE_FALSE(report.ok());
  INFO(report.error().message);
  CHECK(group->commit().ok());
  return report.error().kind;
}

// Makes the hash fit again: as a member would that does it on purpose.
void hash_again(log::ShippedChangeset& changeset, const log::ChangesetHash& previous) {
  log::ChangesetHasher hasher;
  for (const std::string& chunk : changeset.chunks) hasher.add_chunk(chunk);
  changeset.header.hash = hasher.finish(previous, changeset.header);
}

reconcile::SiteIdentity identity_of(const std::string& name) { return {{name, 1}, "test", {name}, {}}; }

}  // namespace

TEST_CASE("what one site writes, another takes in, quad for quad") {
  Cluster cluster(2);
  cluster[0].insert({{"s", "p", "o"}, {"s", "p", "2"}, {"s", "p", "x", "g"}});
  cluster[0].erase({"s", "p", "2"});
  const auto report = cluster[1].pull(cluster[0]);
  CHECK(report.applied.size() == 2);
  CHECK(report.operations == 4);
  CHECK(cluster[1].text() == cluster[0].text());
  CHECK(cluster[1].has({"s", "p", "x", "g"}));
  CHECK_FALSE(cluster[1].has({"s", "p", "2"}));
  CHECK(cluster[0].store->snapshot()->digest() == cluster[1].store->snapshot()->digest());
  for (auto& site : cluster.sites) CHECK(site->store->verify().empty());
}

TEST_CASE("a changeset comes out of another site's log as the same bytes") {
  Cluster cluster(2, {test::single_value("v", "sum")});
  cluster[1].insert({{"x", "y", "z"}, {"s", "v", "17"}});  // so that ids differ
  cluster[0].insert({{"s", "p", "o"}, {"s", "v", "2"}, {"s", "p", "\"text", "g"}});
  cluster[1].pull(cluster[0]);
  const log::ShippedChangeset first = cluster[0].last_changeset();
  const log::ShippedChangeset second = cluster[1].last_changeset();
  CHECK(first.header.hash == second.header.hash);
  CHECK(first.chunks == second.chunks);
  const auto snapshot = cluster[1].store->snapshot();
  CHECK(snapshot->chunk_at(snapshot->last_position(), 0).value() == first.chunks.front());
}

TEST_CASE("a changeset of many chunks enters whole, and is folded in steps that a restart does not disturb") {
  Cluster cluster(2);
  cluster[0].set_large_changeset_min(20'000);
  std::vector<Triple> many;
  for (int i = 0; i < 10'000; ++i) many.push_back({"s" + std::to_string(i), "p", "\"" + std::to_string(i % 100)});
  cluster[0].insert(many);
  CHECK(cluster[0].last_changeset().chunks.size() == 3);
  cluster.exchange();
  CHECK(cluster[1].store->snapshot()->quad_count() == 10'000);
  cluster[0].hear(cluster[1].heartbeat());
  for (int step = 1; step <= 5; ++step) {
    const auto report = cluster[0].fold(1'800);
    CHECK(report.cells_folded == 1'800);
    CHECK_FALSE(report.is_done);
    CHECK(cluster[0].store->snapshot()->window_cell_count() == 10'000 - 1'800 * static_cast<uint64_t>(step));
    CHECK(cluster[0].store->snapshot()->folded_vector().empty());
    cluster[0].reopen();
  }
  CHECK(cluster[0].fold(1'800).is_done);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
  CHECK(cluster[0].store->snapshot()->folded_vector().at(cluster[0].id()) == 1);
  CHECK(cluster[0].text() == cluster[1].text());
}

TEST_CASE("a changeset that leaves a gap, or depends on what is not here, is refused") {
  Cluster cluster(3);
  cluster[0].insert(quad);
  const log::ShippedChangeset first = cluster[0].last_changeset();
  cluster[1].pull(cluster[0]);
  cluster[1].insert(Triple{"s", "p", "2"});
  const log::ShippedChangeset dependent = cluster[1].last_changeset();
  cluster[0].insert(Triple{"s", "p", "3"});
  const log::ShippedChangeset second = cluster[0].last_changeset();
  CHECK(error_of_applying(cluster[2], {second}) == ErrorKind::InvalidInput);
  CHECK(error_of_applying(cluster[2], {dependent}) == ErrorKind::InvalidInput);
  CHECK(error_of_applying(cluster[2], {dependent, first}) == ErrorKind::InvalidInput);
  CHECK(cluster[2].text().empty());
  CHECK(cluster[2].store->snapshot()->version_vector().empty());
  CHECK(cluster[2].apply({first, dependent, second, first}).applied.size() == 3);
}

TEST_CASE("a changeset whose bytes are not those that its hash names is refused") {
  Cluster cluster(2);
  cluster[0].insert(quad);
  const log::ShippedChangeset good = cluster[0].last_changeset();
  log::ShippedChangeset bad = good;
  bad.chunks.front()[3] = static_cast<char>(bad.chunks.front()[3] ^ 1);
  CHECK(error_of_applying(cluster[1], {bad}) == ErrorKind::InvalidInput);
  bad = good;
  bad.header.stamp.physical_ms += 1;
  CHECK(error_of_applying(cluster[1], {bad}) == ErrorKind::InvalidInput);
  bad = good;
  bad.chunks.push_back(bad.chunks.front());
  CHECK(error_of_applying(cluster[1], {bad}) == ErrorKind::InvalidInput);
  CHECK(cluster[1].store->snapshot()->quad_count() == 0);
  cluster[1].apply({good});
}

TEST_CASE("what a member sends on purpose is refused where it breaks a rule, though its hash fits") {
  Cluster cluster(2, {test::single_value("v", "sum")});
  cluster[0].insert(quad);
  const log::ShippedChangeset good = cluster[0].last_changeset();
  const auto refuse = [&](auto change) {
    log::ShippedChangeset bad = good;
    change(bad);
    hash_again(bad, {});
    CHECK(error_of_applying(cluster[1], {bad}) == ErrorKind::InvalidInput);
  };
  refuse([](auto& bad) { bad.header.operation_count = 2; });
  refuse([](auto& bad) { bad.header.chunk_count = 2; });
  refuse([](auto& bad) { bad.header.dependencies.raise({"ams", 1}, 1); });
  refuse([&](auto& bad) { bad.header.id.origin = cluster[1].id(); });
  refuse([](auto& bad) { bad.chunks.front() += '\0'; });
  refuse([](auto& bad) { bad.chunks.front() = "nonsense"; });
  refuse([](auto& bad) {
    bad.chunks.push_back(bad.chunks.front());
    bad.header.chunk_count = 2;
    bad.header.operation_count = 2;  // one quad twice
  });
  cluster[1].apply({good});
}

TEST_CASE("a quad of a value cell that comes as a quad operation is refused, and so is one of a local graph") {
  Cluster quads(2);
  quads[0].insert(Triple{"s", "v", "1"});
  Cluster values(2, {test::single_value("v", "sum")});
  CHECK(error_of_applying(values[1], {quads[0].last_changeset()}) == ErrorKind::InvalidInput);
  values[0].insert(Triple{"s", "v", "1"});
  CHECK(error_of_applying(quads[1], {values[0].last_changeset()}) == ErrorKind::InvalidInput);
}

TEST_CASE("two different changesets of one origin and number are found out") {
  Cluster one(2);
  Cluster copy(2);  // as if the directory of ams had been copied
  one[0].insert(quad);
  copy[0].insert(Triple{"s", "p", "other"});
  one[1].pull(one[0]);
  CHECK(error_of_applying(one[1], {copy[0].last_changeset()}) == ErrorKind::InvalidInput);
}

TEST_CASE("a request that fails leaves nothing behind and does not disturb the others of its group") {
  Cluster cluster(2);
  auto group = cluster[0].store->begin().value();
  const auto insert = [](const Triple& triple, bool fails) {
    return [=](model::QuadTarget& target) -> base::Result<void> {
      target.insert(ids_of(target, triple));
      if (fails) return base::Error{ErrorKind::InvalidInput, "no", {}};
      return {};
    };
  };
  CHECK(group->update(insert({"s", "p", "1"}, false)).ok());
  CHECK_FALSE(group->update(insert({"s", "p", "2"}, true)).ok());
  const auto third = group->update(insert({"s", "p", "3"}, false));
  REQUIRE(third.ok());
  CHECK(third->header.id.seq == 2);
  CHECK(group->commit().ok());
  group.reset();
  CHECK(cluster[0].has({"s", "p", "1"}));
  CHECK_FALSE(cluster[0].has({"s", "p", "2"}));
  CHECK(cluster[0].has({"s", "p", "3"}));
  CHECK(cluster[0].store->verify().empty());
  cluster[1].pull(cluster[0]);
  CHECK(cluster[1].text() == cluster[0].text());
}

TEST_CASE("a group that is not committed never was") {
  Cluster cluster(2);
  {
    auto group = cluster[0].store->begin().value();
    REQUIRE(group
                ->update([](model::QuadTarget& target) -> base::Result<void> {
                  target.insert(ids_of(target, quad));
                  return {};
                })
                .ok());
  }
  CHECK(cluster[0].text().empty());
  CHECK(cluster[0].insert(quad).header.id.seq == 1);
}

TEST_CASE("a store that is full says so, and takes what fits again afterwards") {
  test::TemporaryDirectory directory;
  const auto path = directory.path() / "site";
  const reconcile::SiteStoreOptions options{.flush = false, .map_bytes = uint64_t{2} << 20, .conflict_bounds = {}};
  const auto policies = policies::built_in();
  test::SetClock clock;
  test::CountingRandom random;
  const reconcile::SiteIdentity identity{{"ams", 1}, "test", {"ams", "nyc"}, {}};
  REQUIRE(reconcile::SiteStore::create(path, identity, policies, options).ok());
  const auto site = reconcile::SiteStore::open(path, {policies, clock, random}, options).value();
  const auto insert = [&](size_t count) -> base::Result<void> {
    auto group = site->begin();
    if (!group.ok()) return group.error();
    const auto done = (*group)->update([&](model::QuadTarget& target) -> base::Result<void> {
      for (size_t i = 0; i < count; ++i) target.insert(test::ids_of(target, {"s" + std::to_string(i), "p", "o"}));
      return {};
    });
    const auto committed = (*group)->commit();
    if (!done.ok()) CHECK_FALSE(committed.ok());
    return committed;
  };
  const auto full = insert(100'000);
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().kind == ErrorKind::ResourceExhausted);
  CHECK(site->snapshot()->quad_count() == 0);
  CHECK(insert(10).ok());
  CHECK(site->snapshot()->quad_count() == 10);
  CHECK(site->snapshot()->version_vector().at({"ams", 1}) == 1);
  CHECK(site->verify().empty());
}

TEST_CASE("no stamp that was told is given again after a crash, and crashes do not drive stamps ahead") {
  Cluster cluster(2);
  log::Stamp last = cluster[0].heartbeat().stamp;
  for (int crash = 0; crash < 50; ++crash) {
    cluster[0].reopen();
    const log::Stamp next = cluster[0].heartbeat().stamp;
    CHECK(next > last);
    last = next;
  }
  CHECK(last.physical_ms <= cluster[0].clock.now + 10'000);
  const log::Stamp written = cluster[0].insert(quad).header.stamp;
  CHECK(written > last);
  cluster[0].reopen();
  CHECK(cluster[0].heartbeat().stamp > written);
}

TEST_CASE("a heartbeat costs no write while its stamp is reserved") {
  Cluster cluster(2);
  cluster[0].heartbeat();
  const auto floor_row = [&] { return cluster[0].store->snapshot()->version_vector(); };
  const log::VersionVector before = floor_row();
  for (int i = 0; i < 5; ++i) {
    cluster[0].clock.now += 1'000;
    cluster[0].heartbeat();
  }
  CHECK(floor_row() == before);
}

TEST_CASE("stamps are above those of all that was taken in") {
  Cluster cluster(2);
  cluster[0].clock.now += 60'000;
  const auto ahead = cluster[0].insert(quad);
  cluster[1].pull(cluster[0]);
  CHECK(cluster[1].heartbeat().stamp > ahead.header.stamp);
  CHECK(cluster[1].insert(Triple{"s", "p", "2"}).header.stamp > ahead.header.stamp);
}

TEST_CASE("after quiet the log keeps each origin's last changeset, and says what it let go") {
  Cluster cluster(2);
  for (int i = 0; i < 5; ++i) cluster[0].insert(Triple{"s", "p", std::to_string(i)});
  cluster[1].insert(quad);
  cluster.quiet();
  const auto snapshot = cluster[1].store->snapshot();
  CHECK(snapshot->log_entry_count() == 2);
  CHECK(snapshot->last_position() == 6);
  const uint64_t missing = snapshot->first_missing({});
  REQUIRE(missing <= snapshot->last_position());
  CHECK(snapshot->header_at(missing).error().kind == ErrorKind::NotFound);
  CHECK(snapshot->changeset_at(missing).error().kind == ErrorKind::NotFound);
  log::VersionVector all_but_one = snapshot->version_vector();
  CHECK(snapshot->first_missing(all_but_one) == snapshot->last_position() + 1);
}

TEST_CASE("a version that waits for a concurrent one keeps what it is compared by, through later trims") {
  Cluster cluster(3, {test::single_value("v", "sum")});
  cluster[0].insert(Triple{"s", "v", "1"});
  cluster[1].insert(Triple{"s", "v", "10"});
  // All have the first; sgp does not have the second.
  cluster[0].pull(cluster[1]);
  cluster[1].pull(cluster[0]);
  cluster[2].apply({cluster[0].store->snapshot()->changeset_at(1).value()});
  for (int i = 0; i < 3; ++i) cluster[0].insert(Triple{"s", "p", std::to_string(i)});
  cluster[1].pull(cluster[0]);
  for (auto& from : cluster.sites) cluster[0].hear(from->heartbeat());
  while (!cluster[0].fold(1).is_done) {
  }
  CHECK(cluster[0].store->snapshot()->folded_vector().at(cluster[0].id()) == 1);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 4);
  CHECK(cluster[0].store->verify().empty());
  cluster[0].reopen();
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == std::vector<std::string>{"11"});
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->store->snapshot()->log_entry_count() == 2);
    CHECK(site->store->verify().empty());
  }
}

// A site that starts again has forgotten what it knew of the others, and learns it anew bit by bit. Here it learns
// first that the later of two concurrent versions is stable, after it had walked the earlier one: nobody came by again,
// and the cell stayed in its window for ever. Found by the simulator.
TEST_CASE("what a site forgets of the others when it stops keeps no version in its window") {
  Cluster cluster(3, {test::single_value("v", "sum")});
  cluster[0].insert(Triple{"s", "v", "1"});
  cluster[1].insert(Triple{"s", "v", "10"});
  cluster[0].pull(cluster[1]);
  cluster[1].pull(cluster[0]);
  cluster[2].apply({cluster[0].store->snapshot()->changeset_at(1).value()});
  for (auto& from : cluster.sites) cluster[0].hear(from->heartbeat());
  cluster[0].fold();
  CHECK(cluster[0].store->snapshot()->folded_vector().at(cluster[0].id()) == 1);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 1);

  log::VersionVector learned_first;
  learned_first.raise(cluster[1].id(), 1);
  auto group = cluster[0].store->begin().value();
  CHECK(group->fold({learned_first, {}}, 1'000).ok());
  CHECK(group->commit().ok());
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"11"});
}

TEST_CASE("a site that is the only member keeps no history and no more than its last changeset") {
  Cluster cluster(1);
  for (int i = 0; i < 5; ++i) cluster[0].insert(Triple{"s", "p", std::to_string(i)});
  const auto snapshot = cluster[0].store->snapshot();
  CHECK(snapshot->window_cell_count() == 0);
  CHECK(snapshot->log_entry_count() == 1);
  CHECK(snapshot->folded_vector() == snapshot->version_vector());
  CHECK(snapshot->version_vector().at(cluster[0].id()) == 5);
  CHECK(cluster[0].store->verify().empty());
}

TEST_CASE("a site's store is made in a new or empty directory, and opened once") {
  test::TemporaryDirectory directory;
  const auto policies = policies::built_in();
  test::SetClock clock;
  test::CountingRandom random;
  const reconcile::SiteParts parts{policies, clock, random};
  const auto path = directory.path() / "site";
  const auto options = TestSite::options();
  CHECK(reconcile::SiteStore::open(path, parts, options).error().kind == ErrorKind::NotFound);
  reconcile::SiteIdentity identity{{"ams", 7}, "a cluster", {"ams", "nyc"}, {}};
  identity.assignment.rules = {test::single_value("v", "sum")};
  REQUIRE(reconcile::SiteStore::create(path, identity, policies, options).ok());
  CHECK(reconcile::SiteStore::create(path, identity, policies, options).error().kind == ErrorKind::Refused);
  const auto site = reconcile::SiteStore::open(path, parts, options);
  REQUIRE(site.ok());
  CHECK((*site)->identity().site == identity.site);
  CHECK((*site)->identity().cluster == "a cluster");
  CHECK((*site)->identity().members == identity.members);
  CHECK((*site)->assignment_digest() == identity.assignment.digest(policies));
  CHECK(reconcile::SiteStore::open(path, parts, options).error().kind == ErrorKind::Busy);
}

TEST_CASE("an identity that makes no sense is refused, and leaves no directory") {
  test::TemporaryDirectory directory;
  const auto path = directory.path() / "site";
  const auto kind_of = [&](const reconcile::SiteIdentity& identity) {
    const auto made = reconcile::SiteStore::create(path, identity, policies::built_in(), TestSite::options());
    REQUIRE_FALSE(made.ok());
    CHECK_FALSE(std::filesystem::exists(path));
    return made.error().kind;
  };
  CHECK(kind_of(identity_of("AMS")) == ErrorKind::InvalidInput);
  reconcile::SiteIdentity identity = identity_of("ams");
  identity.members = {"nyc"};
  CHECK(kind_of(identity) == ErrorKind::InvalidInput);
  identity.members = {"nyc", "ams"};
  CHECK(kind_of(identity) == ErrorKind::InvalidInput);
  identity = identity_of("ams");
  identity.assignment.default_policy = "coin-toss";
  CHECK(kind_of(identity) == ErrorKind::InvalidInput);
}
