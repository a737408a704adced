// Random queries against the naive evaluator, for as long as one likes.
//
//   quadrille-fuzz-queries [--seconds N] [--minutes N] [--first-seed S] [--federated]
//
// Says at the end what it did; ends with 1 at the first disagreement, with all that is needed to see it again.
#define CATCH_CONFIG_RUNNER  // the evaluator's checks are Catch's, whose code has to be somewhere; no test runs here
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <exception>

#include "tests/engine/exec/random_queries.h"

namespace {

using namespace quadrille;
using Clock = std::chrono::steady_clock;

struct Done {
  uint64_t next_seed = 1;
  test::RandomQueryKind kind = test::RandomQueryKind::Local;
  uint64_t compared = 0;
  uint64_t no_queries = 0;
  std::string disagreement;
};

void try_next(Done& done) {
  const uint64_t seed = done.next_seed++;
  try {
    const test::RandomQueryOutcome outcome = test::try_random_query(seed, done.kind);
    ++(outcome.is_query ? done.compared : done.no_queries);
    done.disagreement = outcome.disagreement;
  } catch (const std::exception& error) {
    done.disagreement = fmt::format("seed {}: {}\n", seed, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares random queries with what the specification says");
  double seconds = 0;
  double minutes = 0;
  Done done;
  app.add_option("--seconds", seconds, "how long")->check(CLI::NonNegativeNumber);
  app.add_option("--minutes", minutes, "how long, on top; without either: a minute")->check(CLI::NonNegativeNumber);
  app.add_option("--first-seed", done.next_seed, "each query has a seed, one after the other");
  bool is_federated = false;
  app.add_flag("--federated", is_federated, "with SERVICE patterns");
  CLI11_PARSE(app, argc, argv);
  if (is_federated) done.kind = test::RandomQueryKind::Federated;
  seconds += 60 * minutes;
  if (seconds == 0) seconds = 60;

  const uint64_t first = done.next_seed;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (done.disagreement.empty() && Clock::now() < end) try_next(done);
  const std::chrono::duration<double> took = Clock::now() - start;
  fmt::print("{}", done.disagreement);
  fmt::print("seeds {} to {} in {:.0f} s: {} queries compared, twelve ways each, {} texts that are no query, {}\n",
             first, done.next_seed - 1, took.count(), done.compared, done.no_queries,
             done.disagreement.empty() ? "no disagreement" : "one disagreement");
  return done.disagreement.empty() ? 0 : 1;
}
