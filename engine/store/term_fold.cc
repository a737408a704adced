#include "engine/store/term_fold.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/hash_index.h"
#include "engine/store/term_batch.h"
#include "engine/store/term_texts.h"

namespace quadrille::store {
namespace {

// Text waits in terms.new until it fills some blocks; without phrases until it is enough to train them.
constexpr uint64_t new_bytes_for_fold = 512 << 10;
constexpr uint64_t new_bytes_for_phrases = 2 * phrases_sample_bytes;
// Pairs wait in hashes.new until some of them meet in each block that is rewritten.
constexpr uint64_t new_pairs_min = 4096;
constexpr uint64_t terms_per_new_pair = 256;
constexpr uint32_t runs_max = 8;
// The base is rewritten when an eighth of its pairs, or more, stand outside of it.
constexpr uint64_t base_per_outside = 8;

constexpr uint64_t pairs_per_step = 32 << 10;
constexpr size_t pieces_per_step = 4;
// Numbers that nobody has, because their transaction was given up, stand in a block as absent terms.
constexpr uint64_t gap_max = 64;

bool wants_texts(const ReadTransaction& transaction, const DictionaryTables& tables) {
  const bool has_phrases = transaction.row_count(tables.phrases) > 0;
  return transaction.byte_count(tables.new_terms) >= (has_phrases ? new_bytes_for_fold : new_bytes_for_phrases);
}

bool wants_pairs(const ReadTransaction& transaction, const DictionaryTables& tables, uint64_t next_number) {
  if (FoldState::read(transaction, tables).next_hash != 0) return true;  // under way
  if (HashIndex(transaction, tables).newest_run() >= runs_max) return true;
  return transaction.row_count(tables.new_hashes) >= std::max(new_pairs_min, next_number / terms_per_new_pair);
}

// Moves rows of terms.new, from the first on, into one block.
class TextFold {
 public:
  TextFold(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache, uint64_t next_number)
      : transaction_(transaction), tables_(tables), cache_(cache), next_number_(next_number) {}

  // False: terms.new is empty.
  bool step() {
    {
      Cursor cursor(transaction_, tables_.new_terms);
      if (!cursor.first()) return false;
      first_ = next_ = big_endian_at(cursor.key(), 0);
      limit_ = first_block_after(first_);
    }
    train();
    phrases_ = TermTexts(transaction_, tables_, cache_).newest_phrases();
    encode();
    write();
    FoldState state = FoldState::read(transaction_, tables_);
    ++state.steps;
    state.write(transaction_, tables_);
    return true;
  }

 private:
  uint64_t first_block_after(uint64_t number) const {
    Cursor blocks(transaction_, tables_.blocks);
    return blocks.seek(NumberKey(number).view()) ? big_endian_at(blocks.key(), 0) : ~uint64_t{0};
  }

  void train() {
    if (transaction_.byte_count(tables_.new_terms) < new_bytes_for_phrases) return;
    if (!wants_phrases(transaction_, tables_, next_number_)) return;  // before so much is read
    std::vector<std::string_view> rows;
    size_t bytes = 0;
    {
      Cursor cursor(transaction_, tables_.new_terms);
      for (bool at_row = cursor.first(); at_row && bytes < 2 * phrases_sample_bytes; at_row = cursor.next()) {
        if (is_large(cursor.value())) continue;
        rows.push_back(cursor.value());
        bytes += cursor.value().size();
      }
    }
    if (const auto phrases = train_phrases(transaction_, tables_, cache_, rows, next_number_)) {
      write_phrases(transaction_, tables_, cache_, phrases, next_number_);
    }
  }

