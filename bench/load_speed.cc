// How fast files are loaded into an empty store, without a site around it: load_speed DIRECTORY FILE...
// The directory must not exist; it is left behind, for a look at its size.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <random>

#include "engine/base/memory.h"
#include "engine/load/bulk_load.h"
#include "engine/load/direct_store_writer.h"
#include "replica/thread_task_runner.h"

using namespace quadrille;

namespace {

class SystemBits final : public base::RandomSource {
 public:
  uint64_t next() override { return std::random_device()() * uint64_t{0x9E3779B97F4A7C15}; }
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

base::Result<void> run(const std::string& directory, const std::vector<std::string>& files, size_t threads,
                       uint64_t memory, size_t piece) {
  std::filesystem::create_directories(directory);
  QUADRILLE_ASSIGN(const auto store, store::Store::create(directory));
  replica::ThreadTaskRunner runner(threads);
  SystemBits random;
  load::DirectStoreWriter writer(*store);
  std::vector<load::Document> documents;
  for (const auto& file : files) {
    load::Document document;
    document.name = file;
    document.format = io::rdf_format_by_file_name(file).value_or(io::RdfFormat::NTriples);
    document.base_iri = "file:///";
    document.open = [file] { return io::open_input(file); };
    documents.push_back(document);
  }
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  double read_at = 0;
  load::LoadOptions options;
  options.memory_bytes = memory;
  options.piece_bytes = piece;
  options.on_progress = [&](const load::LoadProgress& progress) {
    if (progress.phase == load::LoadProgress::Phase::Sorting && read_at == 0) read_at = elapsed();
  };
  const load::LoadParts parts{*store, writer, runner, random, nullptr, {}};
  QUADRILLE_ASSIGN(const auto prepared, load::prepare_load(std::move(documents), parts, options));
  base::Result<uint64_t> added = uint64_t{0};
  QUADRILLE_TRY(writer.write([&](store::Transaction& transaction) { added = prepared->switch_in(transaction); }));
  QUADRILLE_TRY(added);
  const double seconds = elapsed();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto& counts = prepared->counts();
  fmt::print(
      "{} statements, {} new quads: {:.2f} s ({:.0f} a second), read after {:.2f} s; CPU {:.2f} + {:.2f} s, "
      "peak {} MB, file {} MB\n",
      counts.read, counts.absent, seconds, static_cast<double>(counts.read) / seconds, read_at,
      seconds_of(usage.ru_utime), seconds_of(usage.ru_stime), usage.ru_maxrss >> 10, store->bytes_in_use() >> 20);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  base::keep_freed_memory();
  CLI::App app("How fast files are loaded into an empty store");
  std::string directory;
  std::vector<std::string> files;
  size_t threads = replica::load_width();
  uint64_t memory_mib = 2048;
  app.add_option("DIRECTORY", directory)->required();
  app.add_option("FILE", files)->required();
  app.add_option("--threads", threads);
  app.add_option("--memory-mib", memory_mib);
  size_t piece_kib = 2048;
  app.add_option("--piece-kib", piece_kib);
  CLI11_PARSE(app, argc, argv);
  const auto done = run(directory, files, threads, memory_mib << 20, piece_kib << 10);
  if (!done.ok()) fmt::print(stderr, "load_speed: {}\n", done.error().message);
  return done.ok() ? 0 : 1;
}
