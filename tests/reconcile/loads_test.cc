// Loads that were built aside: what the site makes of them. The load itself is a simple one of our own here.
#include <catch2/catch.hpp>

#include "engine/load/prepared_load.h"
#include "engine/store/block.h"
#include "engine/store/run.h"
#include "reconcile/lmdb_site_snapshot.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using base::ErrorKind;
using test::Cluster;
using test::many_triples;
using test::rows_of;
using test::TestSite;
using test::Triple;

namespace {

class GroupWriter final : public load::StoreWriter {
 public:
  explicit GroupWriter(reconcile::SiteStore& store) : store_(store) {}
  base::Result<void> write(const std::function<void(store::Transaction&)>& work) override {
    auto group = store_.begin().value();
    QUADRILLE_TRY(group->write_aside(work));
    return group->commit();
  }

 private:
  reconcile::SiteStore& store_;
};

// Interns and classifies as a load does, and keeps its quads in memory until it is switched in.
class SimpleLoad final : public load::PreparedLoad {
 public:
  SimpleLoad(reconcile::StagedLoad& staged, load::StoreWriter& writer, const std::vector<Triple>& triples) {
    const auto interned = writer.write([&](store::Transaction& transaction) {
      for (const Triple& triple : triples) ids_of(transaction, triple);
    });
    REQUIRE(interned.ok());
    const auto written = writer.write([&](store::Transaction& transaction) {
      std::vector<store::QuadRow> absent, present;
      for (uint64_t line = 1; line <= triples.size(); ++line) {
        const model::Quad quad = ids_of(transaction, triples[line - 1]);
        ++counts_.read;
        if (!staged.is_bulk(quad)) {
          apart_.push_back({quad, 0, line});
          continue;
        }
        quads_.push_back(quad);
        (transaction.contains(quad) ? present : absent).push_back(store::to_row(model::QuadOrder::Gspo, quad));
      }
      counts_.absent = give(transaction, staged, load::AssertedQuads::Was::Absent, absent);
      counts_.present = give(transaction, staged, load::AssertedQuads::Was::Present, present);
    });
    REQUIRE(written.ok());
    REQUIRE(staged.finish(writer).ok());
  }
  const load::LoadCounts& counts() const override { return counts_; }
  const std::vector<load::QuadApart>& quads_apart() const override { return apart_; }
  base::Result<uint64_t> switch_in(store::Transaction& transaction) override {
    if (is_busy) return base::Error{ErrorKind::Busy, "look again", {}};
    return transaction.insert_all(quads_);
  }
  base::Result<void> look_again(load::StoreWriter&) override { return {}; }
  base::Result<void> give_up(load::StoreWriter&) override { return {}; }

  bool is_busy = false;

 private:
  static uint64_t give(store::Transaction& transaction, reconcile::StagedLoad& staged, load::AssertedQuads::Was was,
                       std::vector<store::QuadRow>& rows) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::vector<store::EncodedBlock> blocks;
    for (const auto& block : store::encode_blocks(model::QuadOrder::Gspo, rows, false)) {
      store::EncodedBlock& encoded = blocks.emplace_back();
      const store::QuadKey key(rows[block.first_row]);
      std::copy(key.view().begin(), key.view().end(), encoded.key.begin());
      encoded.value = block.value;
      encoded.rows = static_cast<uint32_t>(block.rows);
    }
    if (staged.asserted()) staged.asserted()->append(transaction, was, blocks);
    return rows.size();
  }

  load::LoadCounts counts_;
  std::vector<model::Quad> quads_;
  std::vector<load::QuadApart> apart_;
};

struct Loading {
  Loading(TestSite& to, const std::vector<Triple>& triples)
      : site(to), writer(*to.store), staged(to.store->stage_load(writer).value()), load(*staged, writer, triples) {}

  base::Result<reconcile::CommitReceipt> try_adopt() {
    const std::vector<std::string> names = {"data.nt"};
    auto group = site.store->begin().value();
    auto receipt = group->adopt(*staged, load, names);
    if (!receipt.ok()) return receipt;
    REQUIRE(group->commit().ok());
    site.stability->on_changeset(receipt->header);
    return receipt;
  }
  reconcile::CommitReceipt adopt() { return try_adopt().value(); }

  TestSite& site;
  GroupWriter writer;
  std::unique_ptr<reconcile::StagedLoad> staged;
  SimpleLoad load;
};

}  // namespace

