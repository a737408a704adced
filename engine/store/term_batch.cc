#include "engine/store/term_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/store/term_texts.h"

namespace quadrille::store {
namespace {

// How many times as many terms there are before phrases are trained anew.
constexpr uint64_t growth_for_new_phrases = 16;

bool is_large(std::string_view row) noexcept { return row.size() > block_row_bytes_max; }

// Some kilobytes from here and there.
std::vector<std::string> samples_of(std::span<const std::string_view> rows, size_t text_bytes) {
  const size_t step = (text_bytes + phrases_sample_bytes - 1) / phrases_sample_bytes;
  std::vector<std::string> samples;
  std::string sample;
  size_t chunk = 0;
  size_t chunk_bytes = 0;
  for (const std::string_view row : rows) {
    if (is_large(row)) continue;
    if (chunk % step == 0) sample += row;
    chunk_bytes += row.size();
    if (chunk_bytes < frame_text_bytes) continue;
    if (!sample.empty()) samples.push_back(std::exchange(sample, {}));
    chunk_bytes = 0;
    ++chunk;
  }
  return samples;
}

}  // namespace

void find_rows(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
               std::span<const std::string_view> rows, std::span<const WantedHash> wanted,
               std::optional<uint32_t> after_run, std::vector<uint64_t>& numbers) {
  std::vector<Candidate> candidates;
  HashIndex(transaction, tables).find_all(wanted, after_run, candidates);
  std::sort(candidates.begin(), candidates.end());  // neighbours stand in one frame
  TermTexts texts(transaction, tables, cache);
  for (const Candidate& candidate : candidates) {
    const auto stored = texts.find(candidate.number);
    if (!stored) {
      throw base::StorageError(
          {base::ErrorKind::Corruption,
           fmt::format("{}, table {}: names the term {}, which is missing; the store needs "
                       "'quadrille verify'",
                       transaction.environment().file().string(), tables.hashes.name(), candidate.number),
           {}});
    }
    if (stored->row == rows[candidate.place]) numbers[candidate.place] = candidate.number;
  }
}

std::shared_ptr<const Phrases> train_phrases(const ReadTransaction& transaction, const DictionaryTables& tables,
                                             std::span<const std::string_view> rows, uint64_t next_number) {
  size_t text_bytes = 0;
  for (const std::string_view row : rows) text_bytes += is_large(row) ? 0 : row.size();
  if (text_bytes < phrases_sample_bytes) return nullptr;
  Cursor cursor(transaction, tables.phrases);
  if (cursor.last() && next_number < big_endian_at(cursor.key(), 0) * growth_for_new_phrases) return nullptr;
  const std::vector<std::string> samples = samples_of(rows, text_bytes);
  return Phrases::train(std::vector<std::string_view>(samples.begin(), samples.end()));
}

void write_phrases(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                   const std::shared_ptr<const Phrases>& phrases, uint64_t next_number) {
  transaction.put(tables.phrases, PieceKey(next_number, phrases->number()).view(), phrases->bytes());
  if (!cache.find_phrases(phrases->number())) cache.keep(phrases);
}

PreparedTerms prepare_terms(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                            const TermBatch& batch, uint64_t next_number) {
  QUADRILLE_CHECK(batch.rows.size() == batch.hashes.size(), "a hash for each row");
  PreparedTerms prepared;
  prepared.batch_ = batch;
  prepared.next_number_ = next_number;
  prepared.fold_steps_ = FoldState::read(transaction, tables).steps;
  prepared.newest_run_ = HashIndex(transaction, tables).newest_run();
  auto& wanted = prepared.new_hashes_;
  for (size_t i = 0; i < batch.rows.size(); ++i) wanted.push_back({batch.hashes[i], static_cast<uint32_t>(i)});
  std::sort(wanted.begin(), wanted.end());
  prepared.numbers_.resize(batch.rows.size());
  find_rows(transaction, tables, cache, batch.rows, wanted, std::nullopt, prepared.numbers_);
  std::erase_if(wanted, [&](const WantedHash& each) { return prepared.numbers_[each.place] != 0; });
  std::vector<std::string_view> new_rows;
  for (size_t i = 0; i < batch.rows.size(); ++i) {
    if (prepared.numbers_[i] != 0) continue;
    prepared.new_places_.push_back(static_cast<uint32_t>(i));
    new_rows.push_back(batch.rows[i]);
  }
  prepared.new_phrases_ = train_phrases(transaction, tables, new_rows, next_number + new_rows.size());
  const auto phrases =
      prepared.new_phrases_ ? prepared.new_phrases_ : TermTexts(transaction, tables, cache).newest_phrases();
  prepared.encode_texts(phrases.get());
  prepared.encode_hashes();
  return prepared;
}

void PreparedTerms::encode_texts(const Phrases* phrases) {
  TermBlockEncoder encoder(phrases);
  for (size_t number = 0; number < new_places_.size(); ++number) {
    const std::string_view row = batch_.rows[new_places_[number]];
    QUADRILLE_CHECK(!row.empty(), "a term's row is never empty");
    encoder.add(is_large(row) ? std::string_view() : row, blocks_);
    if (!is_large(row)) continue;
    for (size_t start = 0, piece = 0; start < row.size(); start += large_piece_bytes, ++piece) {
      large_.push_back(
          {number, static_cast<uint32_t>(piece), encode_large_piece(row.substr(start, large_piece_bytes))});
    }
  }
  encoder.finish(blocks_);
}

void PreparedTerms::encode_hashes() {
  std::vector<uint64_t> new_numbers(batch_.rows.size());
  for (size_t number = 0; number < new_places_.size(); ++number) new_numbers[new_places_[number]] = number;
  std::vector<HashEntry> entries;
  entries.reserve(new_hashes_.size());
  for (const WantedHash& each : new_hashes_) entries.push_back({short_hash(each.hash), new_numbers[each.place]});
  std::sort(entries.begin(), entries.end());  // those of equal short hashes too; nearly sorted
  hash_blocks_ = encode_hash_blocks(entries);
}

bool PreparedTerms::is_new(std::string_view row, uint64_t hash) const {
  auto each = std::lower_bound(new_hashes_.begin(), new_hashes_.end(), WantedHash{hash, 0});
  for (; each != new_hashes_.end() && each->hash == hash; ++each) {
    if (batch_.rows[each->place] == row) return true;
  }
  return false;
}

std::vector<uint64_t> TermBatchWriter::write(const PreparedTerms& prepared) {
  if (!clashes(prepared)) return write_unseen(prepared);
  return write_unseen(prepare_terms(transaction_, tables_, cache_, prepared.batch_, next_number_));
}

bool TermBatchWriter::clashes(const PreparedTerms& prepared) const {
  if (prepared.new_places_.empty() || next_number_ == prepared.next_number_) return false;
  std::optional<uint32_t> after_run;
  if (FoldState::read(transaction_, tables_).steps == prepared.fold_steps_) {
    if (clashes_with_new(prepared)) return true;
    after_run = prepared.newest_run_;
  }
  std::vector<uint64_t> numbers(prepared.batch_.rows.size());
  find_rows(transaction_, tables_, cache_, prepared.batch_.rows, prepared.new_hashes_, after_run, numbers);
  return std::any_of(numbers.begin(), numbers.end(), [](uint64_t number) { return number != 0; });
}

bool TermBatchWriter::clashes_with_new(const PreparedTerms& prepared) const {
  Cursor cursor(transaction_, tables_.new_terms);
  for (bool at_row = cursor.seek(NumberKey(prepared.next_number_).view()); at_row; at_row = cursor.next()) {
    if (prepared.is_new(cursor.value(), hash_(cursor.value()))) return true;
  }
  return false;
}

std::vector<uint64_t> TermBatchWriter::write_unseen(const PreparedTerms& prepared) {
  const uint64_t first = next_number_;
  next_number_ += prepared.new_places_.size();
  if (prepared.new_phrases_) write_phrases(transaction_, tables_, cache_, prepared.new_phrases_, next_number_);
  {
    Cursor blocks(transaction_, tables_.blocks);
    for (const auto& block : prepared.blocks_) blocks.append(NumberKey(first + block.first).view(), block.value);
  }
  for (const auto& piece : prepared.large_) {
    transaction_.put(tables_.large, PieceKey(first + piece.number, piece.piece).view(), piece.value);
  }
  write_hashes(prepared, first);
  std::vector<uint64_t> numbers = prepared.numbers_;
  for (size_t i = 0; i < prepared.new_places_.size(); ++i) numbers[prepared.new_places_[i]] = first + i;
  return numbers;
}

void TermBatchWriter::write_hashes(const PreparedTerms& prepared, uint64_t first) {
  if (prepared.hash_blocks_.empty()) return;
  const uint32_t run = HashIndex(transaction_, tables_).newest_run() + 1;
  Cursor hashes(transaction_, tables_.hashes);
  for (const auto& block : prepared.hash_blocks_) {
    std::string value = block.value;
    shift_numbers(value, first);
    hashes.append(HashBlockKey(run, {block.first.hash, block.first.number + first}).view(), value);
  }
}

}  // namespace quadrille::store
