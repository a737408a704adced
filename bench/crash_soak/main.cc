// quadrille-crash-soak [--kills N | --minutes N] [--seed S] [--sites N] [--clients N] [--delay-ms N] [DIR]
//
// Serves sites with the real program, writes to them over HTTP, kills them with SIGKILL at random moments, and checks
// after each time that nothing acknowledged is lost and nothing is there by half. Exit status: 0 nothing found, 1
// something was (the directory stays), 2 used wrongly.
#include <curl/curl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <system_error>

#include "bench/crash_soak/soak.h"

namespace {

namespace fs = std::filesystem;
using namespace quadrille::crash_soak;

std::string program_beside_this(const char* name) {
  std::error_code ignored;
  return (fs::read_symlink("/proc/self/exe", ignored).parent_path() / name).string();
}

void print(const SoakResult& result) {
  fmt::print("kills                    {} ({} of them at the start of a process)\n", result.kills,
             result.kills_at_start);
  fmt::print("stops under load         {}\n", result.stops);
  fmt::print("requests acknowledged    {}\n", result.acknowledged);
  fmt::print("under way at a kill      {} there whole, {} absent\n", result.caught_whole, result.caught_absent);
  fmt::print("cuts of links            {}\n", result.cuts);
  fmt::print("conflicts on record      {} in {:.2f} hours under load\n", result.conflicts, result.hours);
  fmt::print("reads of all accounts    {}\n", result.reads);
  fmt::print("longest start            {} ms\n", result.longest_start_ms);
  fmt::print("quads at the end         {}\n", result.quads);
  fmt::print("findings                 {}\n", result.findings.size());
  for (const auto& finding : result.findings) fmt::print("{}\n", finding);
}

int run(SoakOptions options, bool is_own_directory) {
  const auto result = run_soak(options);
  print(result);
  if (!result.findings.empty()) {
    fmt::print("stores, journals and traces stay in {}\n", options.directory.string());
    return 1;
  }
  if (is_own_directory) fs::remove_all(options.directory);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Kills sites under load and looks for what is lost");
  SoakOptions options;
  options.program = program_beside_this("quadrille");
  options.link_program = program_beside_this("quadrille-link");
  std::string directory;
  app.add_option("DIR", directory,
                 "an empty directory, or none yet (default: a temporary one, removed if all is well)");
  app.add_option("--kills", options.kills, "how many")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of requests and moments");
  app.add_option("--sites", options.sites, "how many, all connected")->check(CLI::Range(1, 9));
  app.add_option("--clients", options.clients, "how many write to each site")->check(CLI::Range(1, 64));
  app.add_option("--round-ms", options.round_ms_max, "the longest time under load before a kill")
      ->check(CLI::Range(1, 600'000));
  app.add_option("--minutes", options.minutes, "go on for so long, whatever --kills says")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--delay-ms", options.delay_ms, "how long a byte is on its way between two sites")
      ->check(CLI::Range(0, 10'000));
  app.add_option("--program", options.program, "quadrille (default: the one beside this program)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    options.directory = directory;
    if (directory.empty()) {
      std::string name = (fs::temp_directory_path() / "quadrille-crash-soak-XXXXXX").string();
      if (!mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
      options.directory = name;
    }
    fs::create_directories(options.directory);
    if (!fs::is_empty(options.directory)) {
      fmt::print(stderr, "{}: not empty; expected an empty directory\n", directory);
      return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return run(options, directory.empty());
  } catch (const std::exception& error) {
    fmt::print(stderr, "quadrille-crash-soak: {}\n", error.what());
    return 1;
  }
}
