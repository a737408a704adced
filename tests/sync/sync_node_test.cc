// Sites that keep the rules, on a network that does not.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sync/virtual_network.h"

using namespace quadrille;  // NOLINT
using test::VirtualNetwork;
using test::VirtualSite;

namespace {

void start_all(VirtualNetwork& net, const sync::SyncOptions& options = {}) {
  for (auto& [name, site] : net.sites) site->start(options);
}

void connect_all(VirtualNetwork& net) {
  for (auto& [name, site] : net.sites) {
    for (auto& [other, peer] : net.sites) {
      if (name != other) site->node->keep_connected(other);
    }
  }
}

// No changeset was applied twice, and each entered after what it depends on.
void check_log(const VirtualSite& site) {
  log::VersionVector seen;
  for (const auto& entry : site.store.entries) {
    const auto& id = entry.header.id;
    CHECK(id.seq == seen.at(id.origin) + 1);
    CHECK(seen.covers(entry.header.dependencies));
    seen.raise(id.origin, id.seq);
  }
}

bool is_settled(const VirtualSite& site) {
  return site.node->waiting_for().empty() && site.store.folded.covers(site.store.vector);
}

std::string random_text(test::SeededRandom& random, size_t size) {
  std::string text(size, ' ');
  for (auto& c : text) c = static_cast<char>(random.next());
  return text;
}

}  // namespace

TEST_CASE("what three connected sites write reaches all of them, directly and once") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(100);
  for (int i = 0; i < 20; ++i) {
    for (auto& [name, site] : net.sites) site->write({"from " + name + std::to_string(i)});
    net.run_ms(5);
  }
  REQUIRE(net.run_until([&] { return net.is_converged(); }));
  for (auto& [name, site] : net.sites) {
    check_log(*site);
    CHECK(site->applied.size() == 40);
    CHECK(site->store.repeats == 0);
    for (const auto& status : site->node->peers()) {
      CHECK(status.state == sync::PeerState::Connected);
      CHECK(status.changesets_sent == 20);  // only its own: the others are connected directly
      CHECK(status.changesets_received == 20);
      CHECK(status.trouble.empty());
    }
  }
}

TEST_CASE("everything settles and folds at all sites soon after the last write") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(100);
  for (auto& [name, site] : net.sites) site->write({"x"});
  REQUIRE(net.run_until(
      [&] {
        return std::all_of(net.sites.begin(), net.sites.end(),
                           [](const auto& each) { return is_settled(*each.second); });
      },
      5));
}

TEST_CASE("a changeset is applied at another site within the time of the network and two commits") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  net["ams"].node->keep_connected("nyc");
  net.run_ms(1000);
  net["ams"].write({"x"});
  CHECK(net.run_until([&] { return net["nyc"].applied.size() == 1; }, 1));
  net.run_ms(10);
  CHECK(net["ams"].peer("nyc").has.at(net["ams"].id()) == 1);
}

TEST_CASE("wherever connections are cut, streams go on, and nothing is applied twice or lost") {
  const uint64_t seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  VirtualNetwork net({"ams", "nyc", "sgp"}, seed);
  test::SeededRandom random(seed);
  net.bytes_of_next_wire = [&] { return 200 + random.below(30'000); };
  sync::SyncOptions options;
  options.batch_bytes_max = 700;  // changesets and chunks do not end where batches do
  start_all(net, options);
  connect_all(net);
  for (int i = 0; i < 30; ++i) {
    for (auto& [name, site] : net.sites) {
      if (random.below(3) != 0) continue;
      std::vector<std::string> chunks;
      for (uint64_t chunk = random.below(4); chunk > 0; --chunk)
        chunks.push_back(random_text(random, random.below(2000)));
      site->write(std::move(chunks));
    }
    net.run_ms(random.below(400));
  }
  net.bytes_of_next_wire = [] { return UINT64_MAX; };
  net.cut_all();
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 120));
  for (auto& [name, site] : net.sites) check_log(*site);
}

TEST_CASE("in a line with an idle end, the window of the other end empties") {
  VirtualNetwork net({"ams", "mid", "sgp"});
  start_all(net);
  net["ams"].node->keep_connected("mid");
  net["mid"].node->keep_connected("sgp");
  net.run_ms(100);
  for (int i = 0; i < 10; ++i) net["ams"].write({std::to_string(i)});
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 5));
  CHECK(net.run_until([&] { return is_settled(net["ams"]); }, 10));
  CHECK(net.run_until([&] { return is_settled(net["sgp"]); }, 10));
}

