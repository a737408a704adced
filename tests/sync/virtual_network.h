// Sync nodes in one process, under virtual time, over pipes in memory that a test can cut at any byte.
#pragma once

#include <kj/async-io.h>
#include <kj/debug.h>
#include <kj/timer.h>
#include <kj/vector.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sync/sync_node.h"
#include "tests/support/seeded_random.h"
#include "tests/sync/fake_site_store.h"

namespace quadrille::test {

// Time jumps to the next timer whenever nothing is left to run.
class VirtualPort final : public kj::EventPort {
 public:
  kj::TimerImpl timer{kj::origin<kj::TimePoint>()};
  uint64_t jumps = 0;

  bool wait() override {
    KJ_IF_MAYBE (next, timer.nextEvent()) {
      ++jumps;
      timer.advanceTo(*next);
      return false;
    }
    FAIL("nothing will ever happen again");
    return false;
  }
  bool poll() override { return false; }
};

// One connection: both directions, and how many bytes may still pass before it breaks.
struct Wire {
  uint64_t bytes_left = UINT64_MAX;
  bool is_cut = false;
  bool is_stalled = false;  // takes what is written, and delivers nothing
  kj::Canceler operations;

  void cut() {
    is_cut = true;
    operations.cancel(KJ_EXCEPTION(DISCONNECTED, "the wire was cut"));
  }
};

class WireEnd final : public kj::AsyncIoStream {
 public:
  WireEnd(std::shared_ptr<Wire> wire, kj::Own<kj::AsyncIoStream> inner)
      : wire_(std::move(wire)), inner_(kj::mv(inner)) {}

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    if (wire_->is_cut) return broken();
    return wire_->operations.wrap(inner_->tryRead(buffer, min_bytes, max_bytes));
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    if (wire_->is_cut) return broken();
    if (wire_->is_stalled) return kj::READY_NOW;
    if (size <= wire_->bytes_left) {
      wire_->bytes_left -= size;
      return wire_->operations.wrap(inner_->write(buffer, size));
    }
    auto part = wire_->operations.wrap(inner_->write(buffer, wire_->bytes_left));
    wire_->bytes_left = 0;
    return part.then([this]() -> kj::Promise<void> {
      return kj::evalLater([this]() -> kj::Promise<void> {
        wire_->cut();
        return broken();
      });
    });
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    kj::Vector<kj::byte> all;
    for (const auto& piece : pieces) all.addAll(piece);
    auto bytes = all.releaseAsArray();
    auto written = write(bytes.begin(), bytes.size());
    return written.attach(kj::mv(bytes));
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override { inner_->shutdownWrite(); }

 private:
  static kj::Exception broken() { return KJ_EXCEPTION(DISCONNECTED, "the wire was cut"); }

  std::shared_ptr<Wire> wire_;
  kj::Own<kj::AsyncIoStream> inner_;
};

// Runs jobs at once; answers after a delay, as a disk does.
class FakeWriteQueue final : public reconcile::WriteQueue, private kj::TaskSet::ErrorHandler {
 public:
  FakeWriteQueue(reconcile::SiteStore& store, kj::Timer& timer) : store_(store), timer_(timer), tasks_(*this) {}
  ~FakeWriteQueue() noexcept override = default;

  void submit(std::function<void(reconcile::WriteGroup&)> job,
              std::function<void(const base::Result<void>&)> done) override {
    auto group = store_.begin();
    job(**group);
    auto committed = (*group)->commit();
    tasks_.add(
        timer_.afterDelay(flush_ms * kj::MILLISECONDS).then([done = std::move(done), committed] { done(committed); }));
  }
  uint32_t flush_ms = 2;

 private:
  void taskFailed(kj::Exception&& exception) override { FAIL(exception.getDescription().cStr()); }

  reconcile::SiteStore& store_;
  kj::Timer& timer_;
  kj::TaskSet tasks_;
};

// Runs with virtual time, wrong by so much.
class VirtualWallClock final : public base::WallClock {
 public:
  explicit VirtualWallClock(kj::Timer& timer) : timer_(timer) {}
  int64_t now_ms() const override {
    return 1'000'000 + skew_ms + (timer_.now() - kj::origin<kj::TimePoint>()) / kj::MILLISECONDS;
  }
  int64_t skew_ms = 0;

 private:
  kj::Timer& timer_;
};

class VirtualNetwork;

// A site of the network: a fake store and a real SyncNode.
struct VirtualSite final : sync::Dialer, sync::SyncObserver {
  VirtualSite(VirtualNetwork& network, std::string name, reconcile::SiteIdentity identity);
  ~VirtualSite() noexcept override = default;

  kj::Promise<sync::Connection> dial(const std::string& address) override;
  void on_applied(const reconcile::ApplyReport& report) override {
    for (const auto& header : report.applied) applied.push_back(header.id);
  }
  void on_trouble(const std::string& line) override { troubles.push_back(line); }

  void start(const sync::SyncOptions& options = {});
  void stop() { node = nullptr; }
  void write(std::vector<std::string> chunks) { node->on_local_commit(store.write(std::move(chunks))); }
  const log::SiteId& id() const { return store.identity().site; }
  sync::PeerStatus peer(const std::string& name) const;  // by the name of the site
  bool has_trouble(const std::string& part) const;

  VirtualNetwork& network;
  std::string name;
  FakeSiteStore store;
  FakeWriteQueue writer;
  VirtualWallClock clock;
  SeededRandom random;
  uint64_t dials = 0;
  std::vector<log::ChangesetId> applied;
  std::vector<std::string> troubles;
  std::unique_ptr<sync::SyncNode> node;
};

class VirtualNetwork {
 public:
  VirtualPort port;
  kj::EventLoop loop{port};
  kj::WaitScope scope{loop};
  std::map<std::string, std::unique_ptr<VirtualSite>> sites;
  std::vector<std::weak_ptr<Wire>> wires;
  std::map<std::set<std::string>, std::vector<std::weak_ptr<Wire>>> wires_between;
  std::function<uint64_t()> bytes_of_next_wire = [] { return UINT64_MAX; };
  std::set<std::set<std::string>> blocked;  // pairs that cannot reach each other

  explicit VirtualNetwork(const std::vector<std::string>& names, uint64_t seed = 1);
  ~VirtualNetwork();

  VirtualSite& operator[](const std::string& name) { return *sites.at(name); }
  std::map<std::string, std::string> certificates;  // by site: the name that its certificate says; none: it shows none
  sync::Connection certified(kj::Own<kj::AsyncIoStream> stream, const std::string& site) const;
  // Both ends of a new connection.
  std::pair<kj::Own<kj::AsyncIoStream>, kj::Own<kj::AsyncIoStream>> connect();
  void cut_all();
  void for_each_wire_between(const std::string& a, const std::string& b, const std::function<void(Wire&)>& action);
  void run_ms(uint64_t ms) { port.timer.afterDelay(ms * kj::MILLISECONDS).wait(scope); }
  // False if it does not come true within that virtual time.
  bool run_until(const std::function<bool()>& condition, uint64_t seconds = 60);
  // Every site has what every other has.
  bool is_converged() const;

  uint64_t seed;
};

}  // namespace quadrille::test
