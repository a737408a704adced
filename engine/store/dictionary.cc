#include "engine/store/dictionary.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/model/inline_term.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

using model::Term;
using model::TermId;
using model::TermTag;

enum class RowKind : uint8_t { Iri = 0, BlankNode = 1, String = 2, LanguageString = 3, Typed = 4 };

TermTag tag_of(std::string_view row) {
  switch (static_cast<RowKind>(row.front())) {
    case RowKind::Iri: return TermTag::Iri;
    case RowKind::BlankNode: return TermTag::BlankNode;
    default: return TermTag::Literal;
  }
}

RowKind kind_of(const Term& term) {
  if (term.is_iri()) return RowKind::Iri;
  if (term.is_blank_node()) return RowKind::BlankNode;
  if (term.is_plain_string()) return RowKind::String;
  return term.language().empty() ? RowKind::Typed : RowKind::LanguageString;
}

[[noreturn]] void fail_corrupt(std::string what) {
  throw base::StorageError({base::ErrorKind::Corruption, std::move(what), {}});
}

// The keys of the two tables.
class NumberKey {
 public:
  explicit NumberKey(TermId id) { write_big_endian(bytes_, id.payload()); }
  std::string_view view() const { return {bytes_, sizeof bytes_}; }

 private:
  char bytes_[8];
};

class HashKey {
 public:
  HashKey(uint64_t hash, TermId id) {
    write_big_endian(bytes_, hash);
    write_big_endian(bytes_ + 8, id.bits());
  }
  std::string_view view() const { return {bytes_, sizeof bytes_}; }
  std::string_view hash() const { return {bytes_, 8}; }

 private:
  char bytes_[16];
};

// The id of the term with this row among those that share its hash. `index` is a cursor on term_ids.
std::optional<TermId> find_row(const ReadTransaction& transaction, const DictionaryTables& tables, Cursor& index,
                               uint64_t hash, std::string_view row) {
  const HashKey start(hash, TermId());
  for (bool at_row = index.seek(start.hash()); at_row && index.key().starts_with(start.hash()); at_row = index.next()) {
    const TermId id(big_endian_at(index.key(), 8));
    const auto stored = transaction.get(tables.terms, NumberKey(id).view());
    if (!stored) {
      fail_corrupt(fmt::format("{}, table {}: term {} stands in {} but is missing here",
                               transaction.environment().file().string(), tables.terms.name(), id.payload(),
                               tables.term_ids.name()));
    }
    if (*stored == row) return id;
  }
  return std::nullopt;
}

}  // namespace

// One of many terms to be interned.
struct DictionaryWriter::WantedTerm {
  uint64_t hash;
  size_t place;  // in the caller's list, and of its row
};

// All the wanted terms that are one and the same.
struct DictionaryWriter::WantedGroup {
  std::span<const WantedTerm> terms;
  std::string_view row;
  TermId id;
  bool is_new = false;
};

// Sorts by hash, and says where equal terms stand: next to each other also where hashes collide.
std::vector<DictionaryWriter::WantedGroup> DictionaryWriter::group_equal(std::vector<WantedTerm>& wanted,
                                                                         const std::vector<std::string>& rows) {
  const auto by_hash = [](const WantedTerm& a, const WantedTerm& b) {
    return std::tie(a.hash, a.place) < std::tie(b.hash, b.place);
  };
  const auto by_row = [&](const WantedTerm& a, const WantedTerm& b) {
    return std::tie(rows[a.place], a.place) < std::tie(rows[b.place], b.place);
  };
  std::sort(wanted.begin(), wanted.end(), by_hash);
  std::vector<WantedGroup> groups;
  for (size_t i = 0; i < wanted.size();) {
    const std::string& row = rows[wanted[i].place];
    bool same = true;
    size_t end = i + 1;
    for (; end < wanted.size() && wanted[end].hash == wanted[i].hash; ++end) same &= rows[wanted[end].place] == row;
    if (!same) {
      const auto first = wanted.begin() + static_cast<ptrdiff_t>(i);
      std::sort(first, wanted.begin() + static_cast<ptrdiff_t>(end), by_row);
      const std::string& least = rows[first->place];
      end = i + 1;
      while (end < wanted.size() && wanted[end].hash == wanted[i].hash && rows[wanted[end].place] == least) ++end;
    }
    groups.push_back({std::span(wanted).subspan(i, end - i), rows[wanted[i].place], TermId(), false});
    i = end;
  }
  return groups;
}

uint64_t hash_term(std::string_view row) noexcept { return XXH3_64bits(row.data(), row.size()); }

std::string encode_term(const Term& term) {
  std::string row;
  const RowKind kind = kind_of(term);
  const std::string_view qualifier = kind == RowKind::Typed ? term.datatype() : term.language();
  row.reserve(1 + 4 + qualifier.size() + term.text().size());
  row += static_cast<char>(kind);
  if (kind >= RowKind::LanguageString) {
    const auto size = static_cast<uint32_t>(qualifier.size());
    row.append(reinterpret_cast<const char*>(&size), sizeof size);
    row += qualifier;
  }
  row += term.text();
  return row;
}