TEST_CASE("when a direct connection is lost, its changesets come over the third site, without delay or gap") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(1000);
  net.blocked = {{"ams", "sgp"}};
  net.cut_all();
  net.run_ms(20'000);
  for (int i = 0; i < 10; ++i) {
    net["ams"].write({"a" + std::to_string(i)});
    net["sgp"].write({"s" + std::to_string(i)});
  }
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 2));
  CHECK(net["ams"].peer("sgp").state == sync::PeerState::Disconnected);
  CHECK(net["ams"].peer("sgp").trouble.find("nobody answers") != std::string::npos);
  for (auto& [name, site] : net.sites) check_log(*site);

  net.blocked.clear();
  CHECK(net.run_until([&] { return net["ams"].peer("sgp").state == sync::PeerState::Connected; }, 15));
  for (auto& [name, site] : net.sites) CHECK(site->troubles.size() < 20);
}

TEST_CASE("what a third site left to a direct connection comes from it after all when that connection is lost") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(1000);
  net.for_each_wire_between("ams", "sgp", [](test::Wire& wire) { wire.is_stalled = true; });
  net["ams"].write({"1"});
  net.run_ms(100);
  net["nyc"].write({"2"});  // has seen the one of ams; sgp gets it, and has to wait for that one
  net.run_ms(100);
  CHECK(net["sgp"].applied.empty());
  net.blocked = {{"ams", "sgp"}};
  net.for_each_wire_between("ams", "sgp", [](test::Wire& wire) { wire.cut(); });
  CHECK(net.run_until([&] { return net["sgp"].applied.size() == 2; }, 1));
  check_log(net["sgp"]);
}

TEST_CASE("a site that was away catches up, and the others had gone on without it") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(100);
  net["sgp"].stop();
  for (int i = 0; i < 500; ++i) net["ams"].write({std::to_string(i)});
  REQUIRE(net.run_until([&] { return net["nyc"].store.vector == net["ams"].store.vector; }, 5));
  net.run_ms(3000);
  CHECK_FALSE(net["ams"].store.folded.covers(net["ams"].id(), 1));
  CHECK(net["ams"].node->waiting_for() == std::vector<std::string>{"sgp"});
  net["sgp"].start();
  net["sgp"].node->keep_connected("ams");
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 15));
  CHECK(net.run_until([&] { return is_settled(net["ams"]); }, 15));
}

TEST_CASE("a restarted site goes on with what its log and its peers tell it") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  connect_all(net);
  net["ams"].write({"1"});
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 5));
  net["nyc"].stop();
  net["ams"].write({"2"});
  net["nyc"].start();
  net["nyc"].write({"3"});
  net["nyc"].node->keep_connected("ams");
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 15));
  CHECK(net.run_until([&] { return is_settled(net["ams"]) && is_settled(net["nyc"]); }, 15));
}

TEST_CASE("a transaction larger than a message appears at once, also when the connection is lost within it") {
  VirtualNetwork net({"ams", "nyc"});
  test::SeededRandom random(7);
  sync::SyncOptions options;
  options.batch_bytes_max = 64 * 1024;
  start_all(net, options);
  std::vector<std::string> chunks;
  for (int i = 0; i < 100; ++i) chunks.push_back(random_text(random, 50'000));
  net.bytes_of_next_wire = [&] { return 2'000'000; };  // of more than five
  net["ams"].write(chunks);
  net["ams"].write({"after"});
  net["ams"].node->keep_connected("nyc");
  net.run_ms(50);
  CHECK(net["nyc"].applied.empty());
  net.bytes_of_next_wire = [] { return UINT64_MAX; };
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 20));
  CHECK(net["nyc"].store.entries[0].chunks == chunks);
  check_log(net["nyc"]);
}

TEST_CASE("of two connections that two sites make to each other one is kept, and it stays") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  connect_all(net);
  net.run_ms(20'000);
  const uint64_t dials = net["ams"].dials + net["nyc"].dials;
  net.run_ms(200'000);
  CHECK(net["ams"].dials + net["nyc"].dials == dials);
  CHECK(net["ams"].peer("nyc").state == sync::PeerState::Connected);
  CHECK(net["nyc"].peer("ams").state == sync::PeerState::Connected);
  CHECK(net["ams"].troubles.empty());
  CHECK(net["nyc"].troubles.empty());
}

TEST_CASE("a site that dials itself is told so and goes on") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  net["ams"].node->keep_connected("ams");
  net["ams"].node->keep_connected("nyc");
  net.run_ms(1000);
  CHECK(net["ams"].has_trouble("dialed itself"));
  net["ams"].write({"x"});
  CHECK(net.run_until([&] { return net.is_converged(); }, 5));
}

