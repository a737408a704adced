#include "engine/load/bulk_load.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/load/assembly.h"
#include "engine/load/interning.h"
#include "engine/load/pipeline.h"
#include "engine/load/prepared_run.h"
#include "engine/load/reading.h"
#include "engine/load/sorter.h"
#include "engine/store/term_hash_file.h"

namespace quadrille::load {
namespace {

// Shares of the memory that a load may take: a quarter for rows sorted by GSPO, three eighths for the other orders, a
// quarter for what is known of terms, an eighth for text and what was parsed of it.
struct Limits {
  explicit Limits(const LoadOptions& options, size_t width) {
    constexpr uint64_t memory_least = uint64_t{1} << 20;
    constexpr size_t bytes_of_term = 48;
    constexpr size_t pieces_in_flight_max = 64;
    const uint64_t memory = std::max(options.memory_bytes, memory_least);
    reading.piece_bytes = std::min<size_t>(options.piece_bytes, memory / 256);
    reading.pieces_in_flight = std::clamp<size_t>(memory / 8 / (reading.piece_bytes * 2), 2 * width + 4,
                                                  std::max(pieces_in_flight_max, 2 * width + 4));
    interning.pieces_of_batch_max = std::max<size_t>(1, reading.pieces_in_flight / 4);
    interning.batch_bytes = std::min<size_t>(options.commit_bytes / 2, memory / 32);
    interning.terms_in_memory = memory / 4 / bytes_of_term;
    sort = sort_limits(memory / 4);
    assembly.sort = sort_limits(memory / 8);
    assembly.commit_bytes = std::min<size_t>(options.commit_bytes, memory / 32);
  }

  ReadingOptions reading;
  InterningOptions interning;
  SortLimits sort;
  AssemblyOptions assembly;

 private:
  static SortLimits sort_limits(uint64_t bytes) {
    SortLimits limits;
    limits.rows_in_memory = bytes / sizeof(store::QuadRow);
    limits.segment_rows = std::min(limits.segment_rows, limits.rows_in_memory / 4);
    limits.runs_max = std::clamp<size_t>(limits.rows_in_memory / SpillFile::page_rows_max, 16, 256);
    return limits;
  }
};

class BulkLoad {
 public:
  BulkLoad(std::vector<Document> documents, const LoadParts& parts, const LoadOptions& options, const Limits& limits,
           store::RunNumber run)
      : parts_(parts),
        options_(options),
        pipeline_(parts.runner),
        reading_(std::move(documents), limits.reading, parts.random, pipeline_),
        hashes_(parts.store.directory(), parts.store.snapshot()->next_term()),
        interning_(reading_, parts.store, parts.writer, limits.interning, pipeline_, hashes_),
        sorter_(limits.sort, parts.store.directory()),
        assembly_(run, sorter_, hashes_, parts, limits.assembly, pipeline_) {
    pipeline_.add([this] { return report(); });
    assembly_.add_stages();
    pipeline_.add([this] { return sorter_.next_piece(); });
    pipeline_.add([this] { return resolve_next(); });
    interning_.add_stages();
    reading_.add_stages();
  }

  base::Result<void> run() {
    QUADRILLE_TRY(pipeline_.run());
    QUADRILLE_CHECK(assembly_.is_done(), "a load ends when all of its rows are in blocks");
    return {};
  }

  std::unique_ptr<PreparedLoad> take_prepared(store::RunNumber run) {
    std::vector<QuadApart> apart;
    for (auto& [piece, quads] : apart_) apart.insert(apart.end(), quads.begin(), quads.end());
    Comparison comparison = assembly_.take_comparison();
    comparison.counts.read = quads_read_;
    comparison.counts.apart = apart.size();
    return std::make_unique<PreparedRun>(parts_.store, run, std::move(comparison), std::move(apart));
  }

 private:
  std::optional<Pipeline::Piece> resolve_next() {
    if (sorter_.is_full()) return std::nullopt;
    auto next = interning_.take_next();
    if (!next) return end_input_if_done();
    auto collected = std::make_shared<CollectedPiece>(*std::move(next));
    auto resolved = std::make_shared<ResolvedPiece>();
    return Pipeline::Piece{[this, collected, resolved] { *resolved = resolve(*collected, parts_.is_bulk); },
                           [this, collected, resolved] {
                             quads_read_ += resolved->rows.size() + resolved->apart.size();
                             sorter_.add(std::move(resolved->rows));
                             if (!resolved->apart.empty()) apart_[collected->number] = std::move(resolved->apart);
                             reading_.release_piece();
                           }};
  }

  // A piece without work: so that the stages behind this one are asked again.
  std::optional<Pipeline::Piece> end_input_if_done() {
    if (is_input_ended_ || !reading_.is_done()) return std::nullopt;
    is_input_ended_ = true;
    sorter_.end_input();
    return Pipeline::Piece{[] {}, {}};
  }

  // Not work, but the place where everybody comes by.
  std::optional<Pipeline::Piece> report() {
    if (options_.stopping != nullptr && *options_.stopping) {
      pipeline_.fail({base::ErrorKind::Unavailable, "the load was given up: the site stops", {}});
    }
    if (!options_.on_progress) return std::nullopt;
    constexpr double reading_share = 0.6;  // of the time that a load takes
    LoadProgress progress;
    progress.quads = quads_read_;
    progress.document = reading_.document_being_read();
    const auto read = reading_.share_read();
    if (is_input_ended_) {
      progress.phase = LoadProgress::Phase::Sorting;
      const auto rows = static_cast<double>(std::max<uint64_t>(1, sorter_.rows_added()));
      progress.share_done = reading_share + (1 - reading_share) * std::min(1.0, assembly_.rows_done() / rows);
    } else {
      progress.share_done = read ? *read * reading_share : -1;
    }
    options_.on_progress(progress);
    return std::nullopt;
  }

  const LoadParts& parts_;
  const LoadOptions& options_;
  Pipeline pipeline_;
  Reading reading_;
  store::TermHashFile hashes_;
  Interning interning_;
  Sorter sorter_;  // by GSPO
  Assembly assembly_;
  bool is_input_ended_ = false;
  uint64_t quads_read_ = 0;
  std::map<uint64_t, std::vector<QuadApart>> apart_;  // by number of piece
};

base::Result<store::RunNumber> start_run(StoreWriter& writer) {
  store::RunNumber run = 0;
  QUADRILLE_TRY(writer.write([&](store::Transaction& transaction) { run = transaction.start_run(); }));
  return run;
}

}  // namespace

base::Result<std::unique_ptr<PreparedLoad>> prepare_load(std::vector<Document> documents, const LoadParts& parts,
                                                         const LoadOptions& options) {
  QUADRILLE_ASSIGN(const store::RunNumber run, start_run(parts.writer));
  Limits limits(options, parts.runner.width());
  limits.reading.fingerprint_seed = parts.random.next();
  limits.reading.with_lines = static_cast<bool>(parts.is_bulk);
  BulkLoad load(std::move(documents), parts, options, limits, run);
  const auto done = load.run();
  if (!done.ok()) {
    // If that fails too, what is left is removed at the next opening.
    static_cast<void>(drop_run(run, parts.writer));
    return done.error();
  }
  return load.take_prepared(run);
}

}  // namespace quadrille::load
