#include "engine/load/assembly.h"

#include <algorithm>
#include <utility>

#include "engine/load/row_sort.h"

namespace quadrille::load {

using model::QuadOrder;
using model::TermId;
using store::QuadRow;

namespace {

constexpr size_t batch_rows = size_t{1} << 15;
constexpr size_t queued_batches_max = 16;
constexpr size_t run_lines = 4;
constexpr size_t gspo = 0;
constexpr size_t posg = 2;
constexpr size_t present_line = 4;

model::Quad quad_of(const QuadRow& row) noexcept { return {row[1], row[2], row[3], row[0]}; }

}  // namespace

// What was found out about some rows.
struct Assembly::Compared {
  bool is_end = false;
  Rows absent, present;
  std::array<Rows, run_lines> absent_by_line;  // without the first
};

Assembly::Assembly(store::RunNumber run, Sorter& sorter, const store::TermHashFile& hashes, const LoadParts& parts,
                   const AssemblyOptions& options, Pipeline& pipeline)
    : run_(run),
      sorter_(sorter),
      new_hashes_(hashes),
      parts_(parts),
      options_(options),
      pipeline_(pipeline),
      lines_{Line(QuadOrder::Gspo, true), Line(QuadOrder::Spog, true), Line(QuadOrder::Posg, true),
             Line(QuadOrder::Ospg, true), Line(QuadOrder::Gspo, false)} {
  for (size_t i = 1; i < run_lines; ++i) {
    lines_[i].sorter = std::make_unique<Sorter>(options.sort, parts.store.directory());
  }
}

void Assembly::add_stages() {
  pipeline_.add([this] { return write(); });
  for (Line& line : lines_) pipeline_.add([this, &line] { return encode(line); });
  for (size_t i = 1; i < run_lines; ++i) {
    pipeline_.add([&sorter = *lines_[i].sorter] { return sorter.next_piece(); });
  }
  pipeline_.add([this] { return compare(); });
}

double Assembly::rows_done() const noexcept {
  uint64_t encoded = 0;
  for (const Line& line : lines_) encoded += line.in_run ? line.rows_encoded : line.rows_encoded * run_lines;
  const uint64_t rows = absent_ + present_;
  if (!is_compared_ || rows == 0) return static_cast<double>(encoded) / run_lines;
  return static_cast<double>(encoded) / run_lines * static_cast<double>(sorter_.rows_added()) /
         static_cast<double>(rows);
}

bool Assembly::is_done() const noexcept {
  return pending_.empty() && !is_writing_ &&
         std::all_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.is_done; });
}

// ---- against the store ----

bool Assembly::takes_rows() const noexcept {
  if (lines_[gspo].rows.size() + lines_[present_line].rows.size() >= queued_batches_max) return false;
  return std::none_of(lines_.begin(), lines_.end(),
                      [](const Line& line) { return line.sorter && line.sorter->is_full(); });
}

std::optional<Pipeline::Piece> Assembly::compare() {
  if (is_comparing_ || is_compared_ || !sorter_.is_done() || !takes_rows()) return std::nullopt;
  is_comparing_ = true;
  auto compared = std::make_shared<Compared>();
  return Pipeline::Piece{[this, compared] { *compared = compare_some(); },
                         [this, compared] {
                           is_comparing_ = false;
                           publish(std::move(*compared));
                         }};
}

Assembly::Compared Assembly::compare_some() {
  if (!merge_) {
    merge_ = std::make_unique<RowMerge>(sorter_.take_sources(), batch_rows);
    watch_ = parts_.store.watch_changes(watched_changes_max);
    present_rows_ = std::make_unique<RowSet>(parts_.store.directory());
  }
  Compared compared;
  const auto rows = merge_->next();
  compared.is_end = rows.empty();
  // A snapshot of its own for each batch: none is held for long, and the watch knows what came between two of them.
  const auto snapshot = parts_.store.snapshot();
  StoredRows stored(*snapshot);
  for (const QuadRow& row : rows) (stored.contains(row) ? compared.present : compared.absent).push_back(row);
  present_rows_->add(compared.present);
  for (size_t line = 1; line < run_lines; ++line) {
    Rows& out = compared.absent_by_line[line];
    out.reserve(compared.absent.size());
    for (const QuadRow& row : compared.absent) out.push_back(store::to_row(lines_[line].order, quad_of(row)));
  }
  return compared;
}

void Assembly::publish(Compared compared) {
  absent_ += compared.absent.size();
  present_ += compared.present.size();
  if (!compared.absent.empty()) lines_[gspo].rows.push_back(std::move(compared.absent));
  if (!compared.present.empty() && parts_.asserted != nullptr) {
    lines_[present_line].rows.push_back(std::move(compared.present));
  }
  for (size_t line = 1; line < run_lines; ++line) lines_[line].sorter->add(std::move(compared.absent_by_line[line]));
  if (!compared.is_end) return;
  is_compared_ = true;
  merge_.reset();
  lines_[gspo].rows_ended = lines_[present_line].rows_ended = true;
  for (size_t line = 1; line < run_lines; ++line) lines_[line].sorter->end_input();
}

