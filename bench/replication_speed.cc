// How fast one site gets what another writes, over loopback: two sites in one process, a thread, an event loop and a
// writer each, connected as two processes would be.
//
//   replication_speed [transactions] [quads in each] [directory of certificates]
//
// With the last one by TLS: ca.crt, ams.crt, ams.key, nyc.crt and nyc.key are there (docs/operations.md makes them).
//
// Prints: the rate at which a site that was away catches up; the same while the other one writes; the time from a
// commit of one quad to its visibility at the other site while both idle.
#include <fmt/format.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "bench/measuring.h"
#include "policies/built_in.h"
#include "reconcile/site_store.h"
#include "replica/transport/dialer.h"
#include "replica/transport/event_port.h"
#include "replica/transport/listener.h"
#include "replica/transport/plain_stream.h"
#include "replica/transport/tls_acceptor.h"
#include "replica/transport/tls_dialer.h"
#include "replica/writer_thread.h"
#include "sync/sync_node.h"

using namespace quadrille;  // NOLINT

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct SystemClock final : base::WallClock {
  int64_t now_ms() const override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }
};
struct CountingRandom final : base::RandomSource {
  std::atomic<uint64_t> state{1};
  uint64_t next() override { return state++ * 0x9E3779B97F4A7C15u; }
};

struct Shared {
  SystemClock wall_clock;
  CountingRandom random;
  reconcile::PolicyRegistry policies = policies::built_in();
  bench::ScratchDirectory directory;
  std::filesystem::path certificates;  // empty: without TLS
};

template <class Value>
Value must(base::Result<Value> result) {
  if (result.ok()) return std::move(result).value();
  fmt::print(stderr, "replication_speed: {}\n", result.error().message);
  std::exit(1);
}

void must(const base::Result<void>& result) {
  if (result.ok()) return;
  fmt::print(stderr, "replication_speed: {}\n", result.error().message);
  std::exit(1);
}

