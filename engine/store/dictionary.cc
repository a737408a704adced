#include "engine/store/dictionary.h"

#include <algorithm>
#include <utility>

#include "engine/model/inline_term.h"
#include "engine/store/damage.h"

namespace quadrille::store {
namespace {

using model::Term;
using model::TermId;
using model::TermTag;

// From so much text of new terms on they are compressed at once: sooner or later they are anyway.
constexpr size_t batch_text_bytes_min = 512 << 10;
// A batch that is a good part of the dictionary leaves a run in the index, in which look-ups have to look until it is
// merged, if there are not too many of them yet.
constexpr uint64_t terms_per_pair_of_run = 256;
constexpr uint32_t batch_runs_max = 16;

bool is_of_dictionary(TermId id) noexcept { return id.tag() >= TermTag::Iri && id.tag() <= TermTag::Literal; }

// The distinct rows among many.
struct DistinctRows {
  std::vector<std::string_view> rows;  // in the order in which they came first
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> of_place;  // which of them each one is
};

constexpr uint32_t no_row = 0xffffffff;

// Of wanted hashes, which ascend, those from `begin` on that have an equal row, to the front, in order of places; how
// many those are. Needed only where hashes collide.
size_t gather_equal(std::span<WantedHash> same_hash, std::span<const std::string> rows) {
  const std::string& row = rows[same_hash.front().place];
  const auto end = std::stable_partition(same_hash.begin(), same_hash.end(),
                                         [&](const WantedHash& each) { return rows[each.place] == row; });
  return static_cast<size_t>(end - same_hash.begin());
}

// `wanted` ascends; those of one hash are reordered.
DistinctRows distinct_rows(std::span<const std::string> rows, std::span<WantedHash> wanted) {
  std::vector<uint32_t> first_place(rows.size(), no_row);  // of an equal row
  for (size_t i = 0; i < wanted.size();) {
    size_t same_hash = 1;
    while (i + same_hash < wanted.size() && wanted[i + same_hash].hash == wanted[i].hash) ++same_hash;
    const size_t equal = gather_equal(wanted.subspan(i, same_hash), rows);
    for (const WantedHash& each : wanted.subspan(i, equal)) first_place[each.place] = wanted[i].place;
    i += equal;
  }
  std::vector<uint64_t> hashes(rows.size());
  for (const WantedHash& each : wanted) hashes[each.place] = each.hash;
  DistinctRows distinct;
  distinct.of_place.resize(rows.size(), no_row);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (first_place[i] == no_row) continue;
    if (first_place[i] != i) {
      distinct.of_place[i] = distinct.of_place[first_place[i]];
      continue;
    }
    distinct.of_place[i] = static_cast<uint32_t>(distinct.rows.size());
    distinct.rows.push_back(rows[i]);
    distinct.hashes.push_back(hashes[i]);
  }
  return distinct;
}

}  // namespace

std::optional<TermId> Dictionary::find(const Term& term) {
  if (const auto id = model::inline_id(term)) return id;
  const std::string row = encode_term(term);
  return find_row(row, hash_(row));
}

std::optional<TermId> Dictionary::find_row(std::string_view row, uint64_t hash) {
  numbers_.clear();
  HashIndex(transaction_, tables_).find(hash, numbers_);
  for (const uint64_t number : numbers_) {
    const auto stored = texts_.find(number);
    if (!stored) fail_missing_term(transaction_, tables_.hashes, number);
    if (stored->row == row) return TermId(tag_of_row(row), number);
  }
  return std::nullopt;
}

Term Dictionary::get(TermId id) {
  if (id.is_inline()) return model::inline_term(id);
  QUADRILLE_CHECK(is_of_dictionary(id), "this id names no term of a store");
  const auto stored = texts_.find(id.payload());
  if (!stored) fail_missing_term(transaction_, tables_.blocks, id.payload());
  auto term = decode_term(stored->row);
  if (!term.ok())
    fail_damaged_row(transaction_, tables_.new_terms, NumberKey(id.payload()).view());  // others have checksums
  return std::move(term).value();
}