  // Fills one block, or as much of it as there is before a long row that takes more steps.
  void encode() {
    TermBlockEncoder encoder(phrases_.get());
    Cursor cursor(transaction_, tables_.new_terms);
    for (bool at_row = cursor.first(); at_row && blocks_.empty(); at_row = cursor.next()) {
      const uint64_t number = big_endian_at(cursor.key(), 0);
      if (number >= limit_ || number - next_ > gap_max) break;
      if (is_large(cursor.value()) && !encode_pieces(number, cursor.value())) break;
      for (; next_ < number; ++next_) encoder.add({}, blocks_);
      encoder.add(is_large(cursor.value()) ? std::string_view() : cursor.value(), blocks_);
      ++next_;
    }
    if (blocks_.empty()) encoder.finish(blocks_);
  }

  // Some more pieces of a long row; whether all of them are there then. The row itself stays, and counts, until its
  // number goes into a block.
  bool encode_pieces(uint64_t number, std::string_view row) {
    const uint64_t pieces = (row.size() + large_piece_bytes - 1) / large_piece_bytes;
    uint64_t written = 0;
    {
      Cursor cursor(transaction_, tables_.large);
      const PieceKey after(number, 0xffffffff);
      if (cursor.seek_before(after.view()) && big_endian_at(cursor.key(), 0) == number) {
        written = uint64_t{PieceKey::piece_of(cursor.key())} + 1;
      }
    }
    while (written < pieces && pieces_.size() < pieces_per_step) {
      const std::string_view text = row.substr(written * large_piece_bytes, large_piece_bytes);
      pieces_.emplace_back(PieceKey(number, static_cast<uint32_t>(written)), encode_large_piece(text));
      ++written;
    }
    return written == pieces;
  }

  void write() {
    for (const auto& [key, piece] : pieces_) transaction_.put(tables_.large, key.view(), piece);
    uint64_t behind = first_;
    for (const auto& block : blocks_) {
      transaction_.put(tables_.blocks, NumberKey(first_ + block.first).view(), block.value);
      behind = first_ + block.first + block.terms;
    }
    Cursor cursor(transaction_, tables_.new_terms);
    for (bool at_row = cursor.first(); at_row && big_endian_at(cursor.key(), 0) < behind; at_row = cursor.next()) {
      cursor.erase_here();
    }
  }

  WriteTransaction& transaction_;
  const DictionaryTables& tables_;
  TermCache& cache_;
  uint64_t next_number_;
  std::shared_ptr<const Phrases> phrases_;
  uint64_t first_ = 0, next_ = 0;  // numbers of the block: its first, and the one behind its last
  uint64_t limit_ = 0;             // the first number of the block behind
  std::vector<EncodedTermBlock> blocks_;
  std::vector<std::pair<PieceKey, std::string>> pieces_;
};

// Merges new pairs, and those of runs, of a range of hashes into the base; or into run 1, where they are too few to
// rewrite the base for.
class PairFold {
 public:
  PairFold(WriteTransaction& transaction, const DictionaryTables& tables, uint64_t next_number)
      : transaction_(transaction),
        tables_(tables),
        state_(FoldState::read(transaction, tables)),
        next_number_(next_number) {}

  // `to_base`: whatever the base's size, should a merging begin here.
  void step(bool to_base) {
    if (state_.next_hash == 0) begin(to_base);
    start_ = state_.next_hash;
    // Hashes are evenly spread.
    const uint64_t pairs = state_.target == 0 ? next_number_ : next_number_ - state_.base_end;
    const uint64_t range = short_hash_end / (pairs / pairs_per_step + 1);
    end_ = short_hash_end - start_ < 2 * range ? short_hash_end : start_ + range;
    take_new();
    take_runs();
    if (!added_.empty()) {
      take_target();
      write_target();
    }
    state_.next_hash = end_ == short_hash_end ? 0 : end_;
    ++state_.steps;
    state_.write(transaction_, tables_);
  }

 private:
  void begin(bool to_base) {
    const uint64_t outside = next_number_ - state_.base_end;
    state_.target = to_base || outside >= state_.base_end / base_per_outside ? 0 : 1;
    if (state_.target == 0) state_.base_end = next_number_;
    state_.last_run = HashIndex(transaction_, tables_).newest_run();
  }

