#include "engine/store/hash_index.h"

#include <algorithm>

#include "engine/store/damage.h"

namespace quadrille::store {
namespace {

// To the block that has the first pair at or after (hash, number 0), or the one before it; false: the run has none
// so early.
bool seek_block(Cursor& cursor, uint32_t run, uint64_t hash) {
  const HashBlockKey key(run, {hash, 0});
  return cursor.seek_before(key.view()) && HashBlockKey::run_of(cursor.key()) == run;
}

}  // namespace

HashBlock read_hash_block(const ReadTransaction& transaction, const Table& table, const Cursor& cursor) {
  const auto block = HashBlock::read(HashBlockKey::hash_of(cursor.key()), cursor.value());
  if (!block) fail_damaged_row(transaction, table, cursor.key());
  return *block;
}

std::vector<EncodedHashBlock> encode_hash_blocks(std::span<const HashEntry> entries) {
  std::vector<EncodedHashBlock> blocks;
  while (!entries.empty()) {
    const auto fitting = entries.first(fitting_entries(entries));
    blocks.push_back({fitting.front(), encode_hash_block(fitting)});
    entries = entries.subspan(fitting.size());
  }
  return blocks;
}

uint32_t HashIndex::newest_run() const {
  Cursor cursor(transaction_, tables_.hashes);
  return cursor.last() ? HashBlockKey::run_of(cursor.key()) : 0;
}

void HashIndex::find(uint64_t hash, std::vector<uint64_t>& numbers) const {
  const WantedHash wanted{hash, 0};
  std::vector<Candidate> candidates;
  find_all({&wanted, 1}, std::nullopt, candidates);
  for (const Candidate& candidate : candidates) numbers.push_back(candidate.number);
}

void HashIndex::find_all(std::span<const WantedHash> wanted, std::optional<uint32_t> after_run,
                         std::vector<Candidate>& candidates) const {
  find_in_new(wanted, candidates);
  Cursor cursor(transaction_, tables_.hashes);
  for (bool at_row = cursor.last(); at_row;) {
    const uint32_t run = HashBlockKey::run_of(cursor.key());
    if (after_run && run <= *after_run) return;
    find_in_run(cursor, run, wanted, candidates);
    if (run == 0) return;
    at_row = cursor.seek_before(HashBlockKey(run, {}).view());
  }
}

void HashIndex::find_in_new(std::span<const WantedHash> wanted, std::vector<Candidate>& candidates) const {
  if (transaction_.row_count(tables_.new_hashes) == 0) return;
  Cursor cursor(transaction_, tables_.new_hashes);
  // Each side leaps over what the other does not have.
  auto next = wanted.begin();
  while (next != wanted.end() && cursor.seek(NewHashKey(next->hash, 0).view())) {
    const uint64_t hash = big_endian_at(cursor.key(), 0);
    if (hash != next->hash) {
      next = std::lower_bound(next, wanted.end(), WantedHash{hash, 0});
      continue;
    }
    for (bool at_row = true; at_row && big_endian_at(cursor.key(), 0) == hash; at_row = cursor.next()) {
      candidates.push_back({big_endian_at(cursor.key(), 8), next->place});
    }
    ++next;
  }
}

void HashIndex::find_in_run(Cursor& cursor, uint32_t run, std::span<const WantedHash> wanted,
                            std::vector<Candidate>& candidates) const {
  std::vector<uint64_t> numbers;
  std::optional<HashBlock> block;
  for (const WantedHash& each : wanted) {
    const uint64_t hash = short_hash(each.hash);
    if (!block || hash > block->last_hash() || hash == block->first_hash()) {
      // Pairs with this hash may begin in the block before the one whose first pair has it.
      if (!seek_block(cursor, run, hash) &&
          !(cursor.seek(HashBlockKey(run, {}).view()) && HashBlockKey::run_of(cursor.key()) == run)) {
        return;
      }
      block = read_hash_block(transaction_, tables_.hashes, cursor);
    }
    numbers.clear();
    block->find(hash, numbers);
    while (hash >= block->last_hash() && cursor.next() && HashBlockKey::run_of(cursor.key()) == run) {
      const HashBlock next = read_hash_block(transaction_, tables_.hashes, cursor);
      if (next.first_hash() > hash) break;
      block = next;
      block->find(hash, numbers);
    }
    if (!cursor.at_row() || HashBlockKey::run_of(cursor.key()) != run) block.reset();
    for (const uint64_t number : numbers) candidates.push_back({number, each.place});
  }
}

}  // namespace quadrille::store
