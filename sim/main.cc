// quadrille-sim: runs sites from many seeds, and says which of them broke a promise.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "sim/commands.h"

namespace {

using quadrille::sim::CommandOptions;

void add_common_options(CLI::App& command, CommandOptions& options) {
  command.add_option("--jobs", options.jobs, "seeds side by side (default: one a core)")->check(CLI::Range(1, 256));
  command.add_flag("--trace", options.trace, "print every event and message");
  command.add_option("--json", options.json, "write the results to this file");
  command.add_option("--report", options.report,
                     "write a page about the first failing seed, or the first, to this file");
  command.add_option("--shrink", options.shrink_max, "so many failing seeds are made smaller (default 2; 0: none)");
  command.add_option("--keep", options.keep, "the directory for scenario files of failing seeds (default: here)")
      ->check(CLI::ExistingDirectory);
}

}  // namespace

int main(int argc, char** argv) {
  CommandOptions options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  CLI::App app("Runs many sites in one process, under virtual time and a faulty network, from one seed.");
  app.require_subcommand(1);
  auto* run = app.add_subcommand("run", "run a scenario");
  run->add_option("scenario", options.scenario, "a TOML file; sim/scenarios/ has examples")->required();
  auto* seed = run->add_option("--seed", options.seed, "one seed (default 1)");
  run->add_option("--seeds", options.seeds, "all seeds A..B")->excludes(seed);
  run->add_option("--plugin", options.plugins,
                  "a policy from a file, .so or .lua, that the scenario names; may be repeated")
      ->take_all();
  add_common_options(*run, options);
  auto* fuzz = app.add_subcommand("fuzz", "run scenarios that are made of their seeds");
  fuzz->add_option("--seeds", options.seeds, "all seeds A..B")->required();
  fuzz->add_option("--without", options.without, "leave out faults of this kind, such as power-loss; may be repeated")
      ->take_all();
  fuzz->add_flag("--print-scenario", options.print_scenario, "print the scenario of the first seed, and run nothing");
  add_common_options(*fuzz, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return *run ? quadrille::sim::run_command(options) : quadrille::sim::fuzz_command(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "quadrille-sim: {}\n", error.what());
    return 1;
  }
}
