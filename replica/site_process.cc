#include "replica/site_process.h"

#include <fmt/format.h>
#include <kj/async.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "replica/http/access.h"
#include "replica/http/replies.h"
#include "replica/http/server.h"
#include "replica/http/service.h"
#include "replica/recent_trouble.h"
#include "replica/site/comparisons.h"
#include "replica/site/disk_forecast.h"
#include "replica/site/site.h"
#include "replica/site/store_copies.h"
#include "replica/thread_task_runner.h"
#include "replica/transport/dialer.h"
#include "replica/transport/event_port.h"
#include "replica/transport/listener.h"
#include "replica/transport/plain_stream.h"
#include "replica/transport/tls_acceptor.h"
#include "replica/transport/tls_dialer.h"
#include "replica/web/web_federation.h"
#include "replica/writer_thread.h"
#include "sync/address.h"

namespace quadrille::replica {
namespace {

constexpr int stop_patience_ms = 5'000;
// With relaxed durability: how much of what was answered a crash may undo.
constexpr int relaxed_group_ms = 10;

class TroubleObserver final : public sync::SyncObserver {
 public:
  explicit TroubleObserver(RecentTrouble& trouble) : trouble_(trouble) {}
  void on_trouble(const std::string& line) override { trouble_.add(line); }

 private:
  RecentTrouble& trouble_;
};

std::string address_of(const sync::HostPort& asked, uint16_t port) {
  return asked.host.find(':') == std::string::npos ? fmt::format("{}:{}", asked.host, port)
                                                   : fmt::format("[{}]:{}", asked.host, port);
}

constexpr uint64_t full_soon_s = 86'400;

sync::SyncOptions sync_options(const SiteConfig& config) {
  sync::SyncOptions options;
  options.compare_every_ms = static_cast<uint32_t>(config.compare_every_s * 1000);
  options.max_clock_skew_ms = config.max_clock_skew_ms;
  return options;
}

// All that a serving site is made of. Members go in the reverse order: first what uses the rest.
class SiteProcess {
 public:
  SiteProcess(SiteProcessParts parts, std::unique_ptr<TlsCertificates> certificates)
      : config_(std::move(parts.config)),
        policies_(parts.policies),
        policy_troubles_(parts.policy_troubles),
        directory_(parts.directory),
        reload_(std::move(parts.reload)),
        access_(std::make_shared<const http::AccessRules>(config_.http_access)),
        copies_(*parts.store, parts.directory, parts.run.wall_clock, parts.run.steady_clock, parts.run.random),
        federation_(config_.federation, parts.run.steady_clock),
        port_(io_),
        loop_(port_),
        scope_(loop_),
        trouble_(parts.run.wall_clock, std::move(parts.on_trouble)),
        tcp_dialer_(io_),
        certificates_(std::move(certificates)),
        comparisons_(*parts.store, parts.run.steady_clock, parts.run.random) {
    AsioEventPort::share_time(scope_);
    auto& store = *parts.store;
    // One that was evicted too: the session tells it so.
    is_member_ = [&store](const std::string& name) { return store.membership().has_ever_had(name); };
    if (certificates_) {
      certificates_->report_to([this](const std::string& line) { trouble_.add(line); });
      tls_dialer_ = std::make_unique<TlsDialer>(tcp_dialer_, *certificates_, is_member_);
    }

    const bool is_relaxed = config_.durability == Durability::Relaxed;
    auto writer = std::make_unique<WriterThread>(store, poster(), is_relaxed ? relaxed_group_ms : 0);
    writer_ = writer.get();
    site_ = std::make_unique<Site>(
        Site::Parts{.store = std::move(parts.store),
                    .answer_early = is_relaxed ? poster() : nullptr,
                    .writer = std::move(writer),
                    .stability = nullptr,
                    .sync_observer = std::make_unique<TroubleObserver>(trouble_),
                    .dialer = tls_dialer_ ? static_cast<sync::Dialer&>(*tls_dialer_) : tcp_dialer_,
                    .timer = port_.timer(),
                    .wall_clock = parts.run.wall_clock,
                    .steady_clock = parts.run.steady_clock,
                    .random = parts.run.random,
                    .sync_options = sync_options(config_),
                    .scratch = parts.run.scratch});
  }

