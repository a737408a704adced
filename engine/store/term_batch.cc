#include "engine/store/term_batch.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/store/damage.h"
#include "engine/store/term_row.h"
#include "engine/store/term_texts.h"

namespace quadrille::store {
namespace {

// How many times as many terms there are before phrases are trained anew.
constexpr uint64_t growth_for_new_phrases = 16;
// Phrases take no more than this part of the text that they come with.
constexpr size_t text_per_phrases = 6;

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

// Puts rows of one class (term_row.h) behind each other; else they stay in their order.
void gather_classes(std::span<const std::string_view> rows, std::vector<uint32_t>& places) {
  std::unordered_map<std::string_view, uint32_t> numbers;  // by first appearance
  std::vector<uint32_t> class_of(places.size());
  std::vector<size_t> starts;  // first the size of each class
  for (size_t i = 0; i < places.size(); ++i) {
    const auto number = static_cast<uint32_t>(numbers.size());
    class_of[i] = numbers.emplace(class_of_row(rows[places[i]]), number).first->second;
    starts.resize(numbers.size());
    ++starts[class_of[i]];
  }
  std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), size_t{0});
  std::vector<uint32_t> gathered(places.size());
  for (size_t i = 0; i < places.size(); ++i) gathered[starts[class_of[i]]++] = places[i];
  places = std::move(gathered);
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
    if (!stored) fail_missing_term(transaction, tables.hashes, candidate.number);
    if (stored->row == rows[candidate.place]) numbers[candidate.place] = candidate.number;
  }
}

bool wants_phrases(const ReadTransaction& transaction, const DictionaryTables& tables, uint64_t next_number) {
  Cursor cursor(transaction, tables.phrases);
  return !cursor.last() || next_number >= big_endian_at(cursor.key(), 0) * growth_for_new_phrases;
}

std::shared_ptr<const Phrases> train_phrases(const ReadTransaction& transaction, const DictionaryTables& tables,
                                             TermCache& cache, std::span<const std::string_view> rows,
                                             uint64_t next_number) {
  size_t text_bytes = 0;
  for (const std::string_view row : rows) text_bytes += is_large(row) ? 0 : row.size();
  if (text_bytes < phrases_sample_bytes) return nullptr;
  if (!wants_phrases(transaction, tables, next_number)) return nullptr;
  return cache.find_or_train(next_number / growth_for_new_phrases, next_number, [&] {
    const std::vector<std::string> samples = samples_of(rows, text_bytes);
    return Phrases::train(std::vector<std::string_view>(samples.begin(), samples.end()),
                          std::min(phrases_bytes_max, text_bytes / text_per_phrases));
  });
}

void write_phrases(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                   const std::shared_ptr<const Phrases>& phrases, uint64_t next_number) {
  {
    Cursor cursor(transaction, tables.phrases);
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      if (PieceKey::piece_of(cursor.key()) == phrases->number()) return;
    }
  }
  transaction.put(tables.phrases, PieceKey(next_number, phrases->number()).view(), phrases->bytes());
  cache.keep(phrases);
}

std::vector<WantedHash> sorted_hashes(const TermBatch& batch) {
  QUADRILLE_CHECK(batch.rows.size() == batch.hashes.size(), "a hash for each row");
  std::vector<WantedHash> wanted;
  wanted.reserve(batch.rows.size());
  for (size_t i = 0; i < batch.rows.size(); ++i) wanted.push_back({batch.hashes[i], static_cast<uint32_t>(i)});
  std::sort(wanted.begin(), wanted.end());
  return wanted;
}

PreparedTerms prepare_terms(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                            const TermBatch& batch, uint64_t next_number) {
  std::vector<WantedHash> wanted = sorted_hashes(batch);
  std::vector<uint64_t> numbers(batch.rows.size());
  find_rows(transaction, tables, cache, batch.rows, wanted, std::nullopt, numbers);
  return {transaction, tables, cache, batch, next_number, std::move(wanted), std::move(numbers)};
}

PreparedTerms::PreparedTerms(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                             const TermBatch& batch, uint64_t next_number, std::vector<WantedHash> wanted,
                             std::vector<uint64_t> numbers)
    : batch_(batch),
      numbers_(std::move(numbers)),
      new_hashes_(std::move(wanted)),
      next_number_(next_number),
      fold_steps_(FoldState::read(transaction, tables).steps),
      newest_run_(HashIndex(transaction, tables).newest_run()) {
  std::erase_if(new_hashes_, [&](const WantedHash& each) { return numbers_[each.place] != 0; });
  std::vector<std::string_view> new_rows;
  for (size_t i = 0; i < batch.rows.size(); ++i) {
    if (numbers_[i] != 0) continue;
    new_places_.push_back(static_cast<uint32_t>(i));
    new_rows.push_back(batch.rows[i]);
  }
  gather_classes(batch.rows, new_places_);
  new_phrases_ = train_phrases(transaction, tables, cache, new_rows, next_number + new_rows.size());
  const auto phrases = new_phrases_ ? new_phrases_ : TermTexts(transaction, tables, cache).newest_phrases();
  encode_texts(phrases.get());
  encode_hashes();
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

std::vector<uint64_t> TermBatchWriter::write(const PreparedTerms& prepared, PairsGo pairs_go) {
  if (!clashes(prepared)) return write_unseen(prepared, pairs_go);
  return write_unseen(prepare_terms(transaction_, tables_, cache_, prepared.batch_, next_number_), pairs_go);
}

bool TermBatchWriter::clashes(const PreparedTerms& prepared) const {
  if (prepared.new_places_.empty() || next_number_ == prepared.next_number_) return false;
  // What came since has pairs that are new, or in a new run, unless a fold has moved them.
  const bool was_folded = FoldState::read(transaction_, tables_).steps != prepared.fold_steps_;
  const auto after_run = was_folded ? std::nullopt : std::optional(prepared.newest_run_);
  std::vector<uint64_t> numbers(prepared.batch_.rows.size());
  find_rows(transaction_, tables_, cache_, prepared.batch_.rows, prepared.new_hashes_, after_run, numbers);
  return std::any_of(numbers.begin(), numbers.end(), [](uint64_t number) { return number != 0; });
}

std::vector<uint64_t> TermBatchWriter::write_unseen(const PreparedTerms& prepared, PairsGo pairs_go) {
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
  std::vector<uint64_t> numbers = prepared.numbers_;
  for (size_t i = 0; i < prepared.new_places_.size(); ++i) numbers[prepared.new_places_[i]] = first + i;
  if (pairs_go == PairsGo::ToRun) {
    write_run(prepared, first);
  } else {
    Cursor hashes(transaction_, tables_.new_hashes);
    for (const WantedHash& each : prepared.new_hashes_)
      hashes.put(NewHashKey(each.hash, numbers[each.place]).view(), {});
  }
  return numbers;
}

void TermBatchWriter::write_run(const PreparedTerms& prepared, uint64_t first) {
  if (prepared.hash_blocks_.empty()) return;
  // A merging that is under way still takes, and clears, the runs that it began with, also those that are empty by now.
  const FoldState fold = FoldState::read(transaction_, tables_);
  const uint32_t taken = fold.next_hash == 0 ? 0 : fold.last_run;
  const uint32_t run = std::max(HashIndex(transaction_, tables_).newest_run(), taken) + 1;
  Cursor hashes(transaction_, tables_.hashes);
  for (const auto& block : prepared.hash_blocks_) {
    std::string value = block.value;
    shift_numbers(value, first);
    hashes.append(HashBlockKey(run, {block.first.hash, block.first.number + first}).view(), value);
  }
}

}  // namespace quadrille::store
