#include "engine/store/dictionary_verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/store/damage.h"

namespace quadrille::store {

using model::TermId;
using model::TermTag;

DictionaryVerification::DictionaryVerification(const ReadTransaction& transaction, const DictionaryTables& tables,
                                               TermCache& cache, TermHash hash, uint64_t next_number, Report report)
    : transaction_(transaction),
      tables_(tables),
      cache_(cache),
      hash_(hash),
      next_number_(next_number),
      report_(std::move(report)),
      texts_(transaction, tables, cache),
      index_(transaction, tables) {}

void DictionaryVerification::run() {
  check_fold_state();
  has_index_ = is_index_sound();
  check_term_blocks();
  check_new_terms();
  check_large_terms();
  if (has_index_) check_names_of_index();
}

bool DictionaryVerification::has(TermId id) const noexcept {
  const size_t tag = tag_at(id.payload());
  return tag != 0 && tag == static_cast<size_t>(id.tag());
}

size_t DictionaryVerification::tag_at(uint64_t number) const noexcept {
  return number / 32 < tags_.size() ? tags_[number / 32] >> number % 32 * 2 & 3 : 0;
}

void DictionaryVerification::set_tag(uint64_t number, TermTag tag) {
  if (number / 32 >= tags_.size()) tags_.resize(number / 32 + 1);
  tags_[number / 32] |= static_cast<uint64_t>(tag) << number % 32 * 2;
}

void DictionaryVerification::check_term_blocks() {
  const Table& table = tables_.blocks;
  Cursor cursor(transaction_, table);
  uint64_t behind = 0;  // the block before
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
    const auto block = TermBlock::read(cursor.value());
    if (cursor.key().size() != 8 || !block) {
      report_(table, fmt::format("the block {} is damaged: its key or its head is wrong", text_of_key(cursor.key())));
      continue;
    }
    const uint64_t first = big_endian_at(cursor.key(), 0);
    if (first < behind) {
      report_(table, fmt::format("the block {} starts before the one before it ends", text_of_key(cursor.key())));
    }
    behind = first + block->terms();
    for (size_t i = 0; i < block->frames(); ++i) check_frame(table, cursor.key(), *block, i);
  }
}

void DictionaryVerification::check_frame(const Table& table, std::string_view key, const TermBlock& block,
                                         size_t index) {
  const TermBlock::Frame frame = block.frame(index);
  const uint64_t first = big_endian_at(key, 0) + frame.first_term;
  std::shared_ptr<const TermFrame> decoded;
  try {
    const auto phrases = texts_.phrases_of(block.phrases());
    auto text = cache_.decompress(frame, phrases.get());
    if (text) decoded = TermFrame::decode(first, frame.terms, *text);
  } catch (const base::StorageError& failure) {
    report_(tables_.phrases,
            fmt::format("needed by the block {} of {}: {}", text_of_key(key), table.name(), failure.what()));
    return;
  }
  if (!decoded) {
    report_(table, fmt::format("the block {} is damaged: its terms {} to {} do not come back", text_of_key(key), first,
                               first + frame.terms - 1));
    return;
  }
  for (size_t i = 0; i < decoded->terms(); ++i) {
    if (!decoded->row(i).empty()) check_term(table, first + i, decoded->row(i));
  }
}

void DictionaryVerification::check_new_terms() {
  const Table& table = tables_.new_terms;
  Cursor cursor(transaction_, table);
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
    if (cursor.key().size() != 8) {
      report_(table, fmt::format("the key {} has not 8 bytes", text_of_key(cursor.key())));
    } else {
      check_term(table, big_endian_at(cursor.key(), 0), cursor.value());
    }
  }
}

void DictionaryVerification::check_large_terms() {
  const Table& table = tables_.large;
  Cursor cursor(transaction_, table);
  for (bool at_row = cursor.first(); at_row;) {
    if (cursor.key().size() != 12) {
      report_(table, fmt::format("the key {} has not 12 bytes", text_of_key(cursor.key())));
      return;
    }
    const uint64_t number = big_endian_at(cursor.key(), 0);
    try {
      // The pieces of a term that is still new need not be complete.
      const bool is_new = transaction_.contains(tables_.new_terms, NumberKey(number).view());
      if (const auto stored = is_new ? std::nullopt : texts_.find_large(number)) check_term(table, number, stored->row);
    } catch (const base::StorageError& failure) {
      report_(table, fmt::format("term {}: {}", number, failure.what()));
    }
    at_row = cursor.seek(PieceKey(number, 0xffffffff).view());
  }
}