TEST_CASE("a peer that does not fit is refused, both sides say why, and both go on") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  const auto spoil = [&](VirtualSite& site) -> std::string {
    switch (GENERATE(0, 1, 2)) {
      case 0: {
        auto identity = site.store.identity();
        identity.cluster = "other";
        std::destroy_at(&site.store);
        std::construct_at(&site.store, identity);
        return "different clusters";
      }
      case 1: site.store.digest[0] = 1; return "different policy assignments";
      default: {
        auto identity = site.store.identity();
        identity.members = {"nyc", "sgp"};
        std::destroy_at(&site.store);
        std::construct_at(&site.store, identity);
        return "different founding members";
      }
    }
  };
  const std::string reason = spoil(net["sgp"]);
  CAPTURE(reason);
  start_all(net);
  net["ams"].node->keep_connected("nyc");
  net["sgp"].node->keep_connected("ams");
  net.run_ms(30'000);
  for (const auto& [here, there] : {std::pair{"ams", "sgp"}, std::pair{"sgp", "ams"}}) {
    CAPTURE(here);
    CHECK(net[here].peer(there).state == sync::PeerState::Refused);
    CHECK(net[here].peer(there).trouble.find(reason) != std::string::npos);
    CHECK(net[here].has_trouble(reason));
  }
  CHECK(net["sgp"].dials < 15);  // slowly
  net["ams"].write({"x"});
  net.run_ms(100);
  CHECK(net["nyc"].applied.size() == 1);
  CHECK(net["sgp"].applied.empty());
}

TEST_CASE("a site whose directory lost changesets that others have is refused") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  connect_all(net);
  net["ams"].write({"1"});
  net["ams"].write({"2"});
  REQUIRE(net.run_until([&] { return net.is_converged(); }, 5));
  net["ams"].stop();
  net["ams"].store.entries.pop_back();
  net["ams"].store.vector = {};
  net["ams"].store.vector.raise(net["ams"].id(), 1);
  net["ams"].start();
  net["ams"].node->keep_connected("nyc");
  net.run_ms(20'000);
  CHECK(net["ams"].has_trouble("has lost data"));
  CHECK(net["nyc"].has_trouble("has lost data"));
}

TEST_CASE("a site that cannot store what comes in says so, and catches up when it can again") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  connect_all(net);
  net.run_ms(1000);
  net["nyc"].store.fails_to_commit = true;
  net["ams"].write({"1"});
  net.run_ms(10'000);
  CHECK(net["nyc"].has_trouble("the disk is full"));
  CHECK(net["ams"].has_trouble("the disk is full"));
  net["nyc"].store.fails_to_commit = false;
  CHECK(net.run_until([&] { return net.is_converged(); }, 15));
}

TEST_CASE("a log that no longer keeps what a peer lacks is named, and the peer gets no gap") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  for (int i = 0; i < 5; ++i) net["ams"].write({"x"});
  net["ams"].store.first_kept = 3;
  net["ams"].node->keep_connected("nyc");
  net.run_ms(1000);
  CHECK(net["ams"].has_trouble("no longer keeps"));
  CHECK(net["nyc"].applied.empty());
}

