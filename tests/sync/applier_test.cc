// What the applier makes of changesets on a real store.
#include "sync/applier.h"

#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;
using test::many_triples;

namespace {

// Each job at once, in a group of its own.
class InlineQueue final : public reconcile::WriteQueue {
 public:
  explicit InlineQueue(reconcile::SiteStore& store) : store_(store) {}
  void submit(std::function<void(reconcile::WriteGroup&)> job,
              std::function<void(const base::Result<void>&)> done) override {
    auto group = store_.begin().value();
    job(*group);
    const auto committed = group->commit();
    group.reset();
    done(committed);
  }

 private:
  reconcile::SiteStore& store_;
};

}  // namespace

TEST_CASE("a changeset that comes again is passed over, and another one of its number is the sender's fault") {
  for (const uint64_t large_min : {10, 10'000}) {
    INFO("large from " << large_min << " operations on");
    Cluster cluster(2);
    Cluster twin(2);  // its ams writes under the identity of ours
    cluster[1].set_large_changeset_min(large_min);
    cluster[0].insert(many_triples(20));
    twin[0].insert(many_triples(20, 100));
    InlineQueue queue(*cluster[1].store);
    sync::Applier applier(*cluster[1].store, queue, {}, [](const reconcile::ApplyReport&) {});
    const auto outcome_of = [&](const log::ShippedChangeset& changeset) {
      std::optional<sync::Applier::Outcome> outcome;
      applier.submit({changeset}, [&](const sync::Applier::Outcome& its) { outcome = its; });
      return outcome.value();
    };
    CHECK(outcome_of(cluster[0].last_changeset()).report.operations == 20);
    const auto again = outcome_of(cluster[0].last_changeset());
    CHECK_FALSE(again.error);
    CHECK(again.report.applied.empty());
    const auto other = outcome_of(twin[0].last_changeset());
    REQUIRE(other.error);
    CHECK(other.error->kind == base::ErrorKind::InvalidInput);
    CHECK(other.is_senders_fault);
    CHECK(cluster[1].text() == cluster[0].text());
  }
}