// ---- into blocks ----

std::optional<Pipeline::Piece> Assembly::encode(Line& line) {
  if (line.is_busy || line.is_done || pending_bytes_ > 2 * options_.commit_bytes) return std::nullopt;
  if (line.sorter ? !line.sorter->is_done() : line.rows.empty() && !line.rows_ended) return std::nullopt;
  line.is_busy = true;
  auto rows = std::make_shared<Rows>();
  if (!line.sorter && !line.rows.empty()) {
    *rows = std::move(line.rows.front());
    line.rows.pop_front();
  }
  struct Encoded {
    Blocks blocks;
    size_t rows = 0;
  };
  auto encoded = std::make_shared<Encoded>();
  return Pipeline::Piece{[this, &line, rows, encoded] {
                           if (line.sorter && !line.merge) {
                             line.merge = std::make_unique<RowMerge>(line.sorter->take_sources(), batch_rows);
                           }
                           const auto sorted = line.merge ? line.merge->next() : std::span<const QuadRow>(*rows);
                           encoded->rows = sorted.size();
                           line.encode(sorted, encoded->blocks);
                           add_totals(line, sorted);
                         },
                         [this, &line, encoded] {
                           line.is_busy = false;
                           line.is_done = encoded->rows == 0;
                           line.rows_encoded += encoded->rows;
                           add_blocks(line, std::move(encoded->blocks));
                         }};
}

// No rows: the end.
void Assembly::Line::encode(std::span<const QuadRow> sorted, Blocks& blocks) {
  if (sorted.empty()) return encoder.finish(blocks);
  encoder.add(sorted, blocks);
}

store::TotalsChange& Assembly::Line::totals_of(TermId first) {
  if (totals.empty() || totals.back().first != first) totals.emplace_back(first, store::TotalsChange());
  return totals.back().second;
}

// What the rows will add to the store's statistics: those of one graph or predicate come together.
void Assembly::add_totals(Line& line, std::span<const QuadRow> sorted) {
  if (!line.in_run) return;
  if (line.order == QuadOrder::Posg) {
    for (const QuadRow& row : sorted) ++line.totals_of(row[0]).quads;
  } else if (line.order == QuadOrder::Gspo) {
    const auto snapshot = parts_.store.snapshot();
    store::QuadHasher hasher(*snapshot, hashes_, &new_hashes_);
    for (const QuadRow& row : sorted) line.totals_of(row[0]).add(1, hasher.hash(quad_of(row)));
  }
}

store::StatisticsChange Assembly::statistics() const {
  store::StatisticsChange change;
  for (const auto& [graph, totals] : lines_[gspo].totals) {
    change.by_graph[graph].add(totals);
    change.all.add(totals);
  }
  for (const auto& [predicate, totals] : lines_[posg].totals) change.by_predicate[predicate] += totals.quads;
  return change;
}

Comparison Assembly::take_comparison() {
  return {{0, absent_, present_, 0}, statistics(), std::move(watch_), std::move(present_rows_)};
}

void Assembly::add_blocks(const Line& line, Blocks blocks) {
  if (blocks.empty()) return;
  for (const auto& block : blocks) pending_bytes_ += block.value.size();
  pending_.push_back({&line, std::move(blocks)});
}

std::optional<Pipeline::Piece> Assembly::write() {
  if (is_writing_ || pending_.empty()) return std::nullopt;
  const bool is_last = std::all_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.is_done; });
  if (pending_bytes_ < options_.commit_bytes && !is_last) return std::nullopt;
  is_writing_ = true;
  auto blocks = std::make_shared<std::deque<PendingBlocks>>();
  size_t bytes = 0;
  while (!pending_.empty() && bytes < options_.commit_bytes) {
    for (const auto& block : pending_.front().blocks) bytes += block.value.size();
    blocks->push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  pending_bytes_ -= bytes;
  return Pipeline::Piece{[this, blocks] {
                           const auto written = parts_.writer.write([&](store::Transaction& transaction) {
                             for (const PendingBlocks& pending : *blocks) write_blocks(transaction, pending);
                           });
                           if (!written.ok()) throw base::StorageError(written.error());
                         },
                         [this] { is_writing_ = false; }};
}

void Assembly::write_blocks(store::Transaction& transaction, const PendingBlocks& pending) {
  const Line& line = *pending.line;
  if (line.in_run) transaction.append_run(run_, line.order, pending.blocks);
  if (line.order != QuadOrder::Gspo || parts_.asserted == nullptr) return;
  const auto was = line.in_run ? AssertedQuads::Was::Absent : AssertedQuads::Was::Present;
  parts_.asserted->append(transaction, was, pending.blocks);
}

}  // namespace quadrille::load