TEST_CASE("a slow writer at one site does not delay another") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(100);
  net["sgp"].writer.flush_ms = 100'000;
  for (int i = 0; i < 200; ++i) net["ams"].write({std::string(100'000, 'x')});
  CHECK(net.run_until([&] { return net["nyc"].store.vector == net["ams"].store.vector; }, 10));
  CHECK(net["ams"].peer("sgp").changesets_sent <= 40);  // eight batches, the rest stays in the log
}

TEST_CASE("nothing is passed on or acknowledged before it is durable") {
  VirtualNetwork net({"ams", "mid", "sgp"});
  start_all(net);
  net["ams"].node->keep_connected("mid");
  net["sgp"].node->keep_connected("mid");
  net.run_ms(1000);
  net["mid"].writer.flush_ms = 5000;
  net["ams"].write({"x"});
  net.run_ms(4500);
  CHECK(net["mid"].store.entries.size() == 1);  // there, but it could still be undone
  CHECK(net["sgp"].store.entries.empty());
  CHECK(net["ams"].peer("mid").has.empty());
  net.run_ms(1500);
  CHECK(net["sgp"].store.entries.size() == 1);
  CHECK(net["ams"].peer("mid").has.at(net["ams"].id()) == 1);
}

TEST_CASE("callers that do not greet cannot pile up") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  std::vector<kj::Own<kj::AsyncIoStream>> callers;
  for (int i = 0; i < 200; ++i) {
    auto ends = net.connect();
    net["ams"].node->accept(kj::mv(ends.second));
    callers.push_back(kj::mv(ends.first));
  }
  net.run_ms(100);
  const auto hung_up = std::count_if(callers.begin(), callers.end(), [&](auto& caller) {
    char byte;
    auto reading = caller->tryRead(&byte, 1, 1);
    return reading.poll(net.scope);
  });
  CHECK(hung_up == 200 - 64);
  net.run_ms(15'000);
  net["nyc"].node->keep_connected("ams");
  net["nyc"].write({"x"});
  CHECK(net.run_until([&] { return net.is_converged(); }, 5));
}

TEST_CASE("a site that nobody answers dials ever more slowly") {
  VirtualNetwork net({"ams", "nyc"});
  net["ams"].start();
  net["ams"].node->keep_connected("nyc");
  net.run_ms(5000);
  CHECK(net["ams"].dials >= 5);
  const uint64_t before = net["ams"].dials;
  net.run_ms(100'000);
  CHECK(net["ams"].dials - before >= 18);
  CHECK(net["ams"].dials - before <= 45);
  CHECK(net["ams"].troubles.size() == 1);
}

TEST_CASE("idle sites cost a heartbeat each ten seconds and nothing else") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  net.run_ms(100);
  for (auto& [name, site] : net.sites) site->write({"x"});
  net.run_ms(60'000);
  const uint64_t before = net.port.jumps;
  net.run_ms(10'000'000);
  // 1,000 heartbeats at each of three sites: one timer and one commit each, and now and then a ping.
  CHECK(net.port.jumps - before < 10'000);
}

TEST_CASE("a caller that does not greet is given up") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  auto connection = net.connect();
  net["ams"].node->accept(kj::mv(connection.first));
  net.run_ms(15'000);
  CHECK(net["ams"].has_trouble("no greeting"));
}

TEST_CASE("a peer that falls silent is given up, although its connection stays open") {
  VirtualNetwork net({"ams", "nyc"});
  start_all(net);
  net["ams"].node->keep_connected("nyc");
  net.run_ms(1000);
  for (const auto& each : net.wires) each.lock()->is_stalled = true;
  net.run_ms(45'000);
  CHECK(net["ams"].has_trouble("silent for"));
  CHECK(net["ams"].peer("nyc").state == sync::PeerState::Connected);  // by a new connection
}

TEST_CASE("a node may go while jobs, dials and pushes of it are under way") {
  const uint64_t after_ms = GENERATE(0, 1, 2, 3, 5, 8, 12, 20, 33, 1001);
  VirtualNetwork net({"ams", "nyc", "sgp"});
  start_all(net);
  connect_all(net);
  for (int i = 0; i < 50; ++i) net["ams"].write({std::string(10'000, 'x')});
  net.run_ms(after_ms);
  net["nyc"].stop();
  net.run_ms(1);
  net["ams"].stop();
  net.run_ms(20'000);
  CHECK(net["sgp"].node->peers().size() == 2);
}

TEST_CASE("a site that shows the certificate of another one is let in by neither side, and takes nobody's place") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  net.certificates = {{"ams", "ams"}, {"nyc", "nyc"}, {"sgp", "nyc"}};
  net["ams"].start();
  net["nyc"].start();
  net["sgp"].start();
  net["nyc"].node->keep_connected("ams");
  REQUIRE(net.run_until([&] { return net["ams"].peer("nyc").state == sync::PeerState::Connected; }));
  net["sgp"].node->keep_connected("ams");  // tells ams that it is sgp
  net["ams"].node->keep_connected("sgp");  // answers so
  const std::string line = "it has the certificate of site nyc, and says that it is site sgp";
  CHECK(net.run_until([&] { return net["ams"].has_trouble("a caller that did not greet: " + line); }));
  CHECK(net.run_until([&] { return net["ams"].has_trouble("sgp: " + line); }));
  net["sgp"].write({"of sgp"});
  net.run_ms(10'000);
  CHECK(net["ams"].applied.empty());
  CHECK(net["ams"].peer("nyc").state == sync::PeerState::Connected);
  CHECK(net["ams"].peer("nyc").trouble.empty());
  CHECK(net["sgp"].peer("ams").state != sync::PeerState::Connected);
}

TEST_CASE("sites that show their own certificates talk") {
  VirtualNetwork net({"ams", "nyc"});
  net.certificates = {{"ams", "ams"}, {"nyc", "nyc"}};
  net["ams"].start();
  net["nyc"].start();
  net["nyc"].node->keep_connected("ams");
  net["ams"].write({"of ams"});
  CHECK(net.run_until([&] { return net.is_converged(); }));
}
