// Sites whose clocks are wrong: real stores and real sessions, clocks that run with virtual time.
#include <catch2/catch.hpp>

#include "sync/clock_watch.h"
#include "tests/sync/real_network.h"

using namespace quadrille;  // NOLINT
using Catch::Matchers::Contains;
using test::RealNetwork;
using test::RealSite;
using test::Triple;

namespace {

constexpr int64_t minute_ms = 60'000;
constexpr int64_t start_ms = 1'767'225'600'000;  // 2026-01-01
constexpr int64_t year_2100_ms = 4'102'444'800'000;
constexpr int64_t to_2100_ms = year_2100_ms - start_ms;

// ams, nyc and sgp, and so on; values of "balance" go to the last writer.
class WrongClocks {
 public:
  explicit WrongClocks(size_t count, const sync::SyncOptions& options = {})
      : net_(count, options, 10'000, "last-writer-wins"), wrong_by_ms_(count), options_(options) {
    set_clocks();
    running_ = run().eagerlyEvaluate(nullptr);
  }

  RealSite& operator[](size_t index) { return net_[index]; }
  size_t size() const { return net_.sites.size(); }
  void set_clock(size_t index, int64_t wrong_by) {
    wrong_by_ms_[index] = wrong_by;
    set_clocks();
  }
  void connect(size_t one, size_t other) { net_[one].node->keep_connected(net_[other].site.id().name); }
  void connect_all() {
    for (size_t i = 0; i < size(); ++i) {
      for (size_t j = i + 1; j < size(); ++j) connect(i, j);
    }
  }
  // The process ends, and another one begins.
  void restart(size_t index, const std::optional<sync::SyncOptions>& options = std::nullopt) {
    net_.sites[index]->node = nullptr;
    run_ms(100);
    net_.sites[index] = nullptr;
    net_.cluster[index].reopen();
    net_.sites[index] = std::make_unique<RealSite>(net_.net, net_.sites, net_.cluster[index]);
    net_[index].start(net_.cluster.world.members, options.value_or(options_));
  }
  void run_ms(uint64_t ms) { net_.net.run_ms(ms); }
  bool run_until(const std::function<bool()>& reached, uint64_t seconds = 60) {
    return net_.net.run_until(reached, seconds);
  }

  base::Result<reconcile::CommitReceipt> insert(size_t index, const Triple& triple) {
    return update(index, [&](model::QuadTarget& target) { target.insert(test::ids_of(target, triple)); });
  }
  base::Result<reconcile::CommitReceipt> set_balance(size_t index, const std::string& value) {
    const auto old = balance(index);
    return update(index, [&](model::QuadTarget& target) {
      for (const auto& each : old) target.erase(test::ids_of(target, {"account", "balance", each}));
      target.insert(test::ids_of(target, {"account", "balance", value}));
    });
  }
  std::vector<std::string> balance(size_t index) { return net_[index].site.values("account", "balance"); }
  bool may_write(size_t index) {
    const auto outcome = net_[index].site.try_update([](model::QuadTarget&) { return base::Result<void>{}; });
    return outcome.ok();
  }
  sync::PeerStatus peer(size_t index, size_t other) {
    for (const auto& status : net_[index].node->peers()) {
      if (status.site && *status.site == net_[other].site.id()) return status;
    }
    return {};
  }
  sync::ClockStatus clock(size_t index) { return net_[index].node->clock(); }
  bool has(size_t index, const log::ChangesetId& id) {
    return net_[index].site.store->snapshot()->version_vector().covers(id.origin, id.seq);
  }
  int64_t now_ms(size_t index) { return net_.cluster[index].clock.now; }
  bool is_at_rest(const std::vector<size_t>& of) {
    return std::all_of(of.begin(), of.end(), [&](size_t each) {
      return net_[each].is_quiet() && net_[each].site.store->snapshot()->version_vector() ==
                                          net_[of.front()].site.store->snapshot()->version_vector();
    });
  }
  base::Result<reconcile::CommitReceipt> evict(size_t by, size_t whom) {
    auto receipt = net_[by].site.evict(net_[whom].site.id().name);
    if (receipt.ok()) net_[by].node->on_local_commit(receipt->header);
    return receipt;
  }

