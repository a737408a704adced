#include "replica/site/version_gate.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "policies/built_in.h"

using namespace quadrille;
using replica::VersionToken;

namespace {

class FixedClock final : public base::WallClock {
 public:
  int64_t now_ms() const override { return 1'000'000; }
};
class CountingRandom final : public base::RandomSource {
 public:
  uint64_t next() override { return ++last_; }

 private:
  uint64_t last_ = 0;
};

struct Directories {
  Directories() {
    std::string name = (std::filesystem::temp_directory_path() / "quadrille-gate-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Directories() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
  reconcile::PolicyRegistry policies = policies::built_in();
  FixedClock clock;
  CountingRandom random;
};

class Store {
 public:
  Store(Directories& where, const std::string& directory, const std::string& site) {
    const auto path = where.path / directory;
    if (!std::filesystem::exists(path)) {
      const reconcile::SiteIdentity identity{{site, 1}, "test", {"ams", "nyc", "sgp"}, {}};
      REQUIRE(reconcile::SiteStore::create(path, identity, where.policies, {}).ok());
    }
    store = reconcile::SiteStore::open(path, {where.policies, where.clock, where.random}, {}).value();
  }
  log::ChangesetHeader write(const std::string& subject) {
    auto group = store->begin().value();
    const auto receipt = group->update([&](model::QuadTarget& target) -> base::Result<void> {
      const auto term = target.intern(model::Term::iri(subject));
      target.insert({term, term, term, model::TermId::default_graph()});
      return {};
    });
    REQUIRE(group->commit().ok());
    return receipt->header;
  }
  // All that the other one has and this one lacks.
  void take_from(const Store& other) {
    const auto theirs = other.store->snapshot();
    std::vector<log::ShippedChangeset> changesets;
    for (uint64_t at = theirs->first_missing(store->snapshot()->version_vector()); at <= theirs->last_position();
         ++at) {
      changesets.push_back(theirs->changeset_at(at).value());
    }
    auto group = store->begin().value();
    REQUIRE(group->apply(changesets).ok());
    REQUIRE(group->commit().ok());
  }
  VersionToken token() const { return replica::token_of(*store->snapshot()); }

  std::unique_ptr<reconcile::SiteStore> store;
};

// A gate on a loop whose time stands still unless told.
struct Gate {
  explicit Gate(const Store& store, size_t waiting_max = 256) : gate(*store.store, timer, waiting_max) {}
  using Outcome = std::optional<base::Result<void>>;
  void enter(const VersionToken& token, int64_t patience_ms, Outcome& into,
             const std::atomic<bool>* is_gone = nullptr) {
    gate.enter(token, patience_ms, is_gone, [&into](const base::Result<void>& outcome) { into = outcome; });
  }
  void advance_ms(int64_t ms) {
    timer.advanceTo(timer.now() + ms * kj::MILLISECONDS);
    scope.poll();
  }
  void tell() {
    gate.on_advance();
    scope.poll();
  }

  kj::EventLoop loop;
  kj::WaitScope scope{loop};
  kj::TimerImpl timer{kj::origin<kj::TimePoint>()};
  replica::VersionGate gate;
};

}  // namespace

TEST_CASE("a state includes its own version, and the version of each transaction up to it") {
  Directories where;
  Store ams(where, "ams", "ams");
  const auto first = ams.write("urn:1");
  const auto second = ams.write("urn:2");
  const Gate gate(ams);
  CHECK(gate.gate.includes(ams.token()).value());
  CHECK(gate.gate.includes(replica::token_of(first)).value());
  CHECK(gate.gate.includes(replica::token_of(second)).value());
  CHECK(gate.gate.token_text(*ams.store->snapshot()) == to_string(replica::token_of(second)));
  CHECK(gate.gate.includes({}).value());
}

TEST_CASE("who asks for a version from elsewhere waits until it is here, and for no more") {
  Directories where;
  Store ams(where, "ams", "ams");
  Store nyc(where, "nyc", "nyc");
  Gate gate(nyc);
  const auto first = ams.write("urn:1");
  Gate::Outcome of_first;
  Gate::Outcome of_second;
  gate.enter(replica::token_of(first), 1000, of_first);
  gate.tell();
  CHECK_FALSE(of_first);
  nyc.take_from(ams);
  const auto second = ams.write("urn:2");
  gate.enter(replica::token_of(second), 1000, of_second);
  gate.tell();
  REQUIRE(of_first);
  CHECK(of_first->ok());
  CHECK_FALSE(of_second);
  nyc.take_from(ams);
  gate.tell();
  REQUIRE(of_second);
  CHECK(of_second->ok());
  CHECK(gate.gate.waiting() == 0);
}

TEST_CASE("who waits for several changesets is let in with the last of them") {
  Directories where;
  Store ams(where, "ams", "ams");
  Store sgp(where, "sgp", "sgp");
  Store nyc(where, "nyc", "nyc");
  Gate gate(nyc);
  VersionToken both = replica::token_of(ams.write("urn:1"));
  both.entries.push_back(replica::token_of(sgp.write("urn:2")).entries[0]);
  Gate::Outcome outcome;
  gate.enter(both, 1000, outcome);
  nyc.take_from(ams);
  gate.tell();
  CHECK_FALSE(outcome);
  nyc.take_from(sgp);
  gate.tell();
  REQUIRE(outcome);
  CHECK(outcome->ok());
}

TEST_CASE("a version that does not come is given up after the time that was asked for, and who lags is named") {
  Directories where;
  Store ams(where, "ams", "ams");
  Store nyc(where, "nyc", "nyc");
  Gate gate(nyc);
  ams.write("urn:1");
  nyc.take_from(ams);
  ams.write("urn:2");
  ams.write("urn:3");
  Gate::Outcome outcome;
  Gate::Outcome at_once;
  gate.enter(ams.token(), 1000, outcome);
  gate.enter(ams.token(), 0, at_once);
  gate.advance_ms(999);
  CHECK_FALSE(outcome);
  gate.advance_ms(1);
  REQUIRE(outcome);
  REQUIRE_FALSE(outcome->ok());
  CHECK(outcome->error().kind == base::ErrorKind::Timeout);
  CHECK(outcome->error().message ==
        "after 1000 ms this site still lacks changesets that the version token names: it lags behind "
        "ams.0000000000000001 by 2 (it has 1 of 3)");
  REQUIRE(at_once);
  CHECK(at_once->error().kind == base::ErrorKind::Timeout);
}

TEST_CASE("no more wait than may, and none at a closed gate") {
  Directories where;
  Store ams(where, "ams", "ams");
  Store nyc(where, "nyc", "nyc");
  Gate gate(nyc, 1);
  const auto header = ams.write("urn:1");
  Gate::Outcome first;
  Gate::Outcome second;
  Gate::Outcome third;
  gate.enter(replica::token_of(header), 1000, first);
  gate.enter(replica::token_of(header), 1000, second);
  CHECK_FALSE(first);
  REQUIRE(second);
  CHECK(second->error().kind == base::ErrorKind::Busy);
  gate.gate.close();
  REQUIRE(first);
  CHECK(first->error().kind == base::ErrorKind::Unavailable);
  gate.enter(replica::token_of(header), 1000, third);
  REQUIRE(third);
  CHECK(third->error().kind == base::ErrorKind::Unavailable);
}

TEST_CASE("who has gone away waits no more") {
  Directories where;
  Store ams(where, "ams", "ams");
  Store nyc(where, "nyc", "nyc");
  Gate gate(nyc);
  std::atomic<bool> is_gone = false;
  Gate::Outcome outcome;
  gate.enter(replica::token_of(ams.write("urn:1")), 60'000, outcome, &is_gone);
  gate.advance_ms(1000);
  CHECK(gate.gate.waiting() == 1);
  is_gone = true;
  gate.advance_ms(1000);
  CHECK(gate.gate.waiting() == 0);
}

TEST_CASE("a version of this site that it no longer has is refused at once, before and after its number is taken") {
  Directories where;
  VersionToken undone;
  {
    Store ams(where, "ams", "ams");
    ams.write("urn:1");
  }
  std::filesystem::copy(where.path / "ams", where.path / "crashed");
  {
    Store ams(where, "ams", "ams");
    undone = replica::token_of(ams.write("urn:2"));
  }
  Store ams(where, "crashed", "ams");
  Gate gate(ams);
  const auto before = gate.gate.includes(undone);
  REQUIRE_FALSE(before.ok());
  CHECK(before.error().kind == base::ErrorKind::Mismatch);
  CHECK(before.error().message.find("ams.0000000000000001:2 is undone") != std::string::npos);

  const auto other = ams.write("urn:other");
  REQUIRE(other.id == undone.entries[0].changeset);
  Gate::Outcome after;
  gate.enter(undone, 1000, after);
  REQUIRE(after);
  CHECK(after->error().kind == base::ErrorKind::Mismatch);
  CHECK(gate.gate.includes(replica::token_of(other)).value());
}

TEST_CASE("a version that was undone elsewhere is refused once the other one of its number is here") {
  Directories where;
  Store ams(where, "ams", "ams");
  Store nyc(where, "nyc", "nyc");
  Gate gate(nyc);
  auto undone = replica::token_of(ams.write("urn:1"));
  *undone.entries[0].hash ^= 1;
  Gate::Outcome outcome;
  gate.enter(undone, 1000, outcome);
  CHECK_FALSE(outcome);
  nyc.take_from(ams);
  gate.tell();
  REQUIRE(outcome);
  CHECK(outcome->error().kind == base::ErrorKind::Mismatch);
}

TEST_CASE("an undone version is known by its hash also when the log has let go of the one in its place") {
  Directories where;
  Store ams(where, "ams", "ams");
  Gate gate(ams);
  const auto first = ams.write("urn:1");
  ams.write("urn:2");
  {
    auto group = ams.store->begin().value();
    REQUIRE(group->fold({ams.store->snapshot()->version_vector(), {}}, 1000).ok());
    REQUIRE(group->commit().ok());
  }
  const auto snapshot = ams.store->snapshot();
  REQUIRE_FALSE(replica::find_logged_hash(*snapshot, snapshot->version_vector(), first.id));
  auto undone = replica::token_of(first);
  *undone.entries[0].hash ^= 1;
  CHECK(gate.gate.includes(undone).ok());  // nobody can tell
  gate.gate.memory().add(first);
  CHECK_FALSE(gate.gate.includes(undone).ok());
  CHECK(gate.gate.includes(replica::token_of(first)).value());
}

TEST_CASE("what was answered before it was durable is waited for, and refused at once when its group fails") {
  Directories where;
  Store ams(where, "ams", "ams");
  Gate gate(ams);
  log::ChangesetHeader open;
  open.id = {{"ams", 1}, 1};
  open.hash.fill(7);
  gate.gate.memory().add_open(open);
  Gate::Outcome outcome;
  gate.enter(replica::token_of(open), 1000, outcome);
  CHECK_FALSE(outcome);
  gate.gate.memory().end_open(open);
  gate.tell();
  REQUIRE(outcome);
  CHECK(outcome->error().kind == base::ErrorKind::Mismatch);
}
