// Peers that break the rules: each costs its connection and nothing more, and is named.
#include <capnp/rpc-twoparty.h>

#include <catch2/catch.hpp>

#include "sync/batch.h"
#include "sync/greeting.h"
#include "sync/heartbeat_book.h"
#include "tests/sync/virtual_network.h"

using namespace quadrille;  // NOLINT
using test::VirtualNetwork;
using test::VirtualSite;

namespace {

// What a site says to us, taken down.
class Notes final : public sync::wire::Sink::Server {
 public:
  std::vector<sync::BatchEntry> entries;
  kj::Promise<void> push(PushContext context) override {
    const auto batch = sync::read_batch(context.getParams().getBatch());
    REQUIRE(batch.ok());
    entries.insert(entries.end(), batch->entries.begin(), batch->entries.end());
    context.getResults().initAck().initVector();
    if (answers_pushes) return kj::READY_NOW;
    return kj::NEVER_DONE;
  }
  kj::Promise<void> report(ReportContext) override { return kj::READY_NOW; }
  kj::Promise<void> ping(PingContext) override { return kj::READY_NOW; }
  kj::Promise<void> goodbye(GoodbyeContext context) override {
    said = context.getParams().getText().cStr();
    return kj::READY_NOW;
  }
  bool answers_pushes = true;
  std::string said;
};

// Dials the site `ams` of the network as its member `nyc`, and speaks the protocol by hand.
struct Hostile {
  VirtualNetwork& net;
  kj::Own<kj::AsyncIoStream> stream;
  capnp::TwoPartyVatNetwork vats;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc;
  Notes* notes;
  sync::wire::Sink::Client own_sink;
  sync::wire::Sink::Client sink = nullptr;
  sync::Greeting greeting;
  sync::Compressor compressor;
  std::vector<kj::Promise<void>> calls;

  explicit Hostile(VirtualNetwork& network)
      : net(network),
        stream(dial(network)),
        vats(*stream, capnp::rpc::twoparty::Side::CLIENT),
        rpc(capnp::makeRpcClient(vats)),
        own_sink(nullptr) {
    auto made = kj::heap<Notes>();
    notes = made.get();
    own_sink = kj::mv(made);
    const auto& identity = net["nyc"].store.identity();
    greeting.cluster = identity.cluster;
    greeting.founders = identity.members;
    greeting.members = identity.members;
    greeting.site = identity.site;
    greeting.nonce = 42;
    greeting.assignments = net["nyc"].store.assignment_digests();
  }
  static kj::Own<kj::AsyncIoStream> dial(VirtualNetwork& network) {
    auto ends = network.connect();
    network["ams"].node->accept(kj::mv(ends.second));
    return kj::mv(ends.first);
  }

  sync::wire::Greeter::Client greeter() {
    capnp::MallocMessageBuilder message;
    auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
    vat.setSide(capnp::rpc::twoparty::Side::SERVER);
    return rpc.bootstrap(vat).castAs<sync::wire::Greeter>();
  }
  void hello() {
    auto request = greeter().helloRequest();
    sync::write_greeting(greeting, request.initGreeting());
    request.setSink(own_sink);
    auto response = request.send().wait(net.scope);
    REQUIRE(response.getAnswer().isSink());
    sink = response.getAnswer().getSink();
  }
  void report() { sink.reportRequest().send().wait(net.scope); }
  void greet() {
    hello();
    report();
  }
  sync::OutgoingBatch batch_of(const std::vector<log::ShippedChangeset>& changesets) {
    sync::OutgoingBatch batch;
    for (const auto& changeset : changesets) {
      const auto header = log::encode_header(changeset.header);
      batch.data += header;
      batch.entries.emplace_back(sync::DataPart{sync::PartKind::Header, header.size()});
      for (const auto& chunk : changeset.chunks) {
        batch.data += chunk;
        batch.entries.emplace_back(sync::DataPart{sync::PartKind::LastPiece, chunk.size()});
      }
    }
    return batch;
  }
  void push(const sync::OutgoingBatch& batch) {
    auto request = sink.pushRequest();
    sync::write_batch(batch, compressor, request.initBatch());
    send(kj::mv(request));
  }
  template <class Request>
  void send(Request request) {
    calls.push_back(request.send().ignoreResult().catch_([](kj::Exception&&) {}).eagerlyEvaluate(nullptr));
  }
};

struct HostileNet {
  VirtualNetwork net{{"ams", "nyc", "sgp"}};
  std::unique_ptr<Hostile> hostile;

