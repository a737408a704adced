// quadrille-sim: runs a scenario from many seeds, and says which of them broke a promise.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "policies/load_policy.h"
#include "sim/report.h"
#include "sim/scenario.h"
#include "sim/seed_runner.h"

namespace {

using namespace quadrille;

constexpr int exit_passed = 0;
constexpr int exit_violation = 1;
constexpr int exit_used_wrongly = 2;

struct Options {
  std::string scenario;
  uint64_t seed = 1;
  std::string seeds;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool trace = false;
  std::string json;
  std::vector<std::string> plugins;
};

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<sim::SeedRange> parse_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, dots));
  const auto last = parse_number(text.substr(dots + 2));
  if (!first || !last || *first > *last) return std::nullopt;
  return sim::SeedRange{*first, *last};
}

int complain(int status, const std::string& message) {
  fmt::print(stderr, "quadrille-sim: {}\n", message);
  return status;
}

// The command that runs one seed of these again, with its trace.
std::string replay_command(const Options& options, uint64_t seed) {
  std::string command = fmt::format("quadrille-sim run {} --seed {} --trace", options.scenario, seed);
  for (const auto& plugin : options.plugins) command += " --plugin " + plugin;
  return command;
}

void write_json(const Options& options, const std::vector<sim::SeedResult>& results) {
  nlohmann::json seeds = nlohmann::json::array();
  for (const auto& each : results) seeds.push_back(sim::as_json(each));
  std::ofstream out(options.json);
  out << nlohmann::json{{"scenario", options.scenario}, {"seeds", std::move(seeds)}}.dump(2) << "\n";
  if (!out.flush()) throw std::runtime_error(options.json + ": cannot be written");
}

int run(const Options& options) {
  sim::SeedRange seeds{options.seed, options.seed};
  if (!options.seeds.empty()) {
    const auto range = parse_range(options.seeds);
    if (!range) return complain(exit_used_wrongly, "--seeds " + options.seeds + ": expected A..B with A <= B");
    seeds = *range;
  }
  const auto policies =
      policies::built_in_and_loaded(std::vector<std::filesystem::path>(options.plugins.begin(), options.plugins.end()));
  if (!policies.ok()) return complain(exit_used_wrongly, policies.error().message);
  const auto scenario = sim::read_scenario(options.scenario, *policies);
  if (!scenario.ok()) return complain(exit_used_wrongly, scenario.error().message);

  const auto directory = sim::make_work_directory();
  const auto began = std::chrono::steady_clock::now();
  const sim::SiteFactories factories{.known_policies = [&] { return *policies; }, .policies = {}, .stability = {}};
  const auto results =
      sim::run_seeds(*scenario, seeds, {.jobs = options.jobs, .trace = options.trace, .factories = factories},
                     directory, [&](const auto& result) {
                       if (result.violations.empty()) return;
                       fmt::print("{}", sim::story(result, replay_command(options, result.seed)));
                       std::fflush(stdout);
                     });
  const double real_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::filesystem::remove_all(directory);
  fmt::print("{}", sim::table(results, real_s));
  if (!options.json.empty()) write_json(options, results);
  const bool passed =
      std::all_of(results.begin(), results.end(), [](const auto& each) { return each.violations.empty(); });
  return passed ? exit_passed : exit_violation;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Runs many sites in one process, under virtual time and a faulty network, from one seed.");
  app.require_subcommand(1);
  auto* command = app.add_subcommand("run", "run a scenario");
  command->add_option("scenario", options.scenario, "a TOML file; sim/scenarios/ has examples")->required();
  auto* seed = command->add_option("--seed", options.seed, "one seed (default 1)");
  command->add_option("--seeds", options.seeds, "all seeds A..B")->excludes(seed);
  command->add_option("--jobs", options.jobs, "seeds side by side (default: one a core)")->check(CLI::Range(1, 256));
  command->add_flag("--trace", options.trace, "print every event and message");
  command
      ->add_option("--plugin", options.plugins,
                   "a policy from a file, .so or .lua, that the scenario names; may be repeated")
      ->take_all();
  command->add_option("--json", options.json, "write the results to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_passed : exit_used_wrongly;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    return complain(exit_violation, error.what());
  }
}
