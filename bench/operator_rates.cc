// Rows a second through the operators of the query engine, each alone as far as a query can have it alone, over a store
// of a temporary directory. Google Benchmark: `operator_rates --benchmark_filter=hash`.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/measuring.h"
#include "engine/base/temporary_file.h"
#include "engine/exec/run.h"
#include "engine/io/output_sink.h"
#include "engine/io/result_writer.h"
#include "engine/sparql/parse.h"
#include "engine/store/store.h"
#include "replica/system_clocks.h"

namespace {

using namespace quadrille;
using model::Term;

constexpr size_t items = 100'000;
constexpr size_t groups = 1000;
constexpr size_t chain = 20'000;

// Of each item: a number and a second number in other orders, a group, and the next item of a chain.
class Data {
 public:
  Data() {
    auto made = store::Store::create(directory_.path() / "store");
    if (!made.ok()) std::abort();
    store_ = std::move(made).value();
    fill();
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  const store::Store& store() const noexcept { return *store_; }

 private:
  static Term name(const std::string& local) { return Term::iri("http://bench.example/" + local); }
  static Term number(size_t value) {
    return Term::typed_literal(std::to_string(value), "http://www.w3.org/2001/XMLSchema#integer");
  }

  void fill() {
    std::vector<Term> terms;
    const auto add = [&](size_t item, const char* property, Term object) {
      terms.push_back(name("item" + std::to_string(item)));
      terms.push_back(name(property));
      terms.push_back(std::move(object));
    };
    for (size_t i = 0; i < items; ++i) {
      add(i, "number", number(i * 7919 % items));
      add(i, "other", number(i * 104'729 % items));
      add(i, "group", name("group" + std::to_string(i * 31 % groups)));
      add(i, "label", Term::literal("the label of item " + std::to_string(i * 6007 % items)));
      if (i < chain) add(i, "next", name("item" + std::to_string(i + 1)));
    }
    auto transaction = store_->begin();
    const std::vector<model::TermId> ids = transaction->intern_all(terms);
    std::vector<model::Quad> quads;
    for (size_t i = 0; i < ids.size(); i += 3) {
      quads.push_back({ids[i], ids[i + 1], ids[i + 2], model::TermId::default_graph()});
    }
    transaction->insert_all(std::move(quads));
    if (!transaction->commit().ok()) std::abort();
  }

  bench::ScratchDirectory directory_;  // goes after the store
  std::unique_ptr<store::Store> store_;
};

const Data& data() {
  static const Data made;  // built by the first benchmark that runs
  return made;
}

class Runner {
 public:
  // `memory_mb`: what does not fit goes to disk, as long as it may.
  explicit Runner(plan::Tuning tuning = {}, uint64_t memory_mb = 1024)
      : snapshot_(data().store().snapshot()), scratch_(directory_.path(), "query") {
    context_.source = snapshot_.get();
    context_.limits.wall_clock = &wall_clock_;
    context_.limits.random = &random_;
    context_.limits.tuning = tuning;
    context_.limits.memory_limit_bytes = memory_mb << 20;
    context_.limits.scratch = &scratch_;
  }
  std::unique_ptr<exec::Solutions> start(const std::string& text) {
    auto query = sparql::parse_query("PREFIX : <http://bench.example/> " + text);
    if (!query.ok()) std::abort();
    auto solutions = exec::run_select(std::move(query).value(), context_);
    if (!solutions.ok()) std::abort();
    return std::move(solutions).value();
  }
  // 0: it failed.
  size_t count(const std::string& text) {
    const auto solutions = start(text);
    size_t rows = 0;
    for (;;) {
      const auto some = solutions->next();
      if (!some.ok()) return 0;
      if (*some == 0) return rows;
      rows += *some;
    }
  }

 private:
  replica::SystemWallClock wall_clock_;
  replica::SystemRandom random_;
  std::unique_ptr<store::Snapshot> snapshot_;
  bench::ScratchDirectory directory_;
  base::TemporaryFiles scratch_;
  exec::QueryContext context_;
};

// `rows`: those that go through the operator in question, where they are not those that come out.
void run(benchmark::State& state, const std::string& text, size_t rows = 0, plan::Tuning tuning = {},
         uint64_t memory_mb = 1024) {
  Runner runner(tuning, memory_mb);
  size_t came_out = 0;
  for (auto _ : state) came_out = runner.count(text);
  if (came_out == 0) state.SkipWithError("no rows, or not enough memory");
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rows != 0 ? rows : came_out));
}

constexpr plan::Tuning only_look_ups{1e-3, 1e12, 1e12, 1e12, 1e12, 1e12};
constexpr plan::Tuning only_hashes{1e12, 0, 0, 0, 0, 0};

void scan(benchmark::State& state) { run(state, "SELECT ?s { ?s :number ?n }"); }
// Keys in the order of the numbers, which is not that of the items.
void look_up_batch(benchmark::State& state) {
  run(state, "SELECT ?g { ?s :number ?n . ?s :group ?g }", 0, only_look_ups);
}
void merge_join(benchmark::State& state) { run(state, "SELECT ?t { ?s :number ?n . ?t :other ?n }", 0, only_look_ups); }
void hash_join(benchmark::State& state) { run(state, "SELECT ?g { ?s :number ?n . ?s :group ?g }", 0, only_hashes); }
void group(benchmark::State& state) { run(state, "SELECT ?g (COUNT(*) AS ?n) { ?s :group ?g } GROUP BY ?g", items); }

// With the memory limit in MiB as argument: the least of them do not suffice.
void with_memory(benchmark::State& state, const std::string& text, size_t rows = 0) {
  run(state, text, rows, {}, static_cast<uint64_t>(state.range(0)));
}
void group_by_hash(benchmark::State& state) {
  with_memory(state, "SELECT ?m (SUM(?n) AS ?sum) { ?s :number ?n BIND(?n / 100 AS ?m) } GROUP BY ?m", items);
}
void distinct(benchmark::State& state) { with_memory(state, "SELECT DISTINCT ?s ?n { ?s :number ?n }"); }
void sort_numbers(benchmark::State& state) {
  with_memory(state, "SELECT ?n { ?s :number ?n } ORDER BY ((?n - 50000) * (?n - 50000))");
}
void sort_text(benchmark::State& state) { with_memory(state, "SELECT ?l { ?s :label ?l } ORDER BY ?l"); }
void top_ten(benchmark::State& state) { run(state, "SELECT ?l { ?s :label ?l } ORDER BY ?l LIMIT 10", items); }
void path_closure(benchmark::State& state) { run(state, "SELECT ?x { :item0 :next+ ?x }"); }
void filter_numbers(benchmark::State& state) { run(state, "SELECT ?s { ?s :number ?n FILTER(?n < 10) }", items); }

class NoOutput final : public io::OutputSink {
 public:
  base::Result<void> write(std::string_view) override { return {}; }
};

void write_results(benchmark::State& state, io::ResultFormat format) {
  Runner runner;
  size_t rows = 0;
  for (auto _ : state) {
    const auto solutions = runner.start("SELECT ?s ?l ?n { ?s :label ?l ; :number ?n }");
    NoOutput out;
    const auto writer = io::make_result_writer(format, out);
    if (!writer->start(solutions->variables()).ok()) return state.SkipWithError("the writer failed");
    io::ResultRow row(3);
    rows = 0;
    for (auto some = solutions->next(); some.ok() && *some > 0; some = solutions->next()) {
      for (size_t i = 0; i < *some; ++i) {
        for (size_t column = 0; column < 3; ++column) row[column] = solutions->term(i, column);
        if (!writer->row(row).ok()) return state.SkipWithError("the writer failed");
      }
      rows += *some;
    }
    if (!writer->finish().ok()) return state.SkipWithError("the writer failed");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rows));
}

}  // namespace

