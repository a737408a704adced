// What a file of RDF takes in a store, and how fast it is read there: store_size FILE [DIRECTORY]
// Keeps the store if a directory is given, which must be new or empty; store_size DIRECTORY measures it once more.
//
// The quads are written one by one, as updates are, and measured while all of them stand in the delta; then they are
// folded into blocks and measured again.
#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <unordered_map>
#include <vector>

#include "bench/measuring.h"
#include "engine/io/rdf_parser.h"
#include "engine/model/blank_node_source.h"
#include "engine/store/store.h"

using namespace quadrille;
using bench::Stopwatch;

namespace {

// Interns in batches, and writes the quads of each.
class StoreSink final : public io::QuadSink {
 public:
  explicit StoreSink(store::Transaction& transaction) : transaction_(transaction) {}

  base::Result<void> add(const model::TermQuadView& quad, uint64_t) override {
    for (const auto& term : {quad.subject, quad.predicate, quad.object}) terms_.push_back(term.to_term());
    terms_.push_back(quad.graph ? quad.graph->to_term() : terms_.back());
    has_graph_.push_back(quad.graph.has_value());
    if (has_graph_.size() == 100'000) flush();
    return {};
  }
  void flush() {
    const auto ids = transaction_.intern_all(terms_);
    for (size_t i = 0; i < has_graph_.size(); ++i) {
      const auto graph = has_graph_[i] ? ids[i * 4 + 3] : model::TermId::default_graph();
      transaction_.insert({ids[i * 4], ids[i * 4 + 1], ids[i * 4 + 2], graph});
    }
    terms_.clear();
    has_graph_.clear();
  }

 private:
  store::Transaction& transaction_;
  std::vector<model::Term> terms_;
  std::vector<bool> has_graph_;
};

struct Columns {
  static constexpr size_t capacity = 4096;
  std::array<std::array<model::TermId, capacity>, 4> ids;
  model::ScanBatch batch() {
    model::ScanBatch batch;
    batch.capacity = capacity;
    for (size_t i = 0; i < 4; ++i) batch.columns[i] = ids[i].data();
    return batch;
  }
};

void print_blocks(const store::Snapshot& snapshot, const store::Table& table) {
  const uint64_t blocks = snapshot.tables().row_count(table);
  if (blocks == 0) return;
  uint64_t bytes = 0;
  store::Cursor cursor(snapshot.tables(), table);
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) bytes += cursor.value().size();
  fmt::print("    {} blocks of {} bytes and {} quads, pages full to {} %\n", blocks, bytes / blocks,
             snapshot.quad_count() / blocks, (bytes + blocks * 46) * 100 / snapshot.tables().byte_count(table));
}

void print_sizes(const store::Store& store) {
  const auto snapshot = store.snapshot();
  const double quads = static_cast<double>(snapshot->quad_count());
  const auto& tables = store.format();
  double all_orders = 0;
  const auto print = [&](const char* name, double bytes) {
    fmt::print("  {:<12} {:>12.0f} bytes {:>8.2f} a quad\n", name, bytes, bytes / quads);
  };
  const auto bytes_of = [&](const store::Table& table) {
    return static_cast<double>(snapshot->tables().byte_count(table));
  };
  for (const auto order : model::all_quad_orders) {
    const double bytes = bytes_of(tables.quads.blocks_of(order)) + bytes_of(tables.quads.delta_of(order));
    all_orders += bytes;
    print(name_of(order), bytes);
    print_blocks(*snapshot, tables.quads.blocks_of(order));
  }
  print("all orders", all_orders);
  print("statistics", bytes_of(tables.statistics));
}

void print_rates(const store::Store& store, const std::vector<model::Quad>& quads) {
  const auto snapshot = store.snapshot();
  Columns columns;
  for (const auto order : model::all_quad_orders) {
    const Stopwatch watch;
    size_t rows = 0;
    const auto scan = snapshot->scan(order, {}, model::ColumnSet::all());
    while (const size_t count = scan->next(columns.batch())) rows += count;
    fmt::print("  scan of {}: {:.1f} M rows/s\n", name_of(order), static_cast<double>(rows) / watch.seconds() / 1e6);
  }
  const auto rate = [&](const char* name, auto&& look_up) {
    const Stopwatch watch;
    size_t found = 0;
    for (const auto& quad : quads) found += look_up(quad);
    fmt::print("  {}: {:.0f} a second, {:.2f} rows each\n", name, static_cast<double>(quads.size()) / watch.seconds(),
               static_cast<double>(found) / static_cast<double>(quads.size()));
  };
  const auto first_rows = [&](model::QuadOrder order, std::initializer_list<model::TermId> prefix) {
    return snapshot->scan(order, std::span(prefix.begin(), prefix.size()), model::ColumnSet::all())
        ->next(columns.batch());
  };
  rate("contains", [&](const model::Quad& quad) { return snapshot->contains(quad) ? size_t{1} : 0; });
  rate("s p ?", [&](const model::Quad& quad) {
    return first_rows(model::QuadOrder::Spog, {quad.subject, quad.predicate});
  });
  rate("s ? ?", [&](const model::Quad& quad) { return first_rows(model::QuadOrder::Spog, {quad.subject}); });
  rate("? ? o (first 4,096)",
       [&](const model::Quad& quad) { return first_rows(model::QuadOrder::Ospg, {quad.object}); });
}

std::vector<model::Quad> sample_of(const store::Store& store, size_t count) {
  const auto snapshot = store.snapshot();
  std::vector<model::Quad> quads;
  Columns columns;
  const auto scan = snapshot->scan(model::QuadOrder::Spog, {}, model::ColumnSet::all());
  while (const size_t rows = scan->next(columns.batch())) {
    for (size_t i = 0; i < rows; ++i) {
      quads.push_back({columns.ids[0][i], columns.ids[1][i], columns.ids[2][i], columns.ids[3][i]});
    }
  }
  std::mt19937_64 random(1);
  std::shuffle(quads.begin(), quads.end(), random);
  quads.resize(std::min(count, quads.size()));
  return quads;
}

base::Result<void> fill(store::Store& store, const std::string& file) {
  const auto format = io::rdf_format_by_file_name(file);
  if (!format) return base::Error{base::ErrorKind::InvalidInput, file + ": expected .nt, .nq, .ttl, .trig or .rdf", {}};
  QUADRILLE_ASSIGN(const auto input, io::open_input(file));
  bench::FixedBits random;
  model::BlankNodeScope blank_nodes(random);
  const auto transaction = store.begin();
  StoreSink sink(*transaction);
  QUADRILLE_TRY(io::parse_rdf(*format, *input, {}, blank_nodes, sink));
  sink.flush();
  return transaction->commit();
}

base::Result<void> fold(store::Store& store) {
  double longest = 0;
  const Stopwatch watch;
  for (bool has_more = true; has_more;) {
    const Stopwatch step;
    const auto transaction = store.begin();
    has_more = transaction->fold_delta(4096).delta_rows_left > 0;
    longest = std::max(longest, step.seconds());
    QUADRILLE_TRY(transaction->commit());
  }
  fmt::print("folded in {:.2f} s; the longest step took {:.1f} ms\n", watch.seconds(), longest * 1e3);
  return {};
}

base::Result<void> measure(const std::string& file, const std::filesystem::path& directory) {
  store::StoreOptions options;
  options.environment.flush = false;
  QUADRILLE_ASSIGN(const auto store, store::Store::create(directory, options));
  const Stopwatch watch;
  QUADRILLE_TRY(fill(*store, file));
  fmt::print("{}: {} quads in {:.2f} s\n", file, store->snapshot()->quad_count(), watch.seconds());
  const auto sample = sample_of(*store, 100'000);
  fmt::print("in the delta:\n");
  print_sizes(*store);
  print_rates(*store, sample);
  QUADRILLE_TRY(fold(*store));
  fmt::print("in blocks:\n");
  print_sizes(*store);
  print_rates(*store, sample);
  return {};
}

// One that is there already.
base::Result<void> measure_store(const std::filesystem::path& directory) {
  QUADRILLE_ASSIGN(const auto store, store::Store::open(directory));
  const auto sample = sample_of(*store, 100'000);
  print_sizes(*store);
  print_rates(*store, sample);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: store_size FILE [DIRECTORY] | store_size STORE\n");
    return 2;
  }
  const bool is_store = std::filesystem::is_directory(argv[1]);
  const bench::ScratchDirectory scratch;
  const std::filesystem::path directory = argc > 2 ? argv[2] : scratch.path();  // a store that was asked for stays
  const auto done =
      base::catch_storage_error([&] { return is_store ? measure_store(argv[1]) : measure(argv[1], directory); });
  if (!done.ok()) fmt::print(stderr, "{}\n", done.error().message);
  return done.ok() ? 0 : 1;
}
