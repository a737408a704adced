// What the terms of a file of RDF take in a store, and how fast they go in and out: dictionary_rates FILE [DIRECTORY]
// Its stores stand in directories of their own, in the given one or in that for temporary files, and go when it ends.
//
// The distinct terms go in three ways: in prepared batches, as a bulk load has them; many at a time; one by one, and
// then folded. Then they are looked up both ways, with a cache that holds all of them and with none. All times are
// processor time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <unordered_set>
#include <vector>

#include "bench/measuring.h"
#include "engine/io/rdf_parser.h"
#include "engine/model/blank_node_source.h"
#include "engine/model/inline_term.h"
#include "engine/store/store.h"

using namespace quadrille;
using bench::Stopwatch;

namespace {

// The distinct terms that are not inline, in the order of their first appearance.
class DistinctTerms final : public io::QuadSink {
 public:
  base::Result<void> add(const model::TermQuadView& quad, uint64_t) override {
    ++quads;
    for (const auto& term : {quad.subject, quad.predicate, quad.object}) add_term(term.to_term());
    if (quad.graph) add_term(quad.graph->to_term());
    return {};
  }
  void add_term(model::Term term) {
    if (model::inline_id(term)) return;
    std::string row = store::encode_term(term);
    if (!known_.insert(row).second) return;
    text_bytes += row.size();
    rows.push_back(std::move(row));
    terms.push_back(std::move(term));
  }

  uint64_t quads = 0;
  uint64_t text_bytes = 0;
  std::vector<std::string> rows;
  std::vector<model::Term> terms;

