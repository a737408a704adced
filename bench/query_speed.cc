// Runs a list of queries inside this process, without HTTP, and says what each kind costs.
//
//   query_speed DIRECTORY LIST [--kind K] [--passes P] [--warm-up W] [--time-limit-ms T]
//
// Parsing, snapshot, planning, running, all terms as JSON or N-Triples. Times are wall and processor time of this
// process: on a machine that does other work, only the second says something.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <map>
#include <string>

#include "bench/client/measurement.h"
#include "bench/client/query_list.h"
#include "replica/cli/local_store.h"
#include "replica/site/answer_text.h"
#include "replica/site/query.h"

namespace {

using namespace quadrille;

class NoOutput final : public io::OutputSink {
 public:
  base::Result<void> write(std::string_view) override { return {}; }
};

base::Result<void> run(cli::LocalStore& local, const bench::BenchQuery& query, const replica::QueryOptions& options) {
  QUADRILLE_ASSIGN(auto answer, replica::run_query(local.store(), query.text, options, local.run_parts()));
  NoOutput out;
  if (query.type == bench::RequestType::Graph) return replica::write_graph(answer, io::RdfFormat::NTriples, out);
  return replica::write_results(answer, io::ResultFormat::Json, out);
}

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

int fail(const base::Error& error) {
  fmt::print(stderr, "query_speed: {}\n", error.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs a list of queries inside this process");
  std::string directory;
  std::string list;
  std::string kind;
  int passes = 1;
  int warm_up = 0;
  replica::QueryOptions options;
  app.add_option("directory", directory, "a site's directory, not being served")->required();
  app.add_option("list", list, "blocks of queries between lines \"###\"")->required();
  app.add_option("--kind", kind, "only queries of this kind");
  app.add_option("--passes", passes, "how often, measured")->check(CLI::PositiveNumber);
  app.add_option("--warm-up", warm_up, "how often before that")->check(CLI::NonNegativeNumber);
  app.add_option("--time-limit-ms", options.time_limit_ms, "for a query; one that takes longer counts as failed");
  CLI11_PARSE(app, argc, argv);

  auto local = cli::LocalStore::open(directory);
  if (!local.ok()) return fail(local.error());
  auto queries = bench::read_query_list(list);
  if (!queries.ok()) return fail(queries.error());
  if (!kind.empty()) std::erase_if(*queries, [&](const auto& query) { return query.kind != kind; });
  if (queries->empty()) {
    return fail({base::ErrorKind::InvalidInput, fmt::format("{}: no query of kind {}", list, kind), {}});
  }

  bench::Measurement wall;
  bench::Measurement processor;
  for (int pass = 0; pass < warm_up + passes; ++pass) {
    for (size_t i = 0; i < queries->size(); ++i) {
      const bench::BenchQuery& query = (*queries)[i];
      const auto start = std::chrono::steady_clock::now();
      const double processor_start = processor_ms();
      const auto done = run(**local, query, options);
      const double processor_took = processor_ms() - processor_start;
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      if (pass < warm_up) continue;
      wall.seconds += took.count() / 1000;
      processor.seconds += processor_took / 1000;
      const std::string failure = done.ok() ? std::string() : done.error().message;
      wall.add(query.kind, took.count(), failure, bench::ends_mix(*queries, i));
      processor.add(query.kind, processor_took, failure, bench::ends_mix(*queries, i));
    }
  }
  fmt::print("processor time\n{}wall time\n{}", bench::to_table(processor), bench::to_table(wall));
  return wall.failures() == 0 ? 0 : 1;
}