TEST_CASE("a load is one changeset, which other sites take in as any other") {
  Cluster cluster(2, {test::single_value("v", "sum")});
  cluster[0].insert(many_triples(500));
  std::vector<Triple> triples = many_triples(9'000);
  triples.push_back({"s", "v", "17"});
  triples.push_back({"s", "p", "o", "g"});
  Loading loading(cluster[0], triples);
  CHECK(cluster[0].store->snapshot()->quad_count() == 500);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 500);
  const auto receipt = loading.adopt();
  CHECK(receipt.header.id.seq == 2);
  CHECK(receipt.header.operation_count == 9'002);
  CHECK(receipt.quads_inserted == 8'502);
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"17"});
  CHECK(cluster[0].store->verify().empty());
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 9'002);
  CHECK(rows_of(cluster[0], "log.window") == 501);
  cluster[1].pull(cluster[0]);
  CHECK(cluster[1].text() == cluster[0].text());
  CHECK(cluster[1].store->verify().empty());
  CHECK(cluster[1].last_changeset().chunks == cluster[0].last_changeset().chunks);
  cluster[0].insert(Triple{"x", "p", "o"});
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(rows_of(*site, "log.bulk") == 0);
    CHECK(site->store->verify().empty());
  }
}

TEST_CASE("what came in while a load was prepared meets the history that it would after an ordinary transaction") {
  for (const bool is_load : {false, true}) {
    INFO("a load: " << is_load);
    Cluster cluster(3, {}, "delete-wins");
    cluster[0].insert(many_triples(100));
    cluster.exchange();
    cluster[2].erase(many_triples(60));  // seen by nobody yet
    std::optional<Loading> loading;
    if (is_load) loading.emplace(cluster[0], many_triples(2'000));
    // Meanwhile: quads come, go, are asserted again, and a whole other load comes in.
    cluster[0].insert(many_triples(40, 1'980));
    cluster[0].erase(many_triples(30, 20));
    cluster[1].insert(many_triples(20'000, 1'000));
    cluster[0].pull(cluster[1]);
    if (is_load) {
      std::optional<Loading> other;
      other.emplace(cluster[0], many_triples(300, 1'900));
      other->adopt();
      loading->adopt();
    } else {
      cluster[0].insert(many_triples(300, 1'900));
      cluster[0].insert(many_triples(2'000));
    }
    CHECK(cluster[0].store->snapshot()->quad_count() == 21'000);
    CHECK(cluster[0].store->verify().empty());
    cluster.exchange();
    CHECK(cluster[0].store->snapshot()->quad_count() == 20'940);
    CHECK(cluster[0].conflicts().size() == 60);
    for (auto& site : cluster.sites) {
      CHECK(site->text() == cluster[0].text());
      CHECK(site->conflicts() == cluster[0].conflicts());
      CHECK(site->store->verify().empty());
    }
    cluster.quiet();
    for (auto& site : cluster.sites) {
      CHECK(site->text() == cluster[0].text());
      CHECK(site->store->snapshot()->window_cell_count() == 0);
    }
  }
}

TEST_CASE("a load that is refused, or has to look again, leaves nothing, and can come back") {
  Cluster cluster(2, {test::single_value("v", "sum")});
  std::optional<Loading> twice;
  twice.emplace(cluster[0], std::vector<Triple>{{"s", "p", "o"}, {"s", "v", "1"}, {"s", "v", "1"}, {"s", "v", "2"}});
  const auto refused = twice->try_adopt();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::Refused);
  CHECK(refused.error().message == "data.nt:4: a second value for <http://e/s> <http://e/v>, which may have one");
  twice.reset();

  Loading again(cluster[0], {{"s", "p", "o"}, {"s", "v", "1"}});
  again.load.is_busy = true;
  CHECK(again.try_adopt().error().kind == ErrorKind::Busy);
  CHECK(cluster[0].text().empty());
  again.load.is_busy = false;
  CHECK(again.adopt().header.id.seq == 1);
  CHECK(cluster[0].store->snapshot()->quad_count() == 2);
  CHECK(cluster[0].store->verify().empty());
  cluster.quiet();
  CHECK(cluster[1].text() == cluster[0].text());
}

TEST_CASE("a load is refused when an assignment came in meanwhile, also one below that in force") {
  for (const bool is_late : {false, true}) {
    INFO(is_late);
    Cluster cluster(2);
    const reconcile::Assignment values{{test::single_value("v", "last-writer-wins")}, "add-wins"};
    const reconcile::Assignment others{{test::single_value("w", "last-writer-wins")}, "add-wins"};
    if (is_late) {
      cluster[0].clock.now += 1'000'000;
      cluster[0].assign(others);
    }
    cluster[1].assign(values);
    Loading loading(cluster[0], {{"s", "v", "1"}, {"s", "v", "2"}});
    cluster[0].pull(cluster[1]);
    const auto refused = loading.try_adopt();
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == ErrorKind::Refused);
    CHECK_THAT(refused.error().message, Catch::StartsWith("the policy assignment was changed while the load"));
  }
}

TEST_CASE("a load that is dropped, and one that asserts nothing, leave nothing to the next opening") {
  Cluster cluster(2);
  const auto bulks_left = [&] {
    cluster[0].compact();
    const auto snapshot = cluster[0].store->snapshot();
    return dynamic_cast<const reconcile::LmdbSiteSnapshot&>(*snapshot).state().bulks.size();
  };
  std::optional<Loading> dropped;
  dropped.emplace(cluster[0], many_triples(20'000));
  CHECK(bulks_left() == 1);
  dropped.reset();
  CHECK(bulks_left() == 0);
  std::optional<Loading> empty;
  empty.emplace(cluster[0], std::vector<Triple>{});
  CHECK(empty->adopt().header.id.seq == 0);
  empty.reset();
  CHECK(bulks_left() == 0);
  Loading loading(cluster[0], many_triples(20'000));
  CHECK(loading.adopt().header.id.seq == 1);
  CHECK(cluster[0].store->verify().empty());
}

// What came meanwhile is the base of what the load asserts, also when it is history no more by then.
TEST_CASE("a load looks again at what a large changeset brought meanwhile, though that is settled and swept") {
  for (const bool is_load : {false, true}) {
    INFO("a load: " << is_load);
    Cluster cluster(3, {}, "history-hash", test::all_policies);
    for (auto& site : cluster.sites) site->set_large_changeset_min(1'000);
    std::optional<Loading> loading;
    if (is_load) loading.emplace(cluster[0], many_triples(2'000));
    cluster[1].insert(many_triples(1'500));
    cluster[2].pull(cluster[1]);
    const auto staged = cluster[0].store->stage(cluster[1].last_changeset());
    while (!cluster[0].take_step(*staged)) {
    }
    cluster[1].insert(Triple{"s", "p", "o"});  // so that the log keeps no more of the large one
    cluster[0].pull(cluster[1]);
    cluster[2].pull(cluster[1]);
    cluster[0].hear(cluster[1].heartbeat());
    cluster[0].hear(cluster[2].heartbeat());
    CHECK(cluster[0].fold().is_done);
    cluster[0].compact();
    CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
    if (is_load) {
      loading->adopt();
    } else {
      cluster[0].insert(many_triples(2'000));
    }
    CHECK(cluster[0].store->verify().empty());
    cluster[2].erase(many_triples(1'000));  // has seen what the load has not, and not the load
    cluster.exchange();
    for (auto& site : cluster.sites) {
      CHECK(site->text() == cluster[0].text());
      CHECK(site->conflicts() == cluster[0].conflicts());
      CHECK(site->store->verify().empty());
    }
    loading.reset();
    cluster.quiet();
    for (auto& site : cluster.sites) {
      CHECK(site->text() == cluster[0].text());
      CHECK(site->store->snapshot()->window_cell_count() == 0);
    }
  }
}

TEST_CASE("what a crash leaves of a load that was being prepared is removed when the site opens again") {
  Cluster cluster(2);
  cluster[0].insert(Triple{"s", "p", "o"});
  Loading(cluster[0], many_triples(20'000));
  CHECK(rows_of(cluster[0], "log.bulk") > 5);
  cluster[0].reopen();
  CHECK(rows_of(cluster[0], "log.bulk") == 0);
  CHECK(cluster[0].store->snapshot()->quad_count() == 1);
  CHECK(cluster[0].store->verify().empty());
  Loading loading(cluster[0], many_triples(20'000));
  CHECK(loading.adopt().header.id.seq == 2);
  CHECK(cluster[0].store->verify().empty());
}

TEST_CASE("a load of a site that is the only member leaves log and window empty but for its header") {
  Cluster cluster(1);
  cluster[0].insert(Triple{"s", "p", "o"});
  Loading loading(cluster[0], many_triples(20'000));
  const auto receipt = loading.adopt();
  CHECK(receipt.header.id.seq == 2);
  CHECK(receipt.header.operation_count == 20'000);
  CHECK(receipt.quads_inserted == 20'000);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
  CHECK(cluster[0].store->snapshot()->log_entry_count() == 1);
  CHECK(cluster[0].store->verify().empty());
  for (const char* table : {"log.bulk", "log.operations", "log.window"}) CHECK(rows_of(cluster[0], table) == 0);
}