void DictionaryVerification::check_term(const Table& table, uint64_t number, std::string_view row) {
  if (number == 0 || number >= next_number_) {
    report_(table, fmt::format("has the term {}; the next new one is to be {}", number, next_number_));
    return;
  }
  if (const auto term = decode_term(row); !term.ok()) {
    report_(table, fmt::format("term {}: {}", number, term.error().message));
    return;
  }
  if (tag_at(number) != 0) {
    report_(table, fmt::format("term {} stands twice", number));
    return;
  }
  set_tag(number, tag_of_row(row));
  ++terms_;
  if (has_index_) check_found_by_text(table, number, row);
}

void DictionaryVerification::check_found_by_text(const Table& table, uint64_t number, std::string_view row) {
  numbers_.clear();
  index_.find(hash_(row), numbers_);
  if (std::find(numbers_.begin(), numbers_.end(), number) == numbers_.end()) {
    report_(table, fmt::format("term {} is not found by its text", number));
  }
  for (const uint64_t other : numbers_) {
    if (other >= number) continue;  // each two once
    try {
      const auto stored = texts_.find(other);
      if (stored && stored->row == row) report_(table, fmt::format("the terms {} and {} are the same", other, number));
    } catch (const base::StorageError&) {
      // Found where its block is checked.
    }
  }
}

bool DictionaryVerification::is_index_sound() {
  bool is_sound = true;
  {
    const Table& table = tables_.hashes;
    Cursor cursor(transaction_, table);
    std::string behind;  // the last pair of the block before, as a key
    std::optional<uint32_t> run;
    uint64_t runs = 0;
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      HashEntry last;
      const auto wrong = problem_of(cursor, last);
      if (wrong) report_(table, fmt::format("the block {} {}", text_of_key(cursor.key()), *wrong));
      if (cursor.key() <= behind) {
        report_(table, fmt::format("the block {} starts before the one before it ends", text_of_key(cursor.key())));
        is_sound = false;
      }
      is_sound = is_sound && !wrong;
      if (cursor.key().size() == 16 && run != HashBlockKey::run_of(cursor.key())) {
        run = HashBlockKey::run_of(cursor.key());
        ++runs;
      }
      behind = wrong ? std::string() : HashBlockKey(HashBlockKey::run_of(cursor.key()), last).view();
    }
    // They are numbered one after the other, from behind those that took part in the last merging.
    if (run && fold_ && *run > fold_->last_run + runs) {
      report_(table, fmt::format("has a run {}, although there are {} runs", *run, runs));
      is_sound = false;
    }
  }
  const Table& table = tables_.new_hashes;
  Cursor cursor(transaction_, table);
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
    if (cursor.key().size() == 16 && cursor.value().empty()) continue;
    report_(table, fmt::format("the row {} has {} and {} bytes; expected 16 and none", text_of_key(cursor.key()),
                               cursor.key().size(), cursor.value().size()));
    is_sound = false;
  }
  return is_sound;
}

// What is wrong with the block, if anything; else its last pair.
std::optional<std::string> DictionaryVerification::problem_of(const Cursor& cursor, HashEntry& last) const {
  if (cursor.key().size() != 16) return "has a key of another size than 16";
  const auto block = HashBlock::read(HashBlockKey::hash_of(cursor.key()), cursor.value());
  if (!block) return "is damaged: its checksum or its head is wrong";
  std::vector<HashEntry> entries;
  block->append_entries(entries);
  if (entries.empty() || HashBlockKey(HashBlockKey::run_of(cursor.key()), entries.front()).view() != cursor.key()) {
    return "has another first pair than its key says";
  }
  if (std::adjacent_find(entries.begin(), entries.end(), std::greater_equal<>()) != entries.end()) {
    return "has pairs that do not ascend";
  }
  last = entries.back();
  return std::nullopt;
}

void DictionaryVerification::check_names_of_index() {
  {
    Cursor cursor(transaction_, tables_.hashes);
    std::vector<HashEntry> entries;
    for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
      entries.clear();
      read_hash_block(transaction_, tables_.hashes, cursor).append_entries(entries);
      for (const HashEntry& entry : entries) check_name(tables_.hashes, entry.number);
    }
  }
  Cursor cursor(transaction_, tables_.new_hashes);
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
    check_name(tables_.new_hashes, big_endian_at(cursor.key(), 8));
  }
}

void DictionaryVerification::check_fold_state() {
  try {
    fold_ = FoldState::read(transaction_, tables_);
    if (fold_->base_end <= next_number_ && fold_->next_hash < short_hash_end && fold_->target <= 1) return;
    report_(tables_.metadata, "the place of the fold of terms is none that there can be");
  } catch (const base::StorageError& failure) {
    report_(tables_.metadata, failure.what());
  }
}

void DictionaryVerification::check_name(const Table& table, uint64_t number) {
  if (tag_at(number) != 0) return;
  report_(table, fmt::format("names the term {}, which is not in {}", number, tables_.blocks.name()));
}

}  // namespace quadrille::store
