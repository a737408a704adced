#include "engine/load/interning.h"

#include <utility>

#include "engine/store/store.h"

namespace quadrille::load {

void Interning::add_stages() {
  pipeline_.add([this] { return write(); });
  pipeline_.add([this] { return prepare(); });
  pipeline_.add([this] { return collect(); });
}

std::optional<CollectedPiece> Interning::take_next() {
  if (collected_.empty()) return std::nullopt;
  for (const auto& batch : collected_.front().batches) {
    if (!batch->is_done) return std::nullopt;
  }
  CollectedPiece next = std::move(collected_.front());
  collected_.pop_front();
  return next;
}

std::optional<Pipeline::Piece> Interning::collect() {
  if (is_collecting_) return std::nullopt;
  auto piece = reading_.take_next();
  if (!piece) return std::nullopt;
  auto collected = std::make_shared<CollectedPiece>(place(std::move(piece)));
  if (const auto& error = collected->piece->error) {
    base::Error told = *error;
    if (told.position) told.position->line += collected->first_line - 1;
    pipeline_.fail(error_in_document(reading_.document(collected->piece->document).name, told));
    return std::nullopt;
  }
  is_collecting_ = true;
  // The pieces behind this one belong to other threads meanwhile; what follows is the collector's alone.
  std::vector<std::shared_ptr<TermBatch>> finished;
  while (!closed_.empty() && closed_.front()->is_done) {
    finished.push_back(std::move(closed_.front()));
    closed_.pop_front();
  }
  if (!open_) open_batch();
  for (const auto& batch : closed_) collected->batches.push_back(batch);
  collected->batches.push_back(open_);
  return Pipeline::Piece{[this, collected, finished = std::move(finished)] {
                           for (const auto& batch : finished) take_over(*batch);
                           look_up(*collected);
                         },
                         [this, collected] {
                           is_collecting_ = false;
                           close_batch_if_full();
                           closed_.insert(closed_.end(), full_.begin(), full_.end());
                           full_.clear();
                           collected_.push_back(std::move(*collected));
                         }};
}

CollectedPiece Interning::place(std::shared_ptr<const ParsedPiece> piece) {
  CollectedPiece placed;
  if (piece->document != document_) first_line_ = 1;
  document_ = piece->document;
  placed.number = pieces_++;
  placed.first_line = first_line_;
  first_line_ += piece->line_count;
  placed.piece = std::move(piece);
  return placed;
}

// The dictionary has given ids for the provisional ones.
void Interning::take_over(const TermBatch& batch) {
  for (size_t i = 0; i < batch.ids.size(); ++i) table_.set(batch.fingerprints[i], batch.ids[i]);
}

void Interning::look_up(CollectedPiece& collected) {
  constexpr TermNumber ahead = 8;
  const TermRows& terms = collected.piece->terms;
  const auto size = static_cast<TermNumber>(terms.size());
  collected.ids.resize(size);
  for (TermNumber term = 0; term < size; ++term) {
    if (term + ahead < size) table_.prefetch(terms.fingerprint(term + ahead));
    model::TermId& id = collected.ids[term];
    id = terms.inline_id(term);
    if (id.is_bound()) continue;
    const Fingerprint& fingerprint = terms.fingerprint(term);
    id = table_.find(fingerprint);
    if (id.is_bound()) continue;
    id = add_new(term, collected);
  }
}

// The table does not know the term: so its batch must not have it either. It cannot as long as the table knows all
// terms of the batch.
model::TermId Interning::add_new(TermNumber term, CollectedPiece& collected) {
  if (table_.turns() > open_->turns + 1) {
    full_.push_back(std::move(open_));
    open_batch();
    collected.batches.push_back(open_);
  }
  const Fingerprint& fingerprint = collected.piece->terms.fingerprint(term);
  const std::string_view row = collected.piece->terms.row(term);
  const model::TermId id = provisional_id(next_place_++);
  table_.set(fingerprint, id);
  open_->fingerprints.push_back(fingerprint);
  open_->rows.push_back(row);
  open_->row_bytes += row.size();
  if (open_->pieces.empty() || open_->pieces.back() != collected.piece) open_->pieces.push_back(collected.piece);
  return id;
}

void Interning::open_batch() { open_ = std::make_shared<TermBatch>(next_place_, pieces_, table_.turns()); }

// Right after each piece, whatever other threads do: where batches end decides which numbers terms get. Pieces wait for
// their batches, so a batch takes too few of them for reading to come to a stop.
void Interning::close_batch_if_full() {
  if (!open_) return;
  const bool is_full =
      open_->row_bytes >= options_.batch_bytes || pieces_ - open_->first_piece >= options_.pieces_of_batch_max;
  if (is_full) full_.push_back(std::exchange(open_, nullptr));
}

void Interning::close_last_batch() {
  if (is_collecting_ || !open_ || !reading_.is_all_taken()) return;
  closed_.push_back(std::exchange(open_, nullptr));
}

std::optional<Pipeline::Piece> Interning::prepare() {
  close_last_batch();
  for (const auto& batch : closed_) {
    if (batch->is_preparing) continue;
    batch->is_preparing = true;
    auto prepared = std::make_shared<std::optional<store::PreparedTerms>>();
    return Pipeline::Piece{[this, batch, prepared] { *prepared = prepare_batch(*batch); },
                           [batch, prepared] { batch->prepared = std::move(*prepared); }};
  }
  return std::nullopt;
}

store::PreparedTerms Interning::prepare_batch(TermBatch& batch) const {
  batch.hashes.reserve(batch.rows.size());
  for (const std::string_view row : batch.rows) batch.hashes.push_back(store_.term_hash()(row));
  return store_.snapshot()->prepare_terms({batch.rows, batch.hashes});
}

std::optional<Pipeline::Piece> Interning::write() {
  if (is_writing_) return std::nullopt;
  for (const auto& batch : closed_) {
    if (batch->is_done) continue;
    if (!batch->prepared) return std::nullopt;
    is_writing_ = true;
    return Pipeline::Piece{[this, batch] { write_batch(*batch); },
                           [this, batch] {
                             is_writing_ = false;
                             batch->is_done = true;
                           }};
  }
  return std::nullopt;
}

// What the batch has taken from its pieces is let go.
void Interning::write_batch(TermBatch& batch) {
  if (!batch.rows.empty()) {
    const auto written = writer_.write(
        [&](store::Transaction& transaction) { batch.ids = transaction.intern_prepared(*batch.prepared); });
    if (!written.ok()) throw base::StorageError(written.error());
    // Digests know no other hash than this one, tests may.
    const bool is_usual = store_.term_hash() == &store::hash_term;
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      hashes_.set(batch.ids[i], is_usual ? batch.hashes[i] : store::hash_term(batch.rows[i]));
    }
  }
  batch.prepared.reset();
  batch.rows = {};
  batch.hashes = {};
  batch.pieces = {};
}

}  // namespace quadrille::load
