#include "bench/crash_soak/soak.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/crash_soak/accounts.h"
#include "bench/crash_soak/client.h"
#include "bench/crash_soak/contended.h"
#include "bench/crash_soak/link.h"
#include "bench/crash_soak/reader.h"
#include "bench/crash_soak/site.h"

namespace quadrille::crash_soak {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto agreement_patience = std::chrono::minutes(2);
constexpr auto progress_every = std::chrono::seconds(10);
constexpr int first_moments_ms = 60;  // in which a process that starts is likely not to be ready yet

int64_t ms_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

// A site with all that use it.
struct Loaded {
  std::unique_ptr<Site> site;
  std::vector<std::unique_ptr<Client>> clients;
  Reader reader;
  std::atomic<bool> is_ending{false};
  int exit_status = 0;  // when it was told to stop
};

class Soak {
 public:
  explicit Soak(const SoakOptions& options) : options_(options), random_(options.seed) {
    for (int i = 0; i < options.sites; ++i) names_.push_back(fmt::format("site{}", i));
    const auto config = options.directory / "policies.toml";
    std::ofstream(config) << contended_policies();
    for (const auto& name : names_) add_site(name, config);
    const auto first = sites_.front()->site->directory().string();
    if (crash_soak::run({options.program, "update", first, make_counters()}, options.directory / "counters.out") != 0) {
      throw std::runtime_error("the counters cannot be made");
    }
  }

  SoakResult run() {
    start_all();
    wait_for_agreement();  // on the counters
    while (result_.findings.empty() && goes_on()) {
      load_until([](Loaded& site) { site.site->kill(); });
      result_.kills += options_.sites;
      kill_at_start();
      verify_and_check();
      print_progress();
    }
    if (result_.findings.empty()) stop_under_load();
    if (result_.findings.empty()) count_conflicts();
    sum_up();
    return std::move(result_);
  }

 private:
  bool goes_on() const {
    if (options_.minutes == 0) return result_.kills < options_.kills;
    return ms_since(begun_) < int64_t{options_.minutes} * 60'000;
  }

  void add_site(const std::string& name, const std::filesystem::path& config) {
    auto loaded = std::make_unique<Loaded>();
    loaded->site = std::make_unique<Site>(options_.program, options_.directory, name, names_, config);
    const int status =
        crash_soak::run({options_.program, "update", loaded->site->directory().string(), open_accounts(name)},
                        options_.directory / (name + ".accounts"));
    if (status != 0) throw std::runtime_error(name + ": the accounts cannot be opened");
    for (int i = 0; i < options_.clients; ++i) {
      const auto journal = options_.directory / fmt::format("{}-{}.journal", name, i);
      loaded->clients.push_back(std::make_unique<Client>(random_(), name, i, journal.string()));
    }
    sites_.push_back(std::move(loaded));
  }

  // Each connects to those that were started before it, by a link of its own.
  void start_all() {
    links_.clear();
    for (size_t number = 0; number < sites_.size(); ++number) {
      const auto& site = sites_[number];
      std::vector<std::string> peers;
      for (size_t other = 0; other < number; ++other) {
        const auto output = options_.directory / fmt::format("link-{}-{}.out", number, other);
        links_.push_back(std::make_unique<Link>(options_.link_program, sites_[other]->site->sync_address(),
                                                options_.delay_ms, output));
        peers.push_back(links_.back()->address());
      }
      const auto begun = Clock::now();
      site->site->start(peers);
      if (!site->site->wait_until_ready()) {
        add_finding(*site, "does not start: " + site->site->trace());
        return;
      }
      result_.longest_start_ms = std::max(result_.longest_start_ms, ms_since(begun));
    }
  }

  // Until all sites have ended.
  void cut_links(const std::atomic<bool>& is_over) {
    std::mt19937_64 random(options_.seed * 1000 + static_cast<uint64_t>(result_.cuts));
    while (!is_over && !links_.empty()) {
      Link& link = *links_[random() % links_.size()];
      link.cut();
      ++result_.cuts;
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
      link.heal();
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    }
  }

  // Each site is left to its clients for a random time, and then ended.
  void load_until(const std::function<void(Loaded&)>& end) {
    const auto begun = Clock::now();
    std::atomic<bool> is_over{false};
    std::thread cutter([&] { cut_links(is_over); });
    std::vector<std::thread> threads;
    for (const auto& loaded : sites_) {
      auto& site = *loaded;
      site.is_ending = false;
      for (const auto& client : site.clients) {
        threads.emplace_back([&site, &client = *client] { client.write_until_gone(site.site->url(), site.is_ending); });
      }
      threads.emplace_back(
          [this, &site] { site.reader.read_until_gone(site.site->url(), site.site->name(), names_, site.is_ending); });
      threads.emplace_back([&site, &end, delay = milliseconds_up_to(options_.round_ms_max)] {
        std::this_thread::sleep_for(delay);
        site.is_ending = true;
        end(site);
      });
    }
    for (auto& thread : threads) thread.join();
    is_over = true;
    cutter.join();
    result_.hours += static_cast<double>(ms_since(begun)) / 3'600'000;
    for (const auto& site : sites_) {
      for (const auto& finding : site->reader.findings()) result_.findings.push_back(finding);
      for (const auto& client : site->clients) add_findings(*client);
    }
  }