TermId DictionaryWriter::add(std::string_view row, uint64_t hash) {
  const TermId id(tag_of_row(row), next_number_++);
  writing_.put(tables_.new_terms, NumberKey(id.payload()).view(), row);
  writing_.put(tables_.new_hashes, NewHashKey(hash, id.payload()).view(), {});
  return id;
}

TermId DictionaryWriter::intern(const Term& term) {
  if (const auto id = model::inline_id(term)) return *id;
  const std::string row = encode_term(term);
  const uint64_t hash = hash_(row);
  const auto id = find_row(row, hash);
  return with_hash(id ? *id : add(row, hash), row, hash);
}

// Quads of the term will follow. (Digests know no other hash than hash_term.)
TermId DictionaryWriter::with_hash(TermId id, std::string_view row, uint64_t hash) {
  hashes_.keep(id, hash_ == &hash_term ? hash : hash_term(row));
  return id;
}

std::vector<TermId> DictionaryWriter::intern_all(std::span<const Term> terms) {
  std::vector<TermId> ids(terms.size());
  std::vector<std::string> rows(terms.size());
  std::vector<WantedHash> wanted;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (const auto id = model::inline_id(terms[i])) {
      ids[i] = *id;
    } else {
      rows[i] = encode_term(terms[i]);
      wanted.push_back({hash_(rows[i]), static_cast<uint32_t>(i)});
    }
  }
  std::sort(wanted.begin(), wanted.end());
  const DistinctRows distinct = distinct_rows(rows, wanted);
  const std::vector<uint64_t> numbers = intern_batch({distinct.rows, distinct.hashes});
  for (size_t i = 0; i < terms.size(); ++i) {
    const uint32_t row = distinct.of_place[i];
    if (row == no_row) continue;
    ids[i] = with_hash(TermId(tag_of_row(rows[i]), numbers[row]), rows[i], distinct.hashes[row]);
  }
  return ids;
}

std::vector<uint64_t> DictionaryWriter::intern_batch(const TermBatch& batch) {
  std::vector<WantedHash> wanted = sorted_hashes(batch);
  std::vector<uint64_t> numbers(batch.rows.size());
  find_rows(transaction_, tables_, cache_, batch.rows, wanted, std::nullopt, numbers);
  size_t new_bytes = 0, new_terms = 0;
  for (size_t i = 0; i < batch.rows.size(); ++i) {
    if (numbers[i] != 0) continue;
    new_bytes += batch.rows[i].size();
    ++new_terms;
  }
  if (new_bytes < batch_text_bytes_min) {
    add_all(batch, wanted, numbers);
    return numbers;
  }
  const bool is_run = new_terms >= next_number_ / terms_per_pair_of_run &&
                      HashIndex(transaction_, tables_).newest_run() < batch_runs_max;
  const PreparedTerms prepared(transaction_, tables_, cache_, batch, next_number_, std::move(wanted),
                               std::move(numbers));
  using PairsGo = TermBatchWriter::PairsGo;
  return batch_writer().write(prepared, is_run ? PairsGo::ToRun : PairsGo::ToNewPairs);
}

void DictionaryWriter::add_all(const TermBatch& batch, std::span<const WantedHash> wanted,
                               std::vector<uint64_t>& numbers) {
  const uint64_t first = next_number_;
  {
    Cursor rows(transaction_, tables_.new_terms);
    for (size_t i = 0; i < batch.rows.size(); ++i) {
      if (numbers[i] != 0) continue;
      numbers[i] = next_number_++;
      rows.append(NumberKey(numbers[i]).view(), batch.rows[i]);
    }
  }
  Cursor index(transaction_, tables_.new_hashes);
  for (const WantedHash& each : wanted) {
    if (numbers[each.place] >= first) index.put(NewHashKey(each.hash, numbers[each.place]).view(), {});
  }
}

std::vector<TermId> DictionaryWriter::intern_prepared(const PreparedTerms& prepared) {
  const std::vector<uint64_t> numbers = batch_writer().write(prepared, TermBatchWriter::PairsGo::ToRun);
  std::vector<TermId> ids(numbers.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = TermId(tag_of_row(prepared.row(i)), numbers[i]);
  return ids;
}

}  // namespace quadrille::store