 private:
  base::Result<reconcile::CommitReceipt> update(size_t index, const std::function<void(model::QuadTarget&)>& work) {
    auto receipt = net_[index].site.try_update([&](model::QuadTarget& target) -> base::Result<void> {
      work(target);
      return {};
    });
    if (receipt.ok()) net_[index].node->on_local_commit(receipt->header);
    return receipt;
  }
  void set_clocks() {
    const int64_t passed = (net_.net.port.timer.now() - kj::origin<kj::TimePoint>()) / kj::MILLISECONDS;
    for (size_t i = 0; i < size(); ++i) net_.cluster[i].clock.now = start_ms + passed + wrong_by_ms_[i];
  }
  kj::Promise<void> run() {
    return net_.net.port.timer.afterDelay(1 * kj::MILLISECONDS).then([this] {
      set_clocks();
      return run();
    });
  }

  RealNetwork net_;
  std::vector<int64_t> wrong_by_ms_;
  sync::SyncOptions options_;
  kj::Promise<void> running_ = nullptr;
};

log::Stamp last_stamp(RealSite& site) {
  const auto snapshot = site.site.store->snapshot();
  return snapshot->header_at(snapshot->last_position()).value().stamp;
}

}  // namespace

TEST_CASE("how far two clocks are apart is measured over the session, and a jump of either is seen") {
  WrongClocks sites(2);
  sites.set_clock(1, 700);
  sites.connect(0, 1);
  const auto skew = [&](size_t of, size_t other) {
    const auto measured = sites.peer(of, other).clock_skew;
    return measured ? measured->ms : INT64_MIN;
  };
  REQUIRE(sites.run_until([&] { return skew(0, 1) != INT64_MIN && skew(1, 0) != INT64_MIN; }));
  CHECK(std::abs(skew(0, 1) - 700) <= 3);
  CHECK(std::abs(skew(1, 0) + 700) <= 3);
  CHECK(sites.peer(0, 1).clock_skew->round_trip_ms <= 2);

  sites.set_clock(0, 5'000);  // its own it knows at once
  CHECK(std::abs(skew(0, 1) + 4'300) <= 3);
  CHECK(sites.run_until([&] { return std::abs(skew(1, 0) - 4'300) <= 3; }, 15));
}

TEST_CASE("a site whose clock stands at 2100 is told, refuses updates, and goes on by itself once it is put right") {
  WrongClocks sites(3);
  sites.set_clock(2, to_2100_ms);
  sites.connect_all();
  REQUIRE(sites.run_until([&] { return sites.clock(2).state == sync::ClockState::Ahead; }, 5));
  CHECK_FALSE(sites.may_write(2));
  sites.run_ms(11'000);  // by then the line names both
  const auto refused = sites.insert(2, {"s", "p", "o"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == base::ErrorKind::Unavailable);
  CHECK_THAT(refused.error().message, Contains("ahead") && Contains("ams") && Contains("nyc") && Contains(" days"));
  CHECK_THAT(refused.error().message, Contains("docs/operations.md") && !Contains("\n"));
  CHECK_THAT(sites.clock(2).text, Contains("put right"));
  for (const size_t other : {0, 1}) {
    CHECK(sites.clock(other).state == sync::ClockState::Agreed);
    CHECK(sites.peer(other, 2).clock_skew->ms > 70 * 365 * 24 * 60 * minute_ms);
    REQUIRE(sites.set_balance(other, std::to_string(other)).ok());
    CHECK(last_stamp(sites[other]).physical_ms <= sites.now_ms(other));
  }
  // It takes what others write, says so, and by stamps that they take: so they settle.
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1, 2}); }, 60));
  sites.run_ms(30'000);
  CHECK(sites.clock(0).held_back.empty());

  sites.set_clock(2, 0);
  REQUIRE(sites.run_until([&] { return sites.may_write(2); }, 15));
  const auto written = sites.set_balance(2, "77");
  REQUIRE(written.ok());
  CHECK(written->header.stamp.physical_ms <= sites.now_ms(2));
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1, 2}); }, 60));
  CHECK(sites.balance(0) == std::vector<std::string>{"77"});
}