  // Some sites are killed once more while they start, before others see anything of them.
  void kill_at_start() {
    for (const auto& site : sites_) {
      if (random_() % 4 != 0) continue;
      site->site->start({});
      std::this_thread::sleep_for(milliseconds_up_to(first_moments_ms));
      site->site->kill();
      ++result_.kills;
      ++result_.kills_at_start;
    }
  }

  void stop_under_load() {
    load_until([](Loaded& site) { site.exit_status = site.site->stop(); });
    for (const auto& site : sites_) {
      ++result_.stops;
      if (site->exit_status != 0) {
        add_finding(*site, fmt::format("ends with {} when told to stop: {}", site->exit_status, site->site->trace()));
      }
    }
    verify_and_check();
  }

  void verify_and_check() {
    for (const auto& site : sites_) add_finding(*site, site->site->verify());
    start_all();
    if (result_.findings.empty()) check_all();
  }

  void check_all() {
    for (const auto& site : sites_) {
      Balances expected;
      expected.fill(first_balance);
      for (const auto& client : site->clients) {
        client->check(site->site->url());
        add_findings(*client);
        for (size_t i = 0; i < account_count; ++i) expected[i] += client->balance_changes()[i];
      }
      const auto answer = read_balances(http_, site->site->url(), site->site->name());
      if (answer.balances != expected) {
        add_finding(*site, answer.trouble.empty() ? "balances are not what the transfers left" : answer.trouble);
      }
    }
    wait_for_agreement();
    check_counters();
  }

  void check_counters() {
    Counters expected{};
    for (const auto& site : sites_) {
      for (const auto& client : site->clients) {
        for (size_t i = 0; i < contended_count; ++i) expected[i] += client->counter_changes()[i];
      }
    }
    const auto& site = *sites_.front();
    const auto counters = read_counters(http_, site.site->url());
    if (counters == expected) return;
    add_finding(site, counters ? fmt::format("the counters hold {}; expected {}", fmt::join(*counters, ", "),
                                             fmt::join(expected, ", "))
                               : "the counters are not there");
  }

  void wait_for_agreement() {
    const auto begun = Clock::now();
    std::string digests;
    while (Clock::now() - begun < agreement_patience) {
      digests.clear();
      std::vector<std::string> different;
      for (const auto& site : sites_) {
        const auto json = nlohmann::json::parse(http_.get(site->site->url() + "/digest", "*/*").body, nullptr, false);
        if (!json.is_object()) return add_finding(*site, "no digest");
        const auto digest = json.value("digest", "");
        result_.quads = json.value("quads", uint64_t{0});
        digests += fmt::format(" {} {}", site->site->name(), digest);
        if (different.empty() || digest != different.front()) different.push_back(digest);
      }
      if (different.size() == 1) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    result_.findings.push_back("the sites do not come to agree:" + digests);
  }

  void count_conflicts() {
    const auto answer = http_.get(sites_.front()->site->url() + "/conflicts", "application/json");
    const auto json = nlohmann::json::parse(answer.body, nullptr, false);
    if (json.is_array()) result_.conflicts = json.size();
  }

  std::chrono::milliseconds milliseconds_up_to(int last) {
    return std::chrono::milliseconds(std::uniform_int_distribution<int>(0, last)(random_));
  }

  void add_finding(const Loaded& site, std::string text) {
    if (!text.empty()) result_.findings.push_back(fmt::format("{}: {}", site.site->name(), text));
  }

  void add_findings(const Client& client) {
    for (const auto& finding : client.findings()) result_.findings.push_back(finding);
  }

  void print_progress() {
    if (Clock::now() - last_progress_ < progress_every) return;
    last_progress_ = Clock::now();
    fmt::print("{} of {} kills, {} quads\n", result_.kills, options_.kills, result_.quads);
    std::fflush(stdout);
  }

  void sum_up() {
    for (const auto& site : sites_) {
      if (const auto trace = site->site->trace(); !result_.findings.empty() && !trace.empty()) {
        add_finding(*site, "standard error: " + trace);
      }
      result_.reads += site->reader.reads();
      for (const auto& client : site->clients) {
        result_.acknowledged += client->counts().acknowledged;
        result_.caught_whole += client->counts().caught_whole;
        result_.caught_absent += client->counts().caught_absent;
      }
    }
  }

  SoakOptions options_;
  std::mt19937_64 random_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Loaded>> sites_;
  HttpSession http_;
  SoakResult result_;
  std::vector<std::unique_ptr<Link>> links_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_progress_ = Clock::now();
};

}  // namespace

SoakResult run_soak(const SoakOptions& options) { return Soak(options).run(); }

}  // namespace quadrille::crash_soak