 private:
  std::unordered_set<std::string> known_;
};

constexpr size_t batch_terms = 50'000;

// Each way has a new store, in a directory of its own.
std::unique_ptr<store::Store> make_store(const bench::ScratchDirectory& directory, size_t cache_bytes) {
  store::StoreOptions options;
  options.environment.flush = false;
  options.term_cache_bytes = cache_bytes;
  auto made = store::Store::create(directory.path(), options);
  if (!made.ok()) throw base::StorageError(made.error());
  return std::move(made).value();
}

void commit(store::Transaction& transaction) {
  const auto done = transaction.commit();
  if (!done.ok()) throw base::StorageError(done.error());
}

void print_sizes(const store::Store& store, const DistinctTerms& terms) {
  const auto snapshot = store.snapshot();
  const auto& tables = store.format().dictionary;
  double all = 0;
  const auto print = [&](const std::string& name, double bytes) {
    if (bytes == 0) return;
    fmt::print("    {:<16} {:>11.0f} bytes {:>7.2f} a quad {:>7.2f} a term\n", name, bytes,
               bytes / static_cast<double>(terms.quads), bytes / static_cast<double>(terms.rows.size()));
  };
  for (const store::Table* table :
       {&tables.blocks, &tables.new_terms, &tables.large, &tables.phrases, &tables.hashes, &tables.new_hashes}) {
    const auto bytes = static_cast<double>(snapshot->tables().byte_count(*table));
    all += bytes;
    print(table->name(), bytes);
  }
  print("both ways", all);
  print("file", static_cast<double>(store.bytes_in_use()));
}

void fold(store::Store& store) {
  double longest = 0;
  size_t steps = 0;
  const Stopwatch watch;
  for (bool has_more = true; has_more; ++steps) {
    const Stopwatch step;
    const auto transaction = store.begin();
    has_more = transaction->fold_terms();
    commit(*transaction);
    longest = std::max(longest, step.seconds());
  }
  fmt::print("  folded in {:.2f} s, {} steps, the longest of {:.1f} ms\n", watch.seconds(), steps, longest * 1e3);
}

void measure_batches(const std::filesystem::path& parent, const DistinctTerms& terms) {
  const bench::ScratchDirectory directory(parent);
  const auto store = make_store(directory, 32 << 20);
  double preparing = 0, writing = 0, longest = 0;
  for (size_t start = 0; start < terms.rows.size(); start += batch_terms) {
    const size_t end = std::min(start + batch_terms, terms.rows.size());
    const std::vector<std::string_view> rows(terms.rows.begin() + static_cast<ptrdiff_t>(start),
                                             terms.rows.begin() + static_cast<ptrdiff_t>(end));
    std::vector<uint64_t> hashes;
    for (const auto row : rows) hashes.push_back(store::hash_term(row));
    const Stopwatch prepare;
    const auto prepared = store->snapshot()->prepare_terms({rows, hashes});
    preparing += prepare.seconds();
    const Stopwatch write;
    const auto transaction = store->begin();
    transaction->intern_prepared(prepared);
    commit(*transaction);
    writing += write.seconds();
    longest = std::max(longest, write.seconds());
  }
  fmt::print(
      "in prepared batches of {}: {:.2f} s aside ({:.0f} terms/s, {:.0f} MB/s), {:.3f} s of the writer, at most "
      "{:.1f} ms at once\n",
      batch_terms, preparing, static_cast<double>(terms.rows.size()) / preparing,
      static_cast<double>(terms.text_bytes) / preparing / 1e6, writing, longest * 1e3);
  print_sizes(*store, terms);
  fold(*store);
  print_sizes(*store, terms);
}

void measure_many(const std::filesystem::path& parent, const DistinctTerms& terms) {
  const bench::ScratchDirectory directory(parent);
  const auto store = make_store(directory, 32 << 20);
  const Stopwatch watch;
  for (size_t start = 0; start < terms.terms.size(); start += batch_terms) {
    const auto transaction = store->begin();
    transaction->intern_all(std::span(terms.terms).subspan(start, std::min(batch_terms, terms.terms.size() - start)));
    commit(*transaction);
  }
  fmt::print("many at a time: {:.2f} s\n", watch.seconds());
}

void measure_reads(const store::Store& store, const DistinctTerms& terms, const std::vector<model::TermId>& ids) {
  const auto snapshot = store.snapshot();
  std::vector<size_t> shuffled(ids.size());
  for (size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i;
  std::mt19937_64 random(1);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  shuffled.resize(std::min<size_t>(shuffled.size(), 100'000));
  const auto rate = [](const char* name, size_t count, auto&& work) {
    const Stopwatch watch;
    for (size_t i = 0; i < count; ++i) work(i);
    fmt::print("    {:<28} {:>9.0f} a second, {:.2f} microseconds each\n", name,
               static_cast<double>(count) / watch.seconds(), watch.seconds() * 1e6 / static_cast<double>(count));
  };
  rate("get, in order", ids.size(), [&](size_t i) { snapshot->get_term(ids[i]); });
  rate("get, at random", shuffled.size(), [&](size_t i) { snapshot->get_term(ids[shuffled[i]]); });
  rate("find, at random", shuffled.size(), [&](size_t i) { snapshot->find_term(terms.terms[shuffled[i]]); });
  rate("find, absent", shuffled.size(), [&](size_t i) { snapshot->find_term(model::Term::iri(std::to_string(i))); });
}

void measure_one_by_one(const std::filesystem::path& parent, const DistinctTerms& terms) {
  std::vector<model::TermId> ids;
  for (const size_t cache_bytes : {size_t{256} << 20, size_t{0}}) {
    const bench::ScratchDirectory directory(parent);
    const auto store = make_store(directory, cache_bytes);
    const Stopwatch watch;
    const auto transaction = store->begin();
    ids.clear();
    for (const auto& term : terms.terms) ids.push_back(transaction->intern(term));
    commit(*transaction);
    fmt::print("one by one: {:.2f} s, {:.0f} terms/s\n", watch.seconds(),
               static_cast<double>(ids.size()) / watch.seconds());
    print_sizes(*store, terms);
    measure_reads(*store, terms, ids);
    fold(*store);
    print_sizes(*store, terms);
    fmt::print("  with a cache of {} MB:\n", cache_bytes >> 20);
    measure_reads(*store, terms, ids);
  }
}

base::Result<void> measure(const std::string& file, const std::filesystem::path& parent) {
  const auto format = io::rdf_format_by_file_name(file);
  if (!format) return base::Error{base::ErrorKind::InvalidInput, file + ": expected .nt, .nq, .ttl, .trig or .rdf", {}};
  QUADRILLE_ASSIGN(const auto input, io::open_input(file));
  bench::FixedBits random;
  model::BlankNodeScope blank_nodes(random);
  DistinctTerms terms;
  QUADRILLE_TRY(io::parse_rdf(*format, *input, {}, blank_nodes, terms));
  fmt::print("{}: {} quads, {} terms of {} bytes\n", file, terms.quads, terms.rows.size(), terms.text_bytes);
  measure_batches(parent, terms);
  measure_many(parent, terms);
  measure_one_by_one(parent, terms);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: dictionary_rates FILE [DIRECTORY]\n");
    return 2;
  }
  const std::filesystem::path parent = argc > 2 ? argv[2] : std::filesystem::temp_directory_path();
  const auto done = base::catch_storage_error([&] { return measure(argv[1], parent); });
  if (!done.ok()) fmt::print(stderr, "{}\n", done.error().message);
  return done.ok() ? 0 : 1;
}