TEST_CASE("what was written at 2100 wins nothing, moves no clock, and its site can be evicted") {
  WrongClocks sites(3);
  sites.connect(0, 1);
  REQUIRE(sites.set_balance(0, "1").ok());
  sites.run_ms(1'000);
  sites.set_clock(2, to_2100_ms);
  const auto wrong = sites.set_balance(2, "2100");  // nobody has told it
  REQUIRE(wrong.ok());
  sites.connect(0, 2);
  sites.connect(1, 2);
  REQUIRE(sites.run_until([&] { return sites.clock(0).held_back.size() == 1; }, 20));
  REQUIRE(sites.set_balance(1, "2").ok());
  sites.run_ms(60'000);
  for (const size_t other : {0, 1}) {
    CHECK_FALSE(sites.has(other, wrong->header.id));
    CHECK(sites.balance(other) == std::vector<std::string>{"2"});
    CHECK(sites.clock(other).held_back.front().site.name == "sgp");
    CHECK(sites[other].node->waiting_for() == std::vector<std::string>{"sgp"});
    CHECK(sites[other].site.heartbeat().stamp.physical_ms < sites.now_ms(other) + minute_ms);
  }
  CHECK_FALSE(sites.may_write(2));
  // What it has stamped stays, also when its clock is right again, and when its process was started anew.
  sites.set_clock(2, 0);
  sites.run_ms(15'000);
  CHECK(sites.clock(2).state == sync::ClockState::Ahead);
  CHECK_THAT(sites.clock(2).text, Contains("2100-01-01") && Contains("evicted"));
  CHECK_FALSE(sites.may_write(2));
  sites.restart(2);
  REQUIRE(sites.run_until([&] { return !sites.may_write(2); }, 15));

  REQUIRE(sites.evict(0, 2).ok());
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1}); }, 60));
  CHECK(sites.clock(0).held_back.empty());
  CHECK(sites.balance(0) == std::vector<std::string>{"2"});
}

TEST_CASE("what is held back comes by itself when its time has come, with what depends on it, and once") {
  WrongClocks sites(3);
  sites.set_clock(2, 10 * minute_ms);
  const auto first = sites.set_balance(2, "10");
  const auto second = sites.insert(2, {"s", "p", "o"});
  REQUIRE(second.ok());
  sites.set_clock(2, 0);
  const int64_t reached_ms = sites.now_ms(0) + 5 * minute_ms;
  sites.connect_all();
  REQUIRE(sites.run_until([&] { return sites.clock(0).held_back.size() == 1; }, 20));
  REQUIRE(sites.set_balance(0, "1").ok());
  REQUIRE(sites.run_until([&] { return sites.has(0, second->header.id) && sites.has(1, second->header.id); }, 360));
  CHECK(sites.now_ms(0) >= reached_ms);
  CHECK(sites.now_ms(0) <= reached_ms + 15'000);
  REQUIRE(sites.run_until([&] { return sites.may_write(2) && sites.is_at_rest({0, 1, 2}); }, 60));
  CHECK(sites.clock(0).held_back.empty());
  for (size_t i = 0; i < 3; ++i) CHECK(sites.balance(i) == std::vector<std::string>{"10"});  // the later stamp
  CHECK(sites.peer(0, 2).changesets_received == 2);
}

TEST_CASE("who holds something back may be started anew, and takes it when its time has come") {
  WrongClocks sites(2);
  sites.set_clock(1, 7 * minute_ms);
  const auto early = sites.set_balance(1, "7");
  sites.set_clock(1, 0);
  sites.connect(1, 0);
  REQUIRE(sites.run_until([&] { return sites.clock(0).held_back.size() == 1; }, 20));
  sites.run_ms(30'000);
  sites.restart(0);
  REQUIRE(sites.run_until([&] { return sites.clock(0).held_back.size() == 1; }, 20));
  CHECK_FALSE(sites.has(0, early->header.id));
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1}) && sites.may_write(1); }, 300));
  CHECK(sites.has(0, early->header.id));
}

TEST_CASE("what others write comes past what is held back, over the same connection, which does not repeat itself") {
  WrongClocks sites(3);
  sites.set_clock(1, to_2100_ms);
  test::SeededRandom random(7);
  std::string large;  // and nothing that compresses
  for (int i = 0; i < 400'000; ++i) large += static_cast<char>('a' + random.below(26));
  REQUIRE(sites.insert(1, {"large", "p", "\"" + large}).ok());
  sites.connect(1, 0);
  sites.connect(1, 2);  // ams and sgp meet nobody else
  sites.run_ms(5'000);
  const auto innocent = sites.set_balance(0, "5");
  REQUIRE(innocent.ok());
  REQUIRE(sites.run_until([&] { return sites.has(2, innocent->header.id); }, 20));
  CHECK(sites.balance(2) == std::vector<std::string>{"5"});
  const auto answer = sites.set_balance(2, "6");
  REQUIRE(answer.ok());
  REQUIRE(sites.run_until([&] { return sites.has(0, answer->header.id); }, 20));

  const uint64_t before = sites.peer(1, 2).bytes_sent;
  sites.run_ms(120'000);
  CHECK(sites.peer(1, 2).bytes_sent - before < 200'000);  // heartbeats, one a second
  CHECK(sites[2].site.text().find(large.substr(0, 100)) == std::string::npos);
  CHECK(sites[2].node->waiting_for() == std::vector<std::string>{"nyc"});
}

TEST_CASE("where one site allows more than others, what it writes on top waits with what it took") {
  sync::SyncOptions generous;
  generous.max_clock_skew_ms = 60 * minute_ms;
  WrongClocks sites(3);
  for (const size_t index : {1, 2}) sites.restart(index, generous);
  sites.set_clock(2, 10 * minute_ms);
  const auto early = sites.set_balance(2, "10");
  sites.set_clock(2, 0);
  sites.connect_all();
  REQUIRE(sites.run_until([&] { return sites.has(1, early->header.id); }, 20));
  const auto on_top = sites.set_balance(1, "11");  // ams alone finds it ahead: one of three
  REQUIRE(on_top.ok());
  const auto innocent = sites.insert(0, {"s", "p", "o"});
  sites.run_ms(30'000);
  CHECK_FALSE(sites.has(0, on_top->header.id));
  CHECK(sites.has(1, innocent->header.id));
  CHECK(sites.clock(0).held_back.size() == 2);
  CHECK(sites.peer(0, 1).state == sync::PeerState::Connected);
  REQUIRE(sites.run_until([&] { return sites.has(0, on_top->header.id); }, 360));
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1, 2}); }, 60));
  CHECK(sites.balance(0) == std::vector<std::string>{"11"});
}