class BenchSite final : public sync::SyncObserver {
 public:
  BenchSite(Shared& shared, const std::string& name) : shared_(shared) {
    const auto path = shared.directory.path() / name;
    const reconcile::SiteIdentity identity{{name, 1}, "bench", {"ams", "nyc"}, {}};
    must(reconcile::SiteStore::create(path, identity, shared.policies, {}));
    std::promise<uint16_t> listening;
    thread_ = std::thread([this, name, &listening] { run(name, listening); });
    port_ = listening.get_future().get();
  }
  ~BenchSite() noexcept override {
    call([this] { stop_->fulfill(); });
    thread_.join();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // Runs it on the site's thread, and waits for it.
  template <class Work>
  void call(Work work) {
    std::promise<void> done;
    asio::post(io_, [&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  void keep_connected(const std::string& address) {
    call([&] { node_->keep_connected(address); });
  }
  // One transaction; `committed` is called on the site's thread once it is durable.
  void write(uint64_t first, uint64_t count, std::function<void()> committed) {
    auto header = std::make_shared<log::ChangesetHeader>();
    writer_->submit(
        [=](reconcile::WriteGroup& group) {
          *header = must(group.update([&](model::QuadTarget& target) -> base::Result<void> {
                      for (uint64_t i = first; i < first + count; ++i) insert(target, i);
                      return {};
                    })).header;
        },
        [=, this](const base::Result<void>& done) {
          must(done);
          node_->on_local_commit(*header);
          committed();
        });
  }
  // The same one after the other, each when the one before is durable; waits for the last one.
  void write_all(uint64_t first, uint64_t transactions, uint64_t count) {
    for (uint64_t i = 0; i < transactions; ++i) {
      std::promise<void> done;
      write(first + i * count, count, [&done] { done.set_value(); });
      done.get_future().wait();
    }
  }

  void on_applied(const reconcile::ApplyReport& report) override { operations_ += report.operations; }
  void on_trouble(const std::string& line) override { fmt::print(stderr, "{}\n", line); }
  uint64_t operations() const { return operations_; }

 private:
  static void insert(model::QuadTarget& target, uint64_t i) {
    using model::Term;
    const auto subject = Term::iri(fmt::format("http://bench.example/instances/product{}", i / 10));
    const auto property = Term::iri(fmt::format("http://bench.example/vocabulary/property{}", i % 10));
    const auto object = i % 2 == 0 ? Term::literal(fmt::format("value {} of a product, in a few words", i * 7919))
                                   : Term::iri(fmt::format("http://bench.example/instances/feature{}", i % 5000));
    target.insert(
        {target.intern(subject), target.intern(property), target.intern(object), model::TermId::default_graph()});
  }

  void run(const std::string& name, std::promise<uint16_t>& listening) {
    replica::AsioEventPort port(io_);
    kj::EventLoop loop(port);
    kj::WaitScope scope(loop);
    replica::AsioEventPort::share_time(scope);
    auto stop = kj::newPromiseAndFulfiller<void>();
    stop_ = kj::mv(stop.fulfiller);

    store_ = must(reconcile::SiteStore::open(shared_.directory.path() / name,
                                             {shared_.policies, shared_.wall_clock, shared_.random}, {}));
    const auto& identity = store_->identity();
    replica::WriterThread writer(*store_, [this](std::function<void()> task) { asio::post(io_, std::move(task)); });
    writer_ = &writer;
    replica::AsioDialer tcp(io_);
    const replica::IsMember is_member = [](const std::string& site) { return site == "ams" || site == "nyc"; };
    std::unique_ptr<replica::TlsCertificates> certificates;
    std::unique_ptr<replica::TlsDialer> tls;
    std::unique_ptr<replica::TlsAcceptor> acceptor;
    if (!shared_.certificates.empty()) {
      const auto& where = shared_.certificates;
      certificates = must(
          replica::TlsCertificates::read({where / (name + ".crt"), where / (name + ".key"), where / "ca.crt"}, name));
      tls = std::make_unique<replica::TlsDialer>(tcp, *certificates, is_member);
      acceptor = std::make_unique<replica::TlsAcceptor>(replica::TlsAcceptor::Parts{
          .certificates = *certificates,
          .is_member = is_member,
          .timer = port.timer(),
          .accepted = [this](sync::Connection connection) { node_->accept(kj::mv(connection)); },
          .on_refused = [this](const std::string& line) { on_trouble(line); }});
    }
    sync::Dialer& dialer = tls ? static_cast<sync::Dialer&>(*tls) : tcp;
    auto stability = std::make_unique<reconcile::Stability>(
        identity.site, std::set<std::string>(identity.members.begin(), identity.members.end()));
    node_ = sync::SyncNode::make(
        {*store_, writer, std::move(stability), dialer, port.timer(), shared_.wall_clock, shared_.random, *this}, {});
    auto listener = must(replica::AsioListener::listen(io_, "127.0.0.1:0",
                                                       [&](kj::Own<kj::AsyncIoStream> stream, const std::string& from) {
                                                         if (acceptor) return acceptor->accept(kj::mv(stream), from);
                                                         node_->accept(replica::make_plain(kj::mv(stream)));
                                                       }));
    listening.set_value(listener->port());
    stop.promise.wait(scope);
    listener.reset();
    node_.reset();
    stop_ = nullptr;
  }

  Shared& shared_;
  asio::io_context io_;
  std::unique_ptr<reconcile::SiteStore> store_;
  std::unique_ptr<sync::SyncNode> node_;
  reconcile::WriteQueue* writer_ = nullptr;  // lives in run()
  kj::Own<kj::PromiseFulfiller<void>> stop_;
  std::atomic<uint64_t> operations_{0};
  uint16_t port_ = 0;
  std::thread thread_;
};

void print_rate(const char* what, uint64_t count, Clock::time_point start, const char* unit) {
  fmt::print("{:<24}{:>10.0f} {}\n", what, static_cast<double>(count) / seconds_since(start), unit);
  std::fflush(stdout);
}

void wait_for(const BenchSite& site, uint64_t operations) {
  while (site.operations() < operations) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// A site that was away while another one took many small updates.
void catch_up_with_small() {
  constexpr uint64_t count = 40'000;
  Shared others;
  BenchSite ams(others, "ams");
  BenchSite nyc(others, "nyc");
  auto start = Clock::now();
  for (uint64_t i = 0; i < count; ++i) ams.write(i, 1, [] {});
  ams.write_all(count, 1, 1);
  print_rate("one quad each, alone", count, start, "transactions/s");
  start = Clock::now();
  nyc.keep_connected(ams.address());
  wait_for(nyc, count + 1);
  print_rate("one quad each, caught up", count, start, "transactions/s");
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t transactions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50;
  const uint64_t quads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000;
  Shared shared;
  if (argc > 3) shared.certificates = argv[3];
  {
    BenchSite ams(shared, "ams");
    BenchSite nyc(shared, "nyc");
    const uint64_t total = transactions * quads;
    auto start = Clock::now();
    ams.write_all(0, transactions, quads);
    print_rate("written alone", total, start, "quads/s");

    start = Clock::now();
    nyc.keep_connected(ams.address());
    wait_for(nyc, total);
    print_rate("caught up", total, start, "quads/s");

    start = Clock::now();
    ams.write_all(total, transactions, quads);
    wait_for(nyc, 2 * total);
    print_rate("written and passed on", total, start, "quads/s");

    constexpr uint64_t small = 5000;
    start = Clock::now();
    uint64_t before = nyc.operations();
    for (uint64_t i = 0; i < small; ++i) ams.write(2 * total + i, 1, [] {});
    wait_for(nyc, before + small);
    print_rate("one quad each", small, start, "transactions/s");

    std::vector<double> latencies;
    for (uint64_t i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      before = nyc.operations();
      ams.write_all(3 * total + i, 1, 1);
      const auto committed = Clock::now();
      wait_for(nyc, before + 1);
      latencies.push_back(seconds_since(committed) * 1000);
    }
    std::sort(latencies.begin(), latencies.end());
    fmt::print("{:<24}{:>10.2f} ms p50, {:.2f} ms p99\n", "commit to visible, idle", latencies[100], latencies[197]);
  }
  catch_up_with_small();
}
