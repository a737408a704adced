#include "sim/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>

#include "policies/load_policy.h"
#include "sim/html_report.h"
#include "sim/random_scenario.h"
#include "sim/report.h"
#include "sim/scenario.h"
#include "sim/seed_runner.h"
#include "sim/shrink.h"

namespace quadrille::sim {
namespace {

constexpr int exit_passed = 0;
constexpr int exit_violation = 1;
constexpr int exit_used_wrongly = 2;
constexpr size_t lines_at_first = 15;  // of a story that is told again once it is shorter
constexpr size_t lines_of_shrunk = 200;

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<SeedRange> parse_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, dots));
  const auto last = parse_number(text.substr(dots + 2));
  if (!first || !last || *first > *last) return std::nullopt;
  return SeedRange{*first, *last};
}

int complain(const std::string& message) {
  fmt::print(stderr, "quadrille-sim: {}\n", message);
  return exit_used_wrongly;
}

void write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

// A directory for all that is run, gone at the end.
class WorkDirectory {
 public:
  WorkDirectory() : path_(make_work_directory()) {}
  ~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// What `run` and `fuzz` have in common.
class SeedCommand {
 public:
  SeedCommand(const CommandOptions& options, SiteFactories factories, std::string name, ScenarioOf scenario_of,
              std::function<std::string(uint64_t seed)> replay)
      : options_(options),
        factories_(std::move(factories)),
        name_(std::move(name)),
        scenario_of_(std::move(scenario_of)),
        replay_(std::move(replay)) {}

  int run(SeedRange seeds) {
    const auto began = std::chrono::steady_clock::now();
    std::vector<uint64_t> failed;
    const auto results = run_seeds(scenario_of_, seeds, run_options(), work_.path(), [&](const SeedResult& result) {
      if (result.violations.empty()) return;
      failed.push_back(result.seed);
      fmt::print("{}", story(result, replay_(result.seed), lines_at_first));
      std::fflush(stdout);
    });
    const double real_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    for (const auto& result : results) {
      if (!result.violations.empty() && shrunk_count_ < options_.shrink_max) shrink_one(result);
    }
    fmt::print("{}", table(results, real_s));
    if (!options_.json.empty()) write_json(results);
    if (!options_.report.empty()) write_report(results);
    return failed.empty() ? exit_passed : exit_violation;
  }

 private:
  RunOptions run_options() const {
    return {.jobs = options_.jobs,
            .trace = options_.trace,
            .record = !options_.report.empty() || !options_.json.empty(),
            .sent_updates = false,
            .factories = factories_};
  }

  void shrink_one(const SeedResult& result) {
    ++shrunk_count_;
    ShrinkOptions options;
    options.runs.jobs = options_.jobs;
    options.runs.factories = factories_;
    const auto shrunk = shrink(scenario_of_(result.seed), result, options, work_.path(), [](const std::string& line) {
      fmt::print("  shrinking: {}\n", line);
      std::fflush(stdout);
    });
    const auto file = (std::filesystem::path(options_.keep) / fmt::format("{}-{}.toml", name_, result.seed)).string();
    write_file(file, kept_text(shrunk, result.seed, file));
    fmt::print("\nSeed {} {} {} sites, {} faults and {} updates ({} runs); kept as {}\n{}", result.seed,
               shrunk.is_smaller ? "fails just so with" : "could not be made smaller than",
               shrunk.scenario.sites.size(), shrunk.scenario.timeline.size(), shrunk.scenario.updates.size(),
               shrunk.runs, file,
               shrunk.is_smaller ? story(shrunk.result, command_for(file, result.seed), lines_of_shrunk) : "");
  }

  std::string command_for(const std::string& file, uint64_t seed) const {
    std::string command = fmt::format("quadrille-sim run {} --seed {} --trace", file, seed);
    for (const auto& plugin : options_.plugins) command += " --plugin " + plugin;
    return command;
  }