  bool is_in_range(const HashEntry& entry) const { return entry.hash >= start_ && entry.hash < end_; }

  void take_new() {
    Cursor cursor(transaction_, tables_.new_hashes);
    const NewHashKey start(start_ << (64 - short_hash_bits), 0);
    for (bool at_row = cursor.seek(start.view()); at_row; at_row = cursor.next()) {
      const HashEntry entry{short_hash(big_endian_at(cursor.key(), 0)), big_endian_at(cursor.key(), 8)};
      if (entry.hash >= end_) return;
      added_.push_back(entry);
      cursor.erase_here();
    }
  }

  void take_runs() {
    std::vector<HashEntry> entries;
    for (uint32_t run = state_.target + 1; run <= state_.last_run; ++run) {
      Cursor cursor(transaction_, tables_.hashes);
      bool at_row = seek(cursor, run);
      while (at_row && HashBlockKey::run_of(cursor.key()) == run && HashBlockKey::hash_of(cursor.key()) < end_) {
        const HashBlock block = read_hash_block(transaction_, tables_.hashes, cursor);
        entries.clear();
        block.append_entries(entries);
        std::copy_if(entries.begin(), entries.end(), std::back_inserter(added_),
                     [&](const HashEntry& entry) { return is_in_range(entry); });
        if (block.last_hash() < end_) cursor.erase_here();
        at_row = cursor.next();
      }
    }
  }

  // Blocks that the range touches are rewritten, with what they have outside of it.
  void take_target() {
    Cursor cursor(transaction_, tables_.hashes);
    bool at_row = seek(cursor, state_.target);
    while (at_row && HashBlockKey::run_of(cursor.key()) == state_.target &&
           HashBlockKey::hash_of(cursor.key()) < end_) {
      const HashBlock block = read_hash_block(transaction_, tables_.hashes, cursor);
      if (block.last_hash() >= start_) {
        block.append_entries(old_);
        cursor.erase_here();
      }
      at_row = cursor.next();
    }
  }

  // To the first block of the run that may have pairs of the range.
  bool seek(Cursor& cursor, uint32_t run) const {
    const HashBlockKey start(run, {start_, 0});
    return (cursor.seek_before(start.view()) && HashBlockKey::run_of(cursor.key()) == run) || cursor.seek(start.view());
  }

  void write_target() {
    std::sort(added_.begin(), added_.end());
    std::vector<HashEntry> merged;
    merged.reserve(old_.size() + added_.size());
    std::set_union(old_.begin(), old_.end(), added_.begin(), added_.end(), std::back_inserter(merged));
    // A pair may stand in two runs while a merging is under way.
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    for (const auto& block : encode_hash_blocks(merged)) {
      transaction_.put(tables_.hashes, HashBlockKey(state_.target, block.first).view(), block.value);
    }
  }

  WriteTransaction& transaction_;
  const DictionaryTables& tables_;
  FoldState state_;
  uint64_t next_number_;
  uint64_t start_ = 0, end_ = 0;  // of this step
  std::vector<HashEntry> added_;  // to the target
  std::vector<HashEntry> old_;    // in it
};

}  // namespace

bool wants_term_fold(const ReadTransaction& transaction, const DictionaryTables& tables, uint64_t next_number) {
  return wants_texts(transaction, tables) || wants_pairs(transaction, tables, next_number);
}

bool fold_terms(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache, uint64_t next_number) {
  const bool pairs_pay = wants_pairs(transaction, tables, next_number);
  if (!pairs_pay && TextFold(transaction, tables, cache, next_number).step()) return true;
  const bool has_pairs =
      transaction.row_count(tables.new_hashes) > 0 || HashIndex(transaction, tables).newest_run() > 0;
  if (!pairs_pay && !has_pairs) return false;
  PairFold(transaction, tables, next_number).step(!pairs_pay);
  return true;
}

}  // namespace quadrille::store
