// Over loopback sockets, on a real loop.
#include <kj/async-io.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "replica/transport/dialer.h"
#include "replica/transport/event_port.h"
#include "replica/transport/listener.h"

using namespace quadrille;  // NOLINT

namespace {

using Stream = kj::Own<kj::AsyncIoStream>;

// A loop, a listener, and what it accepted.
struct Loopback {
  asio::io_context io;
  replica::AsioEventPort port{io};
  kj::EventLoop loop{port};
  kj::WaitScope scope{loop};
  replica::AsioDialer dialer{io};
  std::vector<Stream> accepted;
  std::unique_ptr<replica::AsioListener> listener;

  Loopback() {
    replica::AsioEventPort::share_time(scope);
    auto made = replica::AsioListener::listen(
        io, "127.0.0.1:0", [this](Stream stream, const std::string&) { accepted.push_back(kj::mv(stream)); });
    REQUIRE(made.ok());
    listener = std::move(made).value();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(listener->port()); }

  void sleep_ms(int ms) { port.timer().afterDelay(ms * kj::MILLISECONDS).wait(scope); }

  // Both ends of one new connection.
  std::pair<Stream, Stream> connect() {
    const size_t before = accepted.size();
    auto ours = dialer.dial(address()).wait(scope).stream;
    while (accepted.size() == before) sleep_ms(1);
    auto theirs = kj::mv(accepted.back());
    accepted.pop_back();
    return {kj::mv(ours), kj::mv(theirs)};
  }
};

std::string pattern(size_t size) {
  std::string text(size, ' ');
  uint32_t state = 1;
  for (auto& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

kj::Promise<void> echo(kj::AsyncIoStream& stream, kj::ArrayPtr<kj::byte> buffer) {
  return stream.tryRead(buffer.begin(), 1, buffer.size()).then([&stream, buffer](size_t count) -> kj::Promise<void> {
    if (count == 0) return kj::READY_NOW;
    return stream.write(buffer.begin(), count).then([&stream, buffer] { return echo(stream, buffer); });
  });
}

}  // namespace

TEST_CASE("what is written to a connection comes back from an echo, byte for byte") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  auto buffer = kj::heapArray<kj::byte>(100'000);
  auto echoing = echo(*theirs, buffer).eagerlyEvaluate(nullptr);

  const std::string sent = pattern(10'000'000);
  auto writing = ours->write(sent.data(), sent.size()).eagerlyEvaluate(nullptr);
  std::string received(sent.size(), '\0');
  ours->read(received.data(), received.size()).wait(net.scope);
  writing.wait(net.scope);
  CHECK(received == sent);
}

TEST_CASE("pieces are written in order, also more of them than one system call takes and empty ones") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  const std::string text = pattern(1000);
  std::vector<kj::ArrayPtr<const kj::byte>> pieces;
  for (size_t i = 0; i < text.size(); ++i) {
    pieces.emplace_back(reinterpret_cast<const kj::byte*>(text.data()) + i, 1);
    if (i % 3 == 0) pieces.emplace_back();
  }
  ours->write(kj::arrayPtr(pieces.data(), pieces.size())).wait(net.scope);
  ours->shutdownWrite();
  CHECK(theirs->readAllText().wait(net.scope) == kj::StringPtr(text.c_str(), text.size()));
}

TEST_CASE("a read that is dropped loses no bytes and touches no memory afterwards") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  {
    auto buffer = kj::heapArray<kj::byte>(64);  // freed below, with the read still waiting
    auto dropped = theirs->tryRead(buffer.begin(), 64, 64).eagerlyEvaluate(nullptr);
    net.sleep_ms(5);
  }
  ours->write("0123456789", 10).wait(net.scope);
  net.sleep_ms(5);
  char text[10];
  theirs->read(text, 10).wait(net.scope);
  CHECK(std::string(text, 10) == "0123456789");
}

TEST_CASE("a stream may be destroyed right after its pending read and write are dropped") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  const std::string much = pattern(50'000'000);
  {
    char buffer[1];
    auto reading = ours->tryRead(buffer, 1, 1).eagerlyEvaluate(nullptr);
    auto writing = ours->write(much.data(), much.size()).eagerlyEvaluate(nullptr);
    net.sleep_ms(5);
  }
  ours = nullptr;
  // The other side gets what had left, then the end.
  CHECK(theirs->readAllBytes().wait(net.scope).size() < much.size());
}

TEST_CASE("a write to a peer that goes away in the middle fails as disconnected") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  auto watching = ours->whenWriteDisconnected().eagerlyEvaluate(nullptr);
  const std::string much = pattern(50'000'000);
  auto writing = ours->write(much.data(), much.size()).eagerlyEvaluate(nullptr);
  net.sleep_ms(5);
  CHECK_FALSE(writing.poll(net.scope));
  CHECK_FALSE(watching.poll(net.scope));
  theirs = nullptr;
  KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { writing.wait(net.scope); })) {
    CHECK(exception->getType() == kj::Exception::Type::DISCONNECTED);
  } else {
    FAIL("the write went through");
  }
  watching.wait(net.scope);
}