BENCHMARK(scan)->Unit(benchmark::kMillisecond);
BENCHMARK(look_up_batch)->Unit(benchmark::kMillisecond);
BENCHMARK(merge_join)->Unit(benchmark::kMillisecond);
BENCHMARK(hash_join)->Unit(benchmark::kMillisecond);
BENCHMARK(filter_numbers)->Unit(benchmark::kMillisecond);
BENCHMARK(group)->Unit(benchmark::kMillisecond);
BENCHMARK(group_by_hash)->Unit(benchmark::kMillisecond)->Arg(1024)->Arg(4);
BENCHMARK(distinct)->Unit(benchmark::kMillisecond)->Arg(1024)->Arg(4);
BENCHMARK(sort_numbers)->Unit(benchmark::kMillisecond)->Arg(1024)->Arg(8)->Arg(1);
BENCHMARK(sort_text)->Unit(benchmark::kMillisecond)->Arg(1024)->Arg(8)->Arg(1);
BENCHMARK(top_ten)->Unit(benchmark::kMillisecond);
BENCHMARK(path_closure)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write_results, json, io::ResultFormat::Json)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write_results, xml, io::ResultFormat::Xml)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write_results, csv, io::ResultFormat::Csv)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write_results, tsv, io::ResultFormat::Tsv)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