  HostileNet() {
    net["ams"].start();
    net["sgp"].start();
    net["sgp"].node->keep_connected("ams");
    net.run_ms(1000);
    hostile = std::make_unique<Hostile>(net);
  }
  // The connection has ended for a reason that says so, nothing was applied, and the site goes on with others.
  void check_that_it_cost_the_connection(const std::string& reason) {
    net.run_ms(3000);
    CAPTURE(reason, net["ams"].troubles);
    CHECK(net["ams"].has_trouble(reason));
    const auto status = net["ams"].peer("nyc");
    CHECK(status.state == sync::PeerState::Disconnected);
    CHECK(status.trouble.find(reason) != std::string::npos);
    CHECK(hostile->vats.onDisconnect().poll(net.scope));
    CHECK(net["ams"].applied.empty());
    net["ams"].write({"still here"});
    CHECK(net.run_until([&] { return net["sgp"].applied.size() == 1; }, 5));
    CHECK(net["sgp"].peer("ams").state == sync::PeerState::Connected);
  }
};

}  // namespace

TEST_CASE("a peer that keeps the rules, by hand, is heard") {
  HostileNet test;
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({test.net["nyc"].store.prepare({"a", "b"})}));
  CHECK(test.net.run_until([&] { return test.net["sgp"].applied.size() == 1; }, 5));
  CHECK(test.net["ams"].peer("nyc").state == sync::PeerState::Connected);
}

TEST_CASE("changesets in the name of the receiver end the connection") {
  HostileNet test;
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({test.net["ams"].store.prepare({"forged"})}));
  test.check_that_it_cost_the_connection("which this site never wrote");
}

TEST_CASE("changesets of a stranger end the connection") {
  HostileNet test;
  auto changeset = test.net["nyc"].store.prepare({"x"});
  changeset.header.id.origin.name = "stranger";
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({changeset}));
  test.check_that_it_cost_the_connection("which is no member");
}

TEST_CASE("a gap in the peer's own changesets ends the connection") {
  HostileNet test;
  test.net["nyc"].store.write({"1"});
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({test.net["nyc"].store.prepare({"2"})}));
  test.check_that_it_cost_the_connection("which it depends on");
}

TEST_CASE("a changeset whose dependencies do not cover the one before it ends the connection") {
  HostileNet test;
  test.net["nyc"].store.write({"1"});
  auto changeset = test.net["nyc"].store.prepare({"2"});
  changeset.header.dependencies = {};
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({changeset}));
  test.check_that_it_cost_the_connection("which it depends on");
}

TEST_CASE("a changeset that waits for another connection waits, and does no harm") {
  HostileNet test;
  auto changeset = test.net["nyc"].store.prepare({"x"});
  changeset.header.dependencies.raise(test.net["sgp"].id(), 1);  // sgp is connected to ams, so it may come from there
  changeset.header.hash = test::hash_of(changeset, {});
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({changeset}));
  test.net.run_ms(1000);
  CHECK(test.net["ams"].applied.empty());
  test.net["sgp"].write({"first"});
  CHECK(test.net.run_until([&] { return test.net["ams"].applied.size() == 2; }, 5));
}

TEST_CASE("a changeset whose hash is wrong ends the connection, and nothing of it is applied") {
  HostileNet test;
  auto changeset = test.net["nyc"].store.prepare({"x"});
  changeset.chunks[0] = "y";
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({changeset}));
  test.check_that_it_cost_the_connection("breaks the hash chain");
}

TEST_CASE("a heartbeat that names what has not come settles nothing") {
  HostileNet test;
  test.net["ams"].write({"1"});
  test.hostile->greet();
  sync::OutgoingBatch batch;
  reconcile::Heartbeat early{test.net["nyc"].id(), 1, {}, {}};
  early.vector.raise(test.net["ams"].id(), 1);
  early.vector.raise(test.net["nyc"].id(), 1);  // written, but not sent
  batch.entries.emplace_back(early);
  test.hostile->push(batch);
  test.net.run_ms(5000);
  CHECK(test.net["ams"].node->waiting_for() == std::vector<std::string>{"nyc"});
  CHECK(test.net["ams"].store.folded.empty());
  test.hostile->push(test.hostile->batch_of({test.net["nyc"].store.prepare({"x"})}));
  CHECK(test.net.run_until([&] { return test.net["ams"].store.folded.covers(test.net["ams"].id(), 1); }, 5));
}

