#include "sim/link.h"

#include <capnp/rpc-twoparty.h>
#include <kj/debug.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "tests/sim/echo.capnp.h"

namespace quadrille::sim {
namespace {

// A link on a loop of its own.
struct Wire {
  explicit Wire(const LinkOptions& options = {}, uint64_t seed = 1)
      : loop(time.port()),
        scope(loop),
        trace(time),
        random(seed, "link"),
        link(std::make_shared<Link>(Link::Parts{time, random, trace, traffic}, options,
                                    std::array<std::string, 2>{"ams", "nyc"})),
        ams(link->stream(LinkEnd::Dialer)),
        nyc(link->stream(LinkEnd::Acceptor)) {}

  void pass_ms(int64_t ms) { time.timer().afterDelay(ms * kj::MILLISECONDS).wait(scope); }

  VirtualTime time;
  kj::EventLoop loop;
  kj::WaitScope scope;
  Trace trace;
  RandomStream random;
  LinkTraffic traffic;
  std::shared_ptr<Link> link;
  kj::Own<kj::AsyncIoStream> ams;
  kj::Own<kj::AsyncIoStream> nyc;
};

std::string read_text(kj::AsyncIoStream& stream, size_t size, kj::WaitScope& scope) {
  std::string text(size, '\0');
  text.resize(stream.tryRead(text.data(), size, size).wait(scope));
  return text;
}

bool is_ready(kj::Promise<void>& promise, kj::WaitScope& scope) { return promise.poll(scope); }

constexpr LinkOptions exact = {.latency_us = 40'000,
                               .jitter_us = 0,
                               .bytes_per_second = 1'000'000'000,
                               .window_bytes = 1000,
                               .give_up_us = 15'000'000};

TEST_CASE("bytes take the latency, and bandwidth on top") {
  auto options = exact;
  options.bytes_per_second = 1'000'000;
  Wire wire(options);
  const std::string text(500, 'x');
  wire.ams->write(text.data(), text.size()).wait(wire.scope);
  CHECK(read_text(*wire.nyc, 500, wire.scope) == text);
  CHECK(wire.time.now_us() == 40'500);
}

TEST_CASE("jitter never changes the order of bytes") {
  auto options = exact;
  options.jitter_us = 100'000;
  options.window_bytes = 1'000'000;
  Wire wire(options);
  std::string sent;
  for (int i = 0; i < 200; ++i) {
    const std::string piece = std::to_string(i) + ",";
    sent += piece;
    wire.ams->write(piece.data(), piece.size()).wait(wire.scope);
    wire.pass_ms(3);
  }
  CHECK(read_text(*wire.nyc, sent.size(), wire.scope) == sent);
}

TEST_CASE("a writer waits while the window is full, and goes on when somebody reads") {
  Wire wire(exact);
  const std::string text(1500, 'x');
  auto full = wire.ams->write(text.data(), text.size());
  wire.pass_ms(1000);
  CHECK_FALSE(is_ready(full, wire.scope));
  read_text(*wire.nyc, 600, wire.scope);
  CHECK(is_ready(full, wire.scope));
}

TEST_CASE("a reader that waits for more than the window gets it") {
  Wire wire(exact);
  std::string received(5000, '\0');
  auto reading = wire.nyc->tryRead(received.data(), 5000, 5000);
  for (int i = 0; i < 5; ++i) {
    const std::string text(1000, 'x');
    wire.ams->write(text.data(), text.size()).wait(wire.scope);
  }
  CHECK(reading.wait(wire.scope) == 5000);
}

TEST_CASE("a cut stalls bytes of its direction alone, and they arrive when it ends") {
  Wire wire(exact);
  wire.link->set_cut(LinkEnd::Dialer, true);
  wire.ams->write("abc", 3).wait(wire.scope);
  wire.nyc->write("xyz", 3).wait(wire.scope);
  CHECK(read_text(*wire.ams, 3, wire.scope) == "xyz");
  wire.pass_ms(5000);
  wire.link->set_cut(LinkEnd::Dialer, false);
  CHECK(read_text(*wire.nyc, 3, wire.scope) == "abc");
  CHECK(wire.time.now_us() == 40'000 + 5'000'000 + 40'000);
}

TEST_CASE("a cut that outlasts the patience of a writer loses the connection on both sides") {
  Wire wire(exact);
  wire.link->set_cut(LinkEnd::Dialer, true);
  wire.ams->write("abc", 3).wait(wire.scope);
  auto noticed = wire.ams->whenWriteDisconnected();
  wire.pass_ms(14'000);
  CHECK_FALSE(is_ready(noticed, wire.scope));
  wire.pass_ms(2'000);
  CHECK(is_ready(noticed, wire.scope));
  CHECK_FALSE(wire.link->is_alive());
  CHECK_THROWS_AS(read_text(*wire.nyc, 1, wire.scope), kj::Exception);
}

TEST_CASE("a cut that nobody writes into loses nothing") {
  Wire wire(exact);
  wire.link->set_cut(LinkEnd::Dialer, true);
  wire.pass_ms(100'000);
  wire.link->set_cut(LinkEnd::Dialer, false);
  wire.ams->write("abc", 3).wait(wire.scope);
  CHECK(read_text(*wire.nyc, 3, wire.scope) == "abc");
}

TEST_CASE("a lost connection rejects reads and writes that wait, and loses what is on its way") {
  Wire wire(exact);
  const std::string text(1500, 'x');
  auto writing = wire.ams->write(text.data(), text.size());
  char byte = 0;
  auto reading = wire.ams->tryRead(&byte, 1, 1);
  wire.pass_ms(10);
  wire.link->lose();
  CHECK_THROWS_AS(writing.wait(wire.scope), kj::Exception);
  CHECK_THROWS_AS(reading.wait(wire.scope), kj::Exception);
  CHECK_THROWS_AS(read_text(*wire.nyc, 1, wire.scope), kj::Exception);
  CHECK_THROWS_AS(wire.nyc->write("x", 1).wait(wire.scope), kj::Exception);
}

TEST_CASE("what a process had written before its end arrives, and then the end of the stream") {
  Wire wire(exact);
  wire.ams->write("last words", 10).wait(wire.scope);
  wire.link->end_process(LinkEnd::Dialer);
  CHECK_THROWS_AS(wire.ams->write("from the grave", 14).wait(wire.scope), kj::Exception);
  wire.ams = nullptr;
  CHECK(read_text(*wire.nyc, 100, wire.scope) == "last words");
}

TEST_CASE("who writes to a process that is gone is told so a round trip later") {
  Wire wire(exact);
  wire.link->end_process(LinkEnd::Dialer);
  wire.ams = nullptr;
  auto noticed = wire.nyc->whenWriteDisconnected();
  wire.nyc->write("hello?", 6).wait(wire.scope);
  wire.pass_ms(79);
  CHECK_FALSE(is_ready(noticed, wire.scope));
  wire.pass_ms(2);
  CHECK(is_ready(noticed, wire.scope));
  CHECK_THROWS_AS(wire.nyc->write("hello?", 6).wait(wire.scope), kj::Exception);
}

TEST_CASE("a paused process reads nothing until it goes on") {
  Wire wire(exact);
  char byte = 0;
  auto reading = wire.nyc->tryRead(&byte, 1, 1);
  wire.link->set_paused(LinkEnd::Acceptor, true);
  wire.ams->write("a", 1).wait(wire.scope);
  wire.pass_ms(1000);
  CHECK_FALSE(reading.poll(wire.scope));
  wire.link->set_paused(LinkEnd::Acceptor, false);
  CHECK(reading.wait(wire.scope) == 1);
}

TEST_CASE("a read that is dropped takes nothing, and does not write into its buffer later") {
  Wire wire(exact);
  std::string dropped(4, '.');
  {
    auto reading = wire.nyc->tryRead(dropped.data(), 4, 4);
    wire.ams->write("ab", 2).wait(wire.scope);
    wire.pass_ms(100);
  }
  wire.ams->write("cd", 2).wait(wire.scope);
  wire.pass_ms(100);
  CHECK(dropped == "....");
  CHECK(read_text(*wire.nyc, 4, wire.scope) == "abcd");
}

TEST_CASE("promises may outlive their stream") {
  Wire wire(exact);
  char byte = 0;
  auto reading = kj::heap(wire.nyc->tryRead(&byte, 1, 1));
  auto noticed = kj::heap(wire.nyc->whenWriteDisconnected());
  const std::string text(1500, 'x');
  auto writing = kj::heap(wire.nyc->write(text.data(), text.size()));
  wire.nyc = nullptr;
  wire.link = nullptr;
  wire.ams = nullptr;
  wire.pass_ms(100);
  writing = nullptr;
  noticed = nullptr;
  reading = nullptr;
}

#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // kj::Own remembers how to destroy what it owns
// The sum of all that it was told.
class EchoServer final : public Echo::Server {
 public:
  kj::Promise<void> add(AddContext context) override {
    sum_ += context.getParams().getNumber();
    context.getResults().setSum(sum_);
    return kj::READY_NOW;
  }
  kj::Promise<void> note(NoteContext context) override {
    sum_ += context.getParams().getNumber();
    return kj::READY_NOW;
  }

 private:
  uint64_t sum_ = 0;
};

struct RpcRun {
  uint64_t answered = 0;
  bool was_lost = false;
  uint64_t trace_hash = 0;
};

// Calls over a link that is cut, mended and lost at moments drawn from the seed.
RpcRun talk(uint64_t seed) {
  Wire wire({.latency_us = 20'000,
             .jitter_us = 10'000,
             .bytes_per_second = 200'000,
             .window_bytes = 4096,
             .give_up_us = 2'000'000},
            seed);
  RandomStream random(seed, "cuts");
  RpcRun run;
  {
    capnp::TwoPartyVatNetwork server_side(*wire.nyc, capnp::rpc::twoparty::Side::SERVER);
    auto server = capnp::makeRpcServer(server_side, Echo::Client(kj::heap<EchoServer>()));
    capnp::TwoPartyVatNetwork client_side(*wire.ams, capnp::rpc::twoparty::Side::CLIENT);
    auto client = capnp::makeRpcClient(client_side);
    capnp::MallocMessageBuilder message;
    auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
    vat.setSide(capnp::rpc::twoparty::Side::SERVER);
    auto echo = client.bootstrap(vat).castAs<Echo>();
    Alarm change(wire.time);
    std::function<void()> ring = [&]() {
      const auto end = random.chance(0.5) ? LinkEnd::Dialer : LinkEnd::Acceptor;
      if (random.chance(0.02)) {
        wire.link->lose();
      } else {
        wire.link->set_cut(end, random.chance(0.4));
      }
      change.set(wire.time.now_us() + random.between(1'000, 300'000), ring);
    };
    change.set(random.between(1'000, 300'000), ring);
    const std::string padding(3000, 'p');
    uint64_t sum = 0;
    for (uint64_t i = 1; i <= 100 && !run.was_lost; ++i) {
      const auto failure = kj::runCatchingExceptions([&]() {
        auto note = echo.noteRequest();
        note.setNumber(i);
        note.setPadding(capnp::Data::Reader(reinterpret_cast<const kj::byte*>(padding.data()), padding.size()));
        note.send().wait(wire.scope);
        auto add = echo.addRequest();
        add.setNumber(1);
        auto answer = add.send().wait(wire.scope);
        sum += i + 1;
        REQUIRE(answer.getSum() == sum);
        ++run.answered;
      });
      KJ_IF_MAYBE (exception, failure) {
        REQUIRE(exception->getType() == kj::Exception::Type::DISCONNECTED);
        run.was_lost = true;
      }
    }
  }
  run.trace_hash = wire.trace.hash();
  return run;
}

TEST_CASE(
    "Cap'n Proto RPC over a faulty link answers rightly or says that the connection is lost, the same each time") {
  uint64_t lost = 0;
  uint64_t answered = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto run = talk(seed);
    const auto again = talk(seed);
    REQUIRE(run.trace_hash == again.trace_hash);
    REQUIRE(run.answered == again.answered);
    lost += run.was_lost;
    answered += run.answered;
  }
  CHECK(lost > 10);
  CHECK(lost < 60);
  CHECK(answered > 600);
}

}  // namespace
}  // namespace quadrille::sim