TEST_CASE("of two sites whose clocks differ the one ahead stops, and both say that either may be wrong") {
  WrongClocks sites(2);
  sites.set_clock(0, -60 * minute_ms);
  sites.connect(0, 1);
  REQUIRE(sites.run_until([&] { return sites.clock(1).state == sync::ClockState::Ahead; }, 5));
  CHECK(sites.clock(0).state == sync::ClockState::Behind);
  CHECK_FALSE(sites.may_write(1));
  CHECK_THAT(sites.clock(1).text, Contains("unless the other one is wrong"));
  CHECK_THAT(sites.clock(0).text, Contains("unless the other one is wrong"));
  const auto written = sites.set_balance(0, "1");
  REQUIRE(written.ok());
  REQUIRE(sites.run_until([&] { return sites.has(1, written->header.id); }, 20));
  sites.set_clock(0, 0);
  REQUIRE(sites.run_until([&] { return sites.may_write(1) && sites.is_at_rest({0, 1}); }, 60));
}

TEST_CASE("one site of three that is behind stops nobody, learns that it is, and catches up once it is put right") {
  WrongClocks sites(3);
  sites.set_clock(0, -60 * minute_ms);
  sites.connect_all();
  REQUIRE(sites.run_until([&] { return sites.clock(0).state == sync::ClockState::Behind; }, 5));
  CHECK_THAT(sites.clock(0).text, Contains("behind") && Contains("nyc") && Contains("sgp"));
  sites.run_ms(20'000);
  CHECK(sites.may_write(1));
  CHECK(sites.may_write(2));
  const auto late = sites.set_balance(1, "1");
  const auto early = sites.insert(0, {"s", "p", "o"});
  sites.run_ms(20'000);
  CHECK(sites.has(2, late->header.id));
  CHECK(sites.has(2, early->header.id));
  CHECK_FALSE(sites.has(0, late->header.id));
  sites.set_clock(0, 0);
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1, 2}); }, 60));
  CHECK(sites.clock(0).state == sync::ClockState::Agreed);
}

TEST_CASE("a clock that jumps back breaks no order, also where the site was started anew") {
  WrongClocks sites(3);
  sites.connect_all();
  sites.run_ms(2'000);
  log::Stamp last;
  const auto write = [&](const std::string& value) {
    const auto written = sites.set_balance(2, value);
    REQUIRE(written.ok());
    CHECK(written->header.stamp > last);
    last = written->header.stamp;
  };
  write("1");
  REQUIRE(sites.run_until([&] { return sites.balance(0) == std::vector<std::string>{"1"}; }, 10));
  sites.set_clock(2, -4 * minute_ms);
  write("2");
  sites.run_ms(2'000);
  sites.restart(2);
  write("3");
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1, 2}); }, 60));
  for (size_t i = 0; i < 3; ++i) CHECK(sites.balance(i) == std::vector<std::string>{"3"});
  // Updates elsewhere that have seen it come after it, whatever the clocks say.
  REQUIRE(sites.set_balance(0, "4").ok());
  REQUIRE(sites.run_until([&] { return sites.is_at_rest({0, 1, 2}); }, 60));
  for (size_t i = 0; i < 3; ++i) CHECK(sites.balance(i) == std::vector<std::string>{"4"});
  CHECK(sites.clock(2).state == sync::ClockState::Agreed);
}
