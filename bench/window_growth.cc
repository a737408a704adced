// What a site keeps for a member that is away: a history window of many versions, each of another quad, and what is
// left of it once the member has been heard of. Memory is RssAnon: without the pages of the mapped file, which the
// system takes back as it likes. Nothing waits for the disk.
// usage: window_growth [VERSIONS [DIRECTORY]]
#include <fmt/format.h>
#include <lmdb.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "bench/measuring.h"
#include "policies/built_in.h"
#include "reconcile/site_store.h"

using namespace quadrille;

namespace {

constexpr size_t quads_per_changeset = 1'000;
constexpr uint64_t rows_per_compaction = 2'048;  // as WriterThread has it
constexpr uint64_t cells_per_fold = 5'000;       // as SyncOptions has it
constexpr double mebibyte = 1 << 20;
constexpr const char* integer = "http://www.w3.org/2001/XMLSchema#integer";

struct FixedClock final : base::WallClock {
  int64_t now_ms() const override { return 1'800'000'000'000; }
};
struct CountingRandom final : base::RandomSource {
  uint64_t next() override { return ++state; }
  uint64_t state = 0;
};

// Without the mapped file; in bytes.
uint64_t own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::strtoull(line.c_str() + 8, nullptr, 10) << 10;
  }
  return 0;
}

struct FileUse {
  uint64_t bytes = 0;
  uint64_t free_bytes = 0;  // pages on LMDB's list of free ones
};

// Of a store that is closed. LMDB's table of free pages has lists of page numbers, each led by its length.
FileUse use_of(const std::filesystem::path& directory) {
  FileUse use;
  const auto file = directory / "data.mdb";
  use.bytes = std::filesystem::file_size(file);
  MDB_env* environment = nullptr;
  MDB_txn* transaction = nullptr;
  MDB_cursor* cursor = nullptr;
  QUADRILLE_CHECK(mdb_env_create(&environment) == 0, "LMDB gives no environment");
  mdb_env_set_mapsize(environment, size_t{1} << 36);
  QUADRILLE_CHECK(mdb_env_open(environment, directory.c_str(), MDB_RDONLY | MDB_NOLOCK, 0600) == 0,
                  "the file cannot be opened");
  MDB_stat stat{};
  mdb_env_stat(environment, &stat);
  QUADRILLE_CHECK(mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction) == 0, "no transaction");
  QUADRILLE_CHECK(mdb_cursor_open(transaction, 0, &cursor) == 0, "no cursor over the free pages");
  MDB_val key{}, value{};
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
    size_t pages = 0;
    std::memcpy(&pages, value.mv_data, sizeof pages);
    use.free_bytes += pages * stat.ms_psize;
  }
  mdb_cursor_close(cursor);
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
  return use;
}

class Site {
 public:
  explicit Site(const std::filesystem::path& directory) : directory_(directory) {
    options_.flush = false;
    options_.map_bytes = uint64_t{1} << 36;
    const auto made =
        reconcile::SiteStore::create(directory_, {{"ams", 1}, "window", {"ams", "nyc"}, {}}, policies_, options_);
    QUADRILLE_CHECK(made.ok(), "a site cannot be made");
    open();
  }
  void open() { store_ = reconcile::SiteStore::open(directory_, {policies_, clock_, random_}, options_).value(); }
  FileUse close() {
    store_.reset();
    return use_of(directory_);
  }