TEST_CASE("heartbeats in the name of the receiver, of strangers, or of what was never written end the connection") {
  HostileNet test;
  reconcile::Heartbeat heartbeat{test.net["nyc"].id(), 1, {}, {}};
  std::string reason;
  switch (GENERATE(0, 1, 2)) {
    case 0:
      heartbeat.site = test.net["ams"].id();
      reason = "in the name of this site";
      break;
    case 1:
      heartbeat.site.name = "stranger";
      reason = "which is no member";
      break;
    default: heartbeat.vector.raise(test.net["ams"].id(), 7); reason = "this site never wrote";
  }
  test.hostile->greet();
  sync::OutgoingBatch batch;
  batch.entries.emplace_back(heartbeat);
  test.hostile->push(batch);
  test.check_that_it_cost_the_connection(reason);
}

TEST_CASE("a peer that speaks for another incarnation of itself loses its connection") {
  HostileNet test;
  test.hostile->greet();
  sync::OutgoingBatch batch;
  batch.entries.emplace_back(reconcile::Heartbeat{{"nyc", 7}, 1, {}, {}});
  test.hostile->push(batch);
  test.check_that_it_cost_the_connection("another incarnation of nyc");
}

TEST_CASE("heartbeats of ever new incarnations of a member do not pile up") {
  sync::HeartbeatBook book;
  int kept = 0;
  for (uint64_t i = 1; i < 100; ++i) kept += book.add({{"nyc", i}, 1, {}, {}}) ? 1 : 0;
  CHECK(kept == 4);
  CHECK(book.add({{"sgp", 1}, 1, {}, {}}));
}