  // The story on top, as comments.
  std::string kept_text(const Shrunk& shrunk, uint64_t seed, const std::string& file) const {
    std::string text = fmt::format("# Found by: {}\n# To see it: {}\n#\n", replay_(seed), command_for(file, seed));
    for (const auto& violation : shrunk.result.violations) {
      std::string line = "# " + violation.check + ":\n# ";
      for (const char c : violation.story) line += c == '\n' ? std::string("\n# ") : std::string(1, c);
      text += line + "\n";
    }
    return text + "\n" + scenario_as_toml(shrunk.scenario);
  }

  void write_json(const std::vector<SeedResult>& results) const {
    nlohmann::json seeds = nlohmann::json::array();
    for (const auto& each : results) seeds.push_back(as_json(each));
    const nlohmann::json json = {{"scenario", options_.scenario.empty() ? name_ : options_.scenario},
                                 {"seeds", std::move(seeds)}};
    write_file(options_.json, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  // Of the first seed that failed, else of the first.
  void write_report(const std::vector<SeedResult>& results) const {
    const auto failed = std::find_if(results.begin(), results.end(),
                                     [](const auto& each) { return !each.violations.empty() && each.record; });
    const auto& shown = failed == results.end() ? results.front() : *failed;
    if (!shown.record) throw std::runtime_error("no report: the process of the seed ended before it could tell");
    write_file(options_.report, html_report(scenario_of_(shown.seed).name, shown, replay_(shown.seed)));
    fmt::print("report of seed {}: {}\n", shown.seed, options_.report);
  }

  const CommandOptions& options_;
  SiteFactories factories_;
  std::string name_;
  ScenarioOf scenario_of_;
  std::function<std::string(uint64_t)> replay_;
  WorkDirectory work_;
  size_t shrunk_count_ = 0;
};

}  // namespace

int run_command(const CommandOptions& options) {
  SeedRange seeds{options.seed, options.seed};
  if (!options.seeds.empty()) {
    const auto range = parse_range(options.seeds);
    if (!range) return complain("--seeds " + options.seeds + ": expected A..B with A <= B");
    seeds = *range;
  }
  const auto policies =
      policies::built_in_and_loaded(std::vector<std::filesystem::path>(options.plugins.begin(), options.plugins.end()));
  if (!policies.ok()) return complain(policies.error().message);
  const auto scenario = read_scenario(options.scenario, *policies);
  if (!scenario.ok()) return complain(scenario.error().message);
  SiteFactories factories;
  factories.known_policies = [&] { return *policies; };
  const auto replay = [&](uint64_t seed) {
    std::string command = fmt::format("quadrille-sim run {} --seed {} --trace", options.scenario, seed);
    for (const auto& plugin : options.plugins) command += " --plugin " + plugin;
    return command;
  };
  const auto name = std::filesystem::path(options.scenario).stem().string();
  return SeedCommand(
             options, factories, name, [&](uint64_t) { return *scenario; }, replay)
      .run(seeds);
}

int fuzz_command(const CommandOptions& options) {
  const auto seeds = parse_range(options.seeds);
  if (!seeds) return complain("--seeds " + options.seeds + ": expected A..B with A <= B");
  std::set<FaultKind> without;
  std::string without_text;
  for (const auto& name : options.without) {
    const auto kind = find_fault_kind(name);
    if (!kind) {
      std::string kinds;
      for (const auto each : all_fault_kinds) kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", name_of(each));
      return complain(fmt::format("--without {}: expected one of {}", name, kinds));
    }
    without.insert(*kind);
    without_text += " --without " + name;
  }
  const auto scenario_of = [&](uint64_t seed) { return random_scenario(seed, without); };
  if (options.print_scenario) {
    fmt::print("{}", scenario_as_toml(scenario_of(seeds->first)));
    return exit_passed;
  }
  const auto replay = [&](uint64_t seed) {
    return fmt::format("quadrille-sim fuzz --seeds {0}..{0}{1} --trace", seed, without_text);
  };
  return SeedCommand(options, {}, "fuzz", scenario_of, replay).run(*seeds);
}

}  // namespace quadrille::sim