Term decode_term(std::string_view row) {
  if (row.empty() || static_cast<uint8_t>(row.front()) > static_cast<uint8_t>(RowKind::Typed)) {
    fail_corrupt("table terms: a row is not a term; expected a kind of term in its first byte");
  }
  const auto kind = static_cast<RowKind>(row.front());
  row.remove_prefix(1);
  std::string qualifier;
  if (kind >= RowKind::LanguageString) {
    uint32_t size = 0;
    if (row.size() < sizeof size) fail_corrupt("table terms: a row ends in the length of its datatype");
    __builtin_memcpy(&size, row.data(), sizeof size);
    row.remove_prefix(sizeof size);
    if (row.size() < size) fail_corrupt("table terms: a row ends in its datatype");
    qualifier = row.substr(0, size);
    row.remove_prefix(size);
  }
  switch (kind) {
    case RowKind::Iri: return Term::iri(std::string(row));
    case RowKind::BlankNode: return Term::blank_node(std::string(row));
    case RowKind::String: return Term::literal(std::string(row));
    case RowKind::LanguageString: return Term::language_literal(std::string(row), std::move(qualifier));
    case RowKind::Typed: break;
  }
  return Term::typed_literal(std::string(row), std::move(qualifier));
}

std::optional<TermId> Dictionary::find(const Term& term) const {
  if (const auto id = model::inline_id(term)) return id;
  const std::string row = encode_term(term);
  Cursor index(transaction_, tables_.term_ids);
  return find_row(transaction_, tables_, index, hash_(row), row);
}

Term Dictionary::get(TermId id) const {
  if (id.is_inline()) return model::inline_term(id);
  QUADRILLE_CHECK(id.tag() >= TermTag::Iri && id.tag() <= TermTag::Literal, "this id names no term of a store");
  const auto row = transaction_.get(tables_.terms, NumberKey(id).view());
  if (!row) {
    fail_corrupt(fmt::format("{}, table {}: there is no term {}", transaction_.environment().file().string(),
                             tables_.terms.name(), id.payload()));
  }
  return decode_term(*row);
}

bool Dictionary::has(TermId id) const {
  if (id.tag() < TermTag::Iri || id.tag() > TermTag::Literal) return false;
  const auto row = transaction_.get(tables_.terms, NumberKey(id).view());
  return row && !row->empty() && tag_of(*row) == id.tag();
}

TermId DictionaryWriter::add(Cursor& index, uint64_t hash, std::string_view row) {
  const TermId id(tag_of(row), next_number_++);
  writing_.put(tables_.terms, NumberKey(id).view(), row);
  index.put(HashKey(hash, id).view(), {});
  return id;
}

TermId DictionaryWriter::intern(const Term& term) {
  if (const auto id = model::inline_id(term)) return *id;
  const std::string row = encode_term(term);
  const uint64_t hash = hash_(row);
  Cursor index(transaction_, tables_.term_ids);
  if (const auto id = find_row(transaction_, tables_, index, hash, row)) return *id;
  return add(index, hash, row);
}

std::vector<TermId> DictionaryWriter::intern_all(std::span<const Term> terms) {
  std::vector<TermId> ids(terms.size());
  std::vector<std::string> rows(terms.size());
  std::vector<WantedTerm> wanted;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (const auto id = model::inline_id(terms[i])) {
      ids[i] = *id;
    } else {
      rows[i] = encode_term(terms[i]);
      wanted.push_back({hash_(rows[i]), i});
    }
  }
  std::vector<WantedGroup> groups = group_equal(wanted, rows);
  Cursor index(transaction_, tables_.term_ids);
  std::vector<WantedGroup*> added;
  for (WantedGroup& group : groups) {
    const auto id = find_row(transaction_, tables_, index, group.terms.front().hash, group.row);
    if (id) {
      group.id = *id;
    } else {
      added.push_back(&group);
    }
  }
  add_all(added);
  for (const WantedGroup& group : groups) {  // in the index's order
    if (group.is_new) index.put(HashKey(group.terms.front().hash, group.id).view(), {});
  }
  for (const WantedGroup& group : groups) {
    for (const WantedTerm& term : group.terms) ids[term.place] = group.id;
  }
  return ids;
}

void DictionaryWriter::add_all(std::vector<WantedGroup*>& groups) {
  std::sort(groups.begin(), groups.end(),
            [](const WantedGroup* a, const WantedGroup* b) { return a->terms.front().place < b->terms.front().place; });
  Cursor rows(transaction_, tables_.terms);
  for (WantedGroup* group : groups) {
    group->id = TermId(tag_of(group->row), next_number_++);
    group->is_new = true;
    rows.append(NumberKey(group->id).view(), group->row);
  }
}

}  // namespace quadrille::store