TEST_CASE("a peer that hangs up is noticed without writing") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  auto watching = ours->whenWriteDisconnected().eagerlyEvaluate(nullptr);
  ours->write("x", 1).wait(net.scope);  // never read: closing then resets the connection
  net.sleep_ms(5);
  theirs = nullptr;
  net.port.timer().timeoutAfter(5 * kj::SECONDS, kj::mv(watching)).wait(net.scope);
}

TEST_CASE("two hundred connections at once each carry their own bytes") {
  Loopback net;
  std::vector<std::pair<Stream, Stream>> connections;
  std::vector<kj::Promise<void>> exchanges;
  for (int i = 0; i < 200; ++i) connections.push_back(net.connect());
  std::vector<std::string> sent;
  std::vector<std::string> received;
  for (int i = 0; i < 200; ++i) sent.push_back(pattern(20'000 + static_cast<size_t>(i)));
  for (const auto& text : sent) received.emplace_back(text.size(), '\0');
  for (size_t i = 0; i < connections.size(); ++i) {
    exchanges.push_back(connections[i].first->write(sent[i].data(), sent[i].size()).eagerlyEvaluate(nullptr));
    exchanges.push_back(connections[i].second->read(received[i].data(), received[i].size()).eagerlyEvaluate(nullptr));
  }
  for (auto& exchange : exchanges) exchange.wait(net.scope);
  CHECK(received == sent);
}

TEST_CASE("dialing where nobody listens fails as disconnected, in words for people") {
  Loopback net;
  const std::string address = net.address();
  net.listener = nullptr;
  KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] { net.dialer.dial(address).wait(net.scope); })) {
    CHECK(exception->getType() == kj::Exception::Type::DISCONNECTED);
    CHECK(std::string(exception->getDescription().cStr()) == "cannot connect: Connection refused");
  } else {
    FAIL("somebody answered");
  }
}

TEST_CASE("a dial that is dropped connects to nobody") {
  Loopback net;
  { auto dropped = net.dialer.dial(net.address()); }
  net.sleep_ms(20);
  for (auto& stream : net.accepted) {
    char byte;
    CHECK(stream->tryRead(&byte, 1, 1).wait(net.scope) == 0);
  }
}

TEST_CASE("a second listener on one port is told that it is in use") {
  Loopback net;
  const auto second = replica::AsioListener::listen(net.io, net.address(), [](Stream, const std::string&) {});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().kind == base::ErrorKind::Busy);
  CHECK(second.error().message.find(net.address()) != std::string::npos);
}

TEST_CASE("an address without a port, with a bad port or with bare colons is refused in one line") {
  Loopback net;
  for (const std::string address : {"localhost", "localhost:", "localhost:70000", "localhost:1x", ":80", "::1:80"}) {
    CAPTURE(address);
    const auto made = replica::AsioListener::listen(net.io, address, [](Stream, const std::string&) {});
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().kind == base::ErrorKind::InvalidInput);
  }
}

TEST_CASE("an idle loop sleeps until another thread posts to it") {
  Loopback net;
  auto [promise, fulfiller] = kj::newPromiseAndFulfiller<void>();
  std::thread other([&net, done = fulfiller.get()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    asio::post(net.io, [done] { done->fulfill(); });
  });
  const auto cpu_before = std::clock();
  promise.wait(net.scope);
  other.join();
  CHECK(static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC < 0.1);
}

TEST_CASE("timers fire in order and not early") {
  const auto start = std::chrono::steady_clock::now();  // before the loop's own clock, which stands between its turns
  Loopback net;
  std::string order;
  auto late = net.port.timer().afterDelay(30 * kj::MILLISECONDS).then([&] { order += "b"; }).eagerlyEvaluate(nullptr);
  auto early = net.port.timer().afterDelay(10 * kj::MILLISECONDS).then([&] { order += "a"; }).eagerlyEvaluate(nullptr);
  late.wait(net.scope);
  CHECK(order == "ab");
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(30));
}

TEST_CASE("a busy connection does not keep a timer from firing") {
  Loopback net;
  auto [ours, theirs] = net.connect();
  const std::string chunk = pattern(1'000'000);
  std::function<kj::Promise<void>()> flood = [&] {
    return ours->write(chunk.data(), chunk.size()).then([&] { return flood(); });
  };
  auto flooding = flood().eagerlyEvaluate([](kj::Exception&&) {});
  auto buffer = kj::heapArray<kj::byte>(4096);
  std::function<kj::Promise<void>()> drain = [&] {
    return theirs->tryRead(buffer.begin(), 1, buffer.size()).then([&](size_t) { return drain(); });
  };
  auto draining = drain().eagerlyEvaluate([](kj::Exception&&) {});
  const auto start = std::chrono::steady_clock::now();
  net.sleep_ms(50);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1000));
}