TEST_CASE("batches that are not what they say end the connection") {
  HostileNet test;
  auto& hostile = *test.hostile;
  hostile.greet();
  auto request = hostile.sink.pushRequest();
  auto batch = request.initBatch();
  auto good = hostile.batch_of({test.net["nyc"].store.prepare({"x"})});
  std::string reason;
  switch (GENERATE(range(0, 9))) {
    case 0:  // a bomb
      batch.setDataBytes(UINT64_MAX);
      reason = "more than 64 MiB";
      break;
    case 1:
      sync::write_batch(good, hostile.compressor, batch);
      batch.setDataBytes(batch.getDataBytes() + 1);
      reason = "no entry speaks of";
      break;
    case 2:
      sync::write_batch(good, hostile.compressor, batch);
      for (auto& byte : batch.getData()) byte = 0x55;
      reason = "not one Zstandard frame";
      break;
    case 3:
      good.entries.erase(good.entries.begin());
      good.data.erase(0, log::encode_header(test.net["nyc"].store.prepare({"x"}).header).size());
      sync::write_batch(good, hostile.compressor, batch);
      reason = "a piece of no changeset";
      break;
    case 4:
      good.entries.pop_back();
      good.entries.push_back(good.entries.front());
      good.data = good.data.substr(0, good.data.size() - 1) + good.data.substr(0, good.data.size() - 1);
      sync::write_batch(good, hostile.compressor, batch);
      reason = "begins before the one before is complete";
      break;
    case 5:
      good.data[0] = '\x7f';
      sync::write_batch(good, hostile.compressor, batch);
      reason = "";
      break;
    case 6:
      good.round = 5;
      sync::write_batch(good, hostile.compressor, batch);
      reason = "a round that was not reported";
      break;
    case 7:
      batch.initEntries(1)[0].setPiece(UINT64_MAX);
      reason = "longer than its data";
      break;
    default: batch.initEntries(70'000); reason = "more than 65536 entries";
  }
  hostile.send(kj::mv(request));
  test.check_that_it_cost_the_connection(reason);
}

TEST_CASE("a changeset that never ends is refused at the limit") {
  VirtualNetwork net({"ams", "nyc"});
  sync::SyncOptions options;
  options.changeset_bytes_max = 1'000'000;
  net["ams"].start(options);
  Hostile hostile(net);
  hostile.greet();
  auto changeset = net["nyc"].store.prepare({"x"});
  auto batch = hostile.batch_of({changeset});
  std::get<sync::DataPart>(batch.entries.back()).kind = sync::PartKind::Piece;
  hostile.push(batch);
  for (int i = 0; i < 30; ++i) {
    sync::OutgoingBatch more;
    more.data.assign(100'000, 'x');
    more.entries.emplace_back(sync::DataPart{sync::PartKind::Piece, more.data.size()});
    hostile.push(more);
    net.run_ms(10);
  }
  CHECK(net["ams"].has_trouble("a changeset of more than 1000000 bytes"));
}

TEST_CASE("pushing before the greeting is over ends the connection") {
  HostileNet test;
  test.hostile->hello();
  test.hostile->push(test.hostile->batch_of({test.net["nyc"].store.prepare({"x"})}));
  test.check_that_it_cost_the_connection("before the greeting was over");
}

TEST_CASE("a second greeting ends the connection") {
  HostileNet test;
  test.hostile->hello();
  auto request = test.hostile->greeter().helloRequest();
  sync::write_greeting(test.hostile->greeting, request.initGreeting());
  test.hostile->send(kj::mv(request));
  test.check_that_it_cost_the_connection("a second greeting");
}

TEST_CASE("more unanswered pushes than allowed end the connection") {
  HostileNet test;
  test.net["ams"].writer.flush_ms = 100'000;
  test.hostile->greet();
  test.hostile->push(test.hostile->batch_of({test.net["nyc"].store.prepare({"x"})}));
  sync::OutgoingBatch repeated = test.hostile->batch_of({test.net["nyc"].store.prepare({"x"})});
  for (int i = 0; i < 8; ++i) test.hostile->push(repeated);
  test.net.run_ms(100);
  CHECK(test.net["ams"].has_trouble("more than 8 pushes at once"));
}

TEST_CASE("bytes that are no messages, and messages that are too large, end the connection") {
  VirtualNetwork net({"ams", "nyc", "sgp"});
  net["ams"].start();
  net["sgp"].start();
  test::SeededRandom random(GENERATE(range(1, 21)));
  auto ends = net.connect();
  net["ams"].node->accept(kj::mv(ends.second));
  std::string junk(64 + random.below(5000), ' ');
  for (auto& c : junk) c = static_cast<char>(random.next());
  if (random.below(2) == 0) junk.replace(0, 8, std::string("\0\0\0\0\xff\xff\xff\x3f", 8));  // a message of 8 GiB
  auto writing = ends.first->write(junk.data(), junk.size()).eagerlyEvaluate([](kj::Exception&&) {});
  net.run_ms(15'000);
  CHECK_FALSE(net["ams"].troubles.empty());
  net["sgp"].node->keep_connected("ams");
  net["ams"].write({"still here"});
  CHECK(net.run_until([&] { return net["sgp"].applied.size() == 1; }, 5));
}

TEST_CASE("heartbeats come after the changesets that they name") {
  HostileNet test;
  test.net["ams"].write({"1"});
  test.hostile->greet();
  for (int i = 0; i < 5; ++i) {
    test.net.run_ms(700);
    test.net["ams"].write({"x"});
    test.net["sgp"].write({"y"});
  }
  test.net.run_ms(3000);
  uint64_t changesets = 0;
  uint64_t heartbeats = 0;
  for (const auto& entry : test.hostile->notes->entries) {
    if (const auto* part = std::get_if<sync::DataPart>(&entry)) {
      changesets += part->kind == sync::PartKind::Header ? 1 : 0;
      continue;
    }
    ++heartbeats;
    const auto& named = std::get<reconcile::Heartbeat>(entry).vector;
    CHECK(named.at(test.net["ams"].id()) + named.at(test.net["sgp"].id()) <= changesets);
  }
  CHECK(changesets == 11);
  CHECK(heartbeats >= 4);
}

TEST_CASE("a peer that answers nothing gets eight pushes and costs no more") {
  HostileNet test;
  test.hostile->notes->answers_pushes = false;
  test.hostile->greet();
  for (int i = 0; i < 100; ++i) {
    test.net["ams"].write({"x"});
    test.net.run_ms(10);
  }
  CHECK(test.net.run_until([&] { return test.net["sgp"].applied.size() == 100; }, 5));
  CHECK(test.hostile->notes->entries.size() < 30);
}

TEST_CASE("a batch of a round that is over is dropped, and the ones behind it are read") {
  HostileNet test;
  Hostile& peer = *test.hostile;
  peer.greet();
  const auto changeset = test.net["nyc"].store.prepare({std::string(3000, 'x')});
  test.net.for_each_wire_between("ams", "sgp", [](test::Wire& wire) { wire.cut(); });
  test.net.run_ms(100);  // ams lacks what sgp would have brought: a new round
  auto batch = peer.batch_of({changeset});
  peer.push(batch);
  batch.round = 1;
  peer.push(batch);
  CHECK(test.net.run_until([&] { return test.net["ams"].applied.size() == 1; }, 5));
  CHECK_FALSE(test.net["ams"].has_trouble("Zstandard"));
}