  base::Result<ServedAt> start() {
    QUADRILLE_ASSIGN(const auto http, sync::parse_host_port(config_.http));
    QUADRILLE_ASSIGN(const auto sync, sync::parse_host_port(config_.sync));
    QUADRILLE_TRY(listen_for_sites());
    service_ =
        std::make_unique<http::Service>(http::EndpointContext{.site = *site_,
                                                              .policies = policies_,
                                                              .limits = config_.limits,
                                                              .federation = federation_.federation(),
                                                              .post_to_loop = poster(),
                                                              .stopping = &stopping_,
                                                              .run_at_length = {},
                                                              .run_load = {},
                                                              .access = [this] { return access(); },
                                                              .metrics = nullptr,
                                                              .server_counts = [this] { return server_->counts(); },
                                                              .copies = &copies_,
                                                              .comparisons = &comparisons_,
                                                              .sync_address = address_of(sync, listener_->port()),
                                                              .writer_times = [this] { return writer_->times(); },
                                                              .policy_troubles = policy_troubles_,
                                                              .process_status = [this] { return status(); },
                                                              .load_runner = &load_runner_,
                                                              .query_runner = &query_runner_});
    QUADRILLE_ASSIGN(server_,
                     http::Server::start(server_options(http), [this](std::shared_ptr<http::Exchange> exchange) {
                       service_->handle(std::move(exchange));
                     }));
    for (const auto& peer : config_.peers) site_->sync().keep_connected(peer);
    look_at_disk();
    return ServedAt{address_of(http, server_->port()), address_of(sync, listener_->port()),
                    config_.http_access.tls.has_value()};
  }

  void run_until_signal() {
    asio::signal_set signals(io_, SIGTERM, SIGINT);
    asio::signal_set hang_ups(io_, SIGHUP);
    reload_at(hang_ups);
    auto signalled = kj::newPromiseAndFulfiller<void>();
    signals.async_wait([&](const asio::error_code& error, int) {
      if (!error) signalled.fulfiller->fulfill();
    });
    signalled.promise.wait(scope_);
  }

  // SIGHUP: reads the file again, and takes over what can change while the site runs.
  void reload_at(asio::signal_set& hang_ups) {
    hang_ups.async_wait([this, &hang_ups](const asio::error_code& error, int) {
      if (error) return;
      const auto outcome = reload();
      trouble_.add(outcome.ok() ? "the configuration is read again: tokens, origins and the certificate of HTTP"
                                : "the configuration stays as it was: " + outcome.error().message);
      reload_at(hang_ups);
    });
  }

  void stop() {
    listener_.reset();
    tls_acceptor_.reset();
    site_->versions().close();
    // The loop goes on meanwhile: answers to updates come from it.
    auto stopped = kj::newPromiseAndFulfiller<void>();
    std::thread stopper([this, &stopped] {
      server_->stop(stop_patience_ms);
      asio::post(io_, [&stopped] { stopped.fulfiller->fulfill(); });
    });
    stopped.promise.wait(scope_);
    stopper.join();
    stopping_ = true;  // what still runs is an update that nobody waits for
  }

 private:
  base::Result<void> listen_for_sites() {
    if (certificates_) {
      tls_acceptor_ = std::make_unique<TlsAcceptor>(TlsAcceptor::Parts{
          .certificates = *certificates_,
          .is_member = is_member_,
          .timer = port_.timer(),
          .accepted = [this](sync::Connection connection) { site_->sync().accept(kj::mv(connection)); },
          .on_refused = [this](const std::string& line) { trouble_.add(line); }});
    }
    const auto accepted = [this](kj::Own<kj::AsyncIoStream> stream, const std::string& from) {
      if (tls_acceptor_) return tls_acceptor_->accept(kj::mv(stream), from);
      site_->sync().accept(make_plain(kj::mv(stream)));
    };
    QUADRILLE_ASSIGN(listener_, AsioListener::listen(io_, config_.sync, accepted));
    if (certificates_ || config_.allow_plain_sync || listener_->is_loopback()) return {};
    return base::Error{base::ErrorKind::Refused,
                       fmt::format("sync = {}: more than this machine reaches it, and what sites tell each other would "
                                   "not be encrypted; expected [sync.tls], or allow_plain = true in [sync]",
                                   config_.sync),
                       {}};
  }
  base::Result<void> reload() {
    if (!reload_) return {};
    QUADRILLE_ASSIGN(auto config, reload_());
    QUADRILLE_TRY(server_->reload_certificate());
    const std::lock_guard lock(access_mutex_);
    access_ = std::make_shared<const http::AccessRules>(std::move(config.http_access));
    return {};
  }
  std::shared_ptr<const http::AccessRules> access() {
    const std::lock_guard lock(access_mutex_);
    return access_;
  }

  http::ServerOptions server_options(const sync::HostPort& address) const {
    const auto& limits = config_.limits;
    http::ServerOptions options;
    options.host = address.host;
    options.port = address.port;
    const uint64_t request_max = static_cast<uint64_t>(limits.request_mb) << 20;
    const uint64_t upload_max = limits.upload_mb == 0 ? http::no_limit : static_cast<uint64_t>(limits.upload_mb) << 20;
    options.body_bytes_max = [request_max, upload_max](const http::Request& request) {
      return request.path == "/data" || request.path.starts_with("/data/") ? upload_max : request_max;
    };
    options.body_directory = directory_;
    options.head_bytes_max = static_cast<size_t>(limits.header_kb) << 10;
    options.connections_max = static_cast<unsigned>(limits.connections);
    if (config_.http_access.tls) {
      options.tls = std::make_unique<http::TlsIdentity>(
          http::TlsIdentity{config_.http_access.tls->certificate, config_.http_access.tls->key});
    }
    return options;
  }

