#include "sim/simulated_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "engine/base/check.h"
#include "reconcile/store_copy.h"

namespace quadrille::sim {

// Dials as the network does, but a paused process hears of no answer.
class SimulatedSite::GatedDialer final : public sync::Dialer {
 public:
  GatedDialer(sync::Dialer& dialer, PauseGate& gate) : dialer_(dialer), gate_(gate) {}
  kj::Promise<sync::Connection> dial(const std::string& address) override {
    return dialer_.dial(address).then([this](sync::Connection connection) {
      return gate_.pass().then([connection = kj::mv(connection)]() mutable { return kj::mv(connection); });
    });
  }

 private:
  sync::Dialer& dialer_;
  PauseGate& gate_;
};

// Writes down what the sync node tells.
class SimulatedSite::Observer final : public sync::SyncObserver {
 public:
  explicit Observer(const SimulatedSite& site) : site_(site) {}
  void on_applied(const reconcile::ApplyReport& report) override {
    for (const auto& header : report.applied) {
      site_.parts_.trace.event(site_.name(), fmt::format("applied {}:{}", header.id.origin.name, header.id.seq));
    }
  }
  void on_folded(const reconcile::FoldReport& report) override {
    if (report.cells_folded == 0) return;
    site_.parts_.trace.event(site_.name(), fmt::format("folded {} cells", report.cells_folded));
  }
  void on_trouble(const std::string& line) override { site_.parts_.trace.event(site_.name(), line); }