  void write(size_t from, size_t to) {
    for (size_t at = from; at < to; at += quads_per_changeset) {
      auto group = store_->begin().value();
      const auto receipt = group->update([&](model::QuadTarget& target) -> base::Result<void> {
        for (size_t i = at; i < std::min(to, at + quads_per_changeset); ++i) target.insert(quad_at(target, i));
        return {};
      });
      QUADRILLE_CHECK(receipt.ok() && group->commit().ok(), "an update failed");
      group.reset();
      compact();
    }
  }
  // The member is heard of: it has everything.
  void settle() {
    for (bool is_done = false; !is_done;) {
      const auto start = std::chrono::steady_clock::now();
      auto group = store_->begin().value();
      is_done = group->fold({group->version_vector(), {}}, cells_per_fold)->is_done;
      QUADRILLE_CHECK(group->commit().ok(), "a fold failed");
      group.reset();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      longest_fold_ms_ = std::max(longest_fold_ms_, took.count());
      ++folds_;
      compact();
    }
    QUADRILLE_CHECK(store_->snapshot()->window_cell_count() == 0, "the window is not empty");
  }
  void tell(const char* what, const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    most_memory_ = 0;
    work();
    while (compact()) {
    }
    note_memory();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const auto snapshot = store_->snapshot();
    fmt::print(
        "{:34} {:7.1f} s ({:.1f} s CPU), window {} cells, log {} changesets, file {:.0f} MiB, own memory at most "
        "{:.0f} "
        "MiB\n",
        what, took.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC, snapshot->window_cell_count(),
        snapshot->log_entry_count(), static_cast<double>(file_bytes()) / mebibyte,
        static_cast<double>(most_memory_) / mebibyte);
    std::fflush(stdout);
  }
  void tell_folds() const { fmt::print("  {} steps, the longest {:.1f} ms\n", folds_, longest_fold_ms_); }

 private:
  // Half of a new thing, half of one that has been written before; IRIs that are shared, numbers and texts.
  static model::Quad quad_at(model::QuadTarget& target, size_t i) {
    using model::Term;
    const size_t newest = i / 20;
    const size_t thing = i % 2 == 0 ? newest : (i * 0x9E3779B97F4A7C15) % (newest + 1);
    const size_t property = i / 2 % 10;
    const Term object = property < 3 ? Term::iri(fmt::format("http://example.org/type{}", i % 1009))
                        : property < 6
                            ? Term::typed_literal(std::to_string(i), integer)
                            : Term::literal(fmt::format("text number {} that a person might have written", i));
    return {target.intern(Term::iri(fmt::format("http://example.org/thing{}", thing))),
            target.intern(Term::iri(fmt::format("http://example.org/property{}", property))), target.intern(object),
            model::TermId::default_graph()};
  }
  uint64_t file_bytes() const { return std::filesystem::file_size(directory_ / "data.mdb"); }
  void note_memory() { most_memory_ = std::max(most_memory_, own_memory()); }
  // As the writer of a busy site: a step after each group. True: there is more.
  bool compact() {
    if (++steps_ % 100 == 0) note_memory();
    return store_->compact(rows_per_compaction).value();
  }

  std::filesystem::path directory_;
  reconcile::PolicyRegistry policies_ = policies::built_in();
  FixedClock clock_;
  CountingRandom random_;
  reconcile::SiteStoreOptions options_;
  std::unique_ptr<reconcile::SiteStore> store_;
  uint64_t most_memory_ = 0;
  uint64_t steps_ = 0;
  uint64_t folds_ = 0;
  double longest_fold_ms_ = 0;
};

void tell_use(const FileUse& use) {
  fmt::print("  file {:.0f} MiB, of it free {:.0f} MiB\n", static_cast<double>(use.bytes) / mebibyte,
             static_cast<double>(use.free_bytes) / mebibyte);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t versions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  const bench::ScratchDirectory directory(argc > 2 ? std::filesystem::path(argv[2])
                                                   : std::filesystem::temp_directory_path());
  Site site(directory.path() / "ams");
  site.tell("written while a member is away", [&] { site.write(0, versions); });
  tell_use(site.close());
  site.open();
  site.tell("the member is heard of", [&] { site.settle(); });
  site.tell_folds();
  tell_use(site.close());
  site.open();
  const size_t more = versions / 10;
  site.tell("a tenth more, it is away again", [&] { site.write(versions, versions + more); });
  tell_use(site.close());
  site.open();
  site.tell("it is heard of again", [&] { site.settle(); });
  tell_use(site.close());
  return 0;
}
