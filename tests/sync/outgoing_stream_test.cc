// What one peer is sent, without a connection.
#include "sync/outgoing_stream.h"

#include <catch2/catch.hpp>

#include "tests/sync/fake_site_store.h"

using namespace quadrille;  // NOLINT

namespace {

struct Stream {
  test::FakeSiteStore store{{{"ams", 1}, "test", {"ams", "nyc", "sgp"}, {}}};
  log::VersionVector durable;
  sync::OutgoingStream stream{{store, durable, 1000}, {{"nyc", 2}, {}, {}}};

  void write(size_t bytes) {
    const auto header = store.write({std::string(bytes, 'x')});
    durable.raise(header.id.origin, header.id.seq);
  }
  reconcile::Heartbeat heartbeat(uint64_t number) const { return {{"ams", 1}, number, {}, durable}; }
  // "H" a header, "." a piece, ":" a last piece, and the number of a heartbeat; a blank between batches.
  std::string drain() {
    std::string text;
    while (true) {
      const auto batch = stream.next_batch();
      REQUIRE(batch.ok());
      if (!*batch) return text;
      if (!text.empty()) text += ' ';
      for (const auto& entry : (*batch)->entries) {
        if (const auto* heartbeat = std::get_if<reconcile::Heartbeat>(&entry)) {
          text += std::to_string(heartbeat->number);
        } else {
          text += "H.:"[static_cast<int>(std::get<sync::DataPart>(entry).kind)];
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("a stream has the log in order, cut where a batch is full") {
  Stream test;
  test.write(10);
  test.write(10);
  test.write(2500);
  test.write(10);
  CHECK(test.drain() == "H:H:H. . :H:");
  CHECK(test.drain().empty());
}

TEST_CASE("a heartbeat stands after all that it names, and before what came later") {
  Stream test;
  test.write(10);
  test.write(1500);
  test.stream.add_heartbeat(test.heartbeat(7), 2);
  test.write(10);
  CHECK(test.drain() == "H:H. :7H:");
}

TEST_CASE("a heartbeat never stands within a changeset") {
  Stream test;
  test.write(2500);
  auto first = test.stream.next_batch();
  REQUIRE(first.ok());
  test.stream.add_heartbeat(test.heartbeat(7), 0);
  CHECK(test.drain() == ". :7");
}

TEST_CASE("of waiting heartbeats the first and the newest stay") {
  Stream test;
  test.write(10);
  for (uint64_t number = 1; number <= 9; ++number) test.stream.add_heartbeat(test.heartbeat(number), 1);
  CHECK(test.drain() == "H:19");
}

TEST_CASE("what is not durable here is not sent") {
  Stream test;
  test.write(10);
  test.store.write({"not yet"});
  CHECK(test.drain() == "H:");
  test.durable = test.store.vector;
  CHECK(test.drain() == "H:");
}

TEST_CASE("a new round starts again at what the peer has") {
  Stream test;
  for (int i = 0; i < 3; ++i) test.write(10);
  test.drain();
  log::VersionVector has;
  has.raise({"ams", 1}, 1);
  test.stream.on_report({}, has, 0);  // nothing new
  CHECK(test.drain().empty());
  test.stream.on_report({}, has, 1);
  CHECK(test.drain() == "H:H:");
}

TEST_CASE("what was sent and answered but is not there is sent again") {
  Stream test;
  test.write(10);
  test.drain();
  CHECK(test.stream.start_again_if_lost());
  CHECK(test.drain() == "H:");
  test.stream.on_ack(test.durable);
  CHECK_FALSE(test.stream.start_again_if_lost());
}

TEST_CASE("what the peer holds back stays here with what depends on it, until a new round asks for it") {
  Stream test;
  test.write(10);
  test.write(10);
  CHECK(test.drain() == "H:H:");
  const log::SiteId ams{"ams", 1};
  log::VersionVector has;
  has.raise(ams, 1);
  log::VersionVector held;
  held.raise(ams, 2);
  test.stream.on_report({}, has, 0, held);
  CHECK_FALSE(test.stream.start_again_if_lost());
  test.write(10);
  test.stream.add_heartbeat(test.heartbeat(7), 3);
  CHECK(test.drain() == "7");
  // Of another site, one that has seen it and one that has not.
  for (const uint64_t seen : {1, 2}) {
    auto other = test.store.entries.front();
    other.header.id = {{"sgp", 3}, seen};
    other.header.dependencies = {};
    other.header.dependencies.raise(ams, seen);
    test.store.entries.push_back(other);
    test.durable.raise({"sgp", 3}, seen);
  }
  CHECK(test.drain() == "H:");
  test.stream.on_report({}, has, 1);
  CHECK(test.drain() == "H:H:H:H:");
}