 private:
  const SimulatedSite& site_;
};

SimulatedSite::SimulatedSite(Parts parts, const std::filesystem::path& directory, reconcile::SiteIdentity identity)
    : parts_(std::move(parts)),
      directory_(directory),
      identity_(std::move(identity)),
      wall_clock_(parts_.time, parts_.clock_skew_ms),
      steady_clock_(parts_.time),
      random_(parts_.seed, "site " + identity_.site.name),
      power_(parts_.seed, "power of " + identity_.site.name),
      timer_(parts_.time.timer(), gate_),
      network_dialer_(parts_.network.make_dialer(identity_.site.name)),
      dialer_(std::make_unique<GatedDialer>(*network_dialer_, gate_)) {
  std::filesystem::create_directories(directory_);
}

SimulatedSite::~SimulatedSite() {
  if (!life_) return;
  parts_.network.end_process(name());
  life_->writer->end_process();
}

std::filesystem::path SimulatedSite::life_directory(uint64_t number) const {
  return directory_ / fmt::format("life-{}", number);
}

reconcile::SiteStoreOptions SimulatedSite::store_options() const {
  reconcile::SiteStoreOptions options;
  options.flush = parts_.flushes;
  options.map_bytes = uint64_t{1} << 32;
  return options;
}

base::Result<void> SimulatedSite::start() {
  QUADRILLE_CHECK(!life_, "a site is started once at a time");
  // What a site holds must not depend on which changesets it calls large: each life does as it likes.
  const bool calls_few_large = random_.between(0, 2) == 0;
  auto options = store_options();
  options.large_changeset_min = calls_few_large ? 10'000 : static_cast<uint64_t>(random_.between(1, 12));
  const uint64_t number = life_number_ + 1;
  const auto place = life_directory(number);
  if (number == 1) QUADRILLE_TRY(reconcile::SiteStore::create(place, identity_, parts_.policies, options));
  QUADRILLE_ASSIGN(auto store, reconcile::SiteStore::open(place, {parts_.policies, wall_clock_, random_}, options));
  life_number_ = number;

  auto life = std::make_unique<Life>();
  if (parts_.flushes) {
    life->disk.emplace(place / "data.mdb");
    life->disk->set_lies(parts_.disk_lies);
  }
  auto writer = std::make_unique<SimulatedWriteQueue>(
      *store, parts_.time, random_, parts_.delays,
      SimulatedWriteQueue::Events{.on_commit = [this]() { parts_.on_commit(*this); },
                                  .is_power_out =
                                      [this]() {
                                        if (life_->is_power_out) on_power_out();
                                        return life_->is_power_out;
                                      }});
  life->writer = writer.get();
  std::unique_ptr<reconcile::Stability> stability;
  if (parts_.make_stability) {
    const auto names = store->membership().names();
    stability = parts_.make_stability(identity_.site, {names.begin(), names.end()});
  }
  life->site = std::make_unique<replica::Site>(replica::Site::Parts{.store = std::move(store),
                                                                    .answer_early = nullptr,
                                                                    .writer = std::move(writer),
                                                                    .stability = std::move(stability),
                                                                    .sync_observer = std::make_unique<Observer>(*this),
                                                                    .dialer = *dialer_,
                                                                    .timer = timer_,
                                                                    .wall_clock = wall_clock_,
                                                                    .steady_clock = steady_clock_,
                                                                    .random = random_,
                                                                    .sync_options = parts_.sync_options});
  life_ = std::move(life);
  parts_.trace.event(name(), fmt::format("starts, life {}", life_number_));
  parts_.network.open(name(), [this](kj::Own<kj::AsyncIoStream> stream) { accept(kj::mv(stream)); });
  for (const auto& address : parts_.dials) life_->site->sync().keep_connected(address);
  if (parts_.on_start) parts_.on_start(*this);
  return {};
}

void SimulatedSite::accept(kj::Own<kj::AsyncIoStream> stream) {
  if (is_paused()) {
    not_yet_accepted_.push_back(kj::mv(stream));
  } else {
    life_->site->sync().accept(kj::mv(stream));
  }
}

void SimulatedSite::crash() {
  QUADRILLE_CHECK(life_, "only a running site can crash");
  parts_.trace.event(name(), "crashes");
  parts_.network.end_process(name());
  life_->writer->end_process();
  copy_store(life_directory(life_number_ + 1));
  end_life();
}

// Of a process that is gone already.
void SimulatedSite::end_life() {
  life_.reset();
  not_yet_accepted_.clear();
  gate_.open();  // nobody of the old life is left to pass it
  std::filesystem::remove_all(life_directory(life_number_));
}

void SimulatedSite::lose_power_after(uint64_t calls) {
  QUADRILLE_CHECK(life_ && life_->disk && !life_->is_losing_power, "power is lost once, by a site that flushes");
  life_->is_losing_power = true;
  life_->disk->fail_after(calls, [this]() {
    life_->is_power_out = true;
    const auto next = life_directory(life_number_ + 1);
    std::filesystem::create_directories(next);
    parts_.trace.event(
        name(), fmt::format("loses power, with {} pages written and not flushed", life_->disk->unflushed_pages()));
    life_->disk->write_survivors(next / "data.mdb", power_);
  });
}

// The objects of the process are still there, and must not do anything any more.
void SimulatedSite::on_power_out() {
  parts_.network.end_process(name());
  gate_.close();
  parts_.on_power_loss(*this);
}

void SimulatedSite::finish_power_loss() {
  QUADRILLE_CHECK(is_losing_power(), "power is lost when that was asked for");
  if (!life_->is_power_out) life_->disk->fail_now();
  parts_.network.end_process(name());
  life_->writer->end_process();
  end_life();
}

void SimulatedSite::lose_disk() {
  parts_.trace.event(name(), "loses its disk");
  if (life_) {
    parts_.network.end_process(name());
    life_->writer->end_process();
    end_life();
  } else {
    std::filesystem::remove_all(life_directory(life_number_ + 1));
  }
}

base::Result<std::unique_ptr<base::TemporaryFile>> SimulatedSite::copy() const {
  auto file = std::make_unique<base::TemporaryFile>(directory_, "copy");
  QUADRILLE_TRY(store().write_copy(*file));
  return file;
}

base::Result<void> SimulatedSite::adopt(const base::TemporaryFile& copy, const log::SiteId& id, log::VersionVector* has,
                                        uint64_t* position) {
  QUADRILLE_CHECK(!life_, "only a site that is not running begins anew");
  life_number_ = std::max<uint64_t>(life_number_, 1);  // the first life is of a store made new, and this one is not
  const auto place = life_directory(life_number_ + 1);
  std::filesystem::remove_all(place);
  std::filesystem::create_directories(place);
  std::vector<char> bytes(copy.size());
  copy.read(0, bytes);
  std::ofstream(place / "data.mdb", std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  identity_.site = id;
  QUADRILLE_TRY(reconcile::adopt_copy(place, id, reconcile::CopyUse::Join, store_options()));
  QUADRILLE_ASSIGN(const auto store,
                   reconcile::SiteStore::open(place, {parts_.policies, wall_clock_, random_}, store_options()));
  const auto snapshot = store->snapshot();
  *has = snapshot->version_vector();
  *position = snapshot->last_position();
  return {};
}

void SimulatedSite::copy_store(const std::filesystem::path& to) const {
  std::filesystem::create_directories(to);
  for (const auto& entry : std::filesystem::directory_iterator(life_directory(life_number_))) {
    // Locks are of processes, and this one is gone.
    const auto file = entry.path().filename().string();
    if (file.find("lock") == std::string::npos) std::filesystem::copy_file(entry.path(), to / file);
  }
}

uint64_t SimulatedSite::file_bytes() const {
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(life_directory(life_number_) / "data.mdb", failure);
  return failure ? 0 : bytes;
}

void SimulatedSite::pause() {
  QUADRILLE_CHECK(life_ && !is_paused(), "only a site that runs can be paused");
  parts_.trace.event(name(), "is paused");
  ++pause_count_;
  gate_.close();
  life_->writer->set_paused(true);
  parts_.network.set_paused(name(), true);
}

void SimulatedSite::resume() {
  QUADRILLE_CHECK(life_ && is_paused(), "only a paused site can go on");
  parts_.trace.event(name(), "goes on");
  gate_.open();
  parts_.network.set_paused(name(), false);
  for (auto& stream : std::exchange(not_yet_accepted_, {})) life_->site->sync().accept(kj::mv(stream));
  life_->writer->set_paused(false);
}

}  // namespace quadrille::sim