  ProcessStatus status() {
    look_at_disk();
    return {certificates_ ? certificates_->end() : std::string(), trouble_.lines(), disk_.status()};
  }
  void look_at_disk() {
    disk_alarm_.set_after(DiskForecast::between_samples_us * kj::MICROSECONDS);
    std::error_code ignored;
    const auto file_bytes = std::filesystem::file_size(directory_ / "data.mdb", ignored);
    const auto space = std::filesystem::space(directory_, ignored);
    if (ignored) return;
    disk_.note(site_->steady_clock().now_us(), file_bytes, space.available);
    const auto full_in_s = disk_.status().full_in_s;
    if (!full_in_s || *full_in_s > full_soon_s) return;
    const auto held_by = site_->sync().waiting_for();
    trouble_.add(fmt::format("the disk of {} will be full within a day, as the store grows{}", directory_.string(),
                             held_by.empty() ? "" : fmt::format("; {} holds up settling", fmt::join(held_by, ", "))));
  }
  std::function<void(std::function<void()>)> poster() {
    return [this](std::function<void()> task) { asio::post(io_, std::move(task)); };
  }

  std::atomic<bool> stopping_{false};
  SiteConfig config_;
  const reconcile::PolicyRegistry& policies_;
  const policies::PolicyTroubleBook& policy_troubles_;
  const std::filesystem::path directory_;  // of the store
  const std::function<base::Result<SiteConfig>()> reload_;
  std::mutex access_mutex_;  // of access_
  std::shared_ptr<const http::AccessRules> access_;
  StoreCopies copies_;
  web::WebFederation federation_;
  std::unique_ptr<http::Server> server_;  // lives longer than every exchange that is held by what follows
  asio::io_context io_;
  AsioEventPort port_;
  kj::EventLoop loop_;
  kj::WaitScope scope_;
  RecentTrouble trouble_;
  IsMember is_member_;
  AsioDialer tcp_dialer_;
  std::unique_ptr<TlsCertificates> certificates_;  // none: without TLS
  std::unique_ptr<TlsDialer> tls_dialer_;
  std::unique_ptr<Site> site_;
  Comparisons comparisons_;               // has snapshots of the site's store
  const WriterThread* writer_ = nullptr;  // the site's
  DiskForecast disk_;
  sync::Alarm disk_alarm_{port_.timer(), [this] { look_at_disk(); }};
  ThreadTaskRunner load_runner_{load_width()};
  ThreadTaskRunner query_runner_{query_width()};
  std::unique_ptr<http::Service> service_;
  std::unique_ptr<TlsAcceptor> tls_acceptor_;
  std::unique_ptr<AsioListener> listener_;
};

// A connection is a descriptor, and shells allow few.
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

base::Result<std::unique_ptr<TlsCertificates>> read_certificates(const SiteProcessParts& parts) {
  if (!parts.config.sync_tls) return std::unique_ptr<TlsCertificates>();
  const auto& files = *parts.config.sync_tls;
  return TlsCertificates::read({files.certificate, files.key, files.ca}, parts.store->identity().site.name);
}

}  // namespace

base::Result<void> check_config(const SiteConfig& config, const reconcile::SiteStore& store,
                                const reconcile::PolicyRegistry& policies) {
  const auto& identity = store.identity();
  const auto differs = [](const char* what, const std::string& given, const std::string& stored) {
    return base::Error{
        base::ErrorKind::Mismatch,
        fmt::format("the configuration's {} is {}; expected {}, with which the store was made", what, given, stored),
        {}};
  };
  if (!config.name.empty() && config.name != identity.site.name) {
    return differs("site", config.name, identity.site.name);
  }
  if (config.cluster != identity.cluster) return differs("cluster", config.cluster, identity.cluster);
  if (!config.members.empty() && config.members != identity.members) {
    return differs("list of members", fmt::format("{}", fmt::join(config.members, ",")),
                   fmt::format("{}", fmt::join(identity.members, ",")));
  }
  // Once the assignment was changed while sites ran, what the file says of it counts no more.
  if (!store.snapshot()->assignment().number.is_initial()) return {};
  if (config.assignment.digest(policies) != store.assignment_digest()) {
    return base::Error{base::ErrorKind::Mismatch,
                       "the configuration's policies differ from those that the store was made with; expected the "
                       "[[policy]] tables and default_policy of init (`quadrille policy assign` changes them)",
                       {}};
  }
  return {};
}

base::Result<void> serve_site(SiteProcessParts parts) {
  signal(SIGPIPE, SIG_IGN);  // a client that goes away is an error of its socket
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  allow_many_descriptors();
  const auto on_ready = std::move(parts.on_ready);
  QUADRILLE_ASSIGN(auto certificates, read_certificates(parts));
  SiteProcess process(std::move(parts), std::move(certificates));
  QUADRILLE_ASSIGN(const auto served_at, process.start());
  if (on_ready) on_ready(served_at);
  process.run_until_signal();
  process.stop();
  return {};
}

}  // namespace quadrille::replica
