#include "engine/store/term_row.h"

#include <xxhash.h>

#include <cstring>
#include <utility>

#include "engine/base/result.h"

namespace quadrille::store {
namespace {

using model::Term;
using model::TermTag;

enum class RowKind : uint8_t { Iri = 0, BlankNode = 1, String = 2, LanguageString = 3, Typed = 4 };

RowKind kind_of(const Term& term) {
  if (term.is_iri()) return RowKind::Iri;
  if (term.is_blank_node()) return RowKind::BlankNode;
  if (term.is_plain_string()) return RowKind::String;
  return term.language().empty() ? RowKind::Typed : RowKind::LanguageString;
}

[[noreturn]] void fail_corrupt(const char* what) {
  throw base::StorageError({base::ErrorKind::Corruption, std::string("table terms: ") + what, {}});
}

}  // namespace

uint64_t hash_term(std::string_view row) noexcept { return XXH3_64bits(row.data(), row.size()); }

TermTag tag_of_row(std::string_view row) noexcept {
  switch (static_cast<RowKind>(row.front())) {
    case RowKind::Iri: return TermTag::Iri;
    case RowKind::BlankNode: return TermTag::BlankNode;
    default: return TermTag::Literal;
  }
}

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

void append_term_row(std::string& out, const model::TermView& term) {
  const bool has_language = !term.qualifier.empty() && term.qualifier.front() == '@';
  RowKind kind = RowKind::Iri;
  if (term.kind == model::TermKind::BlankNode) kind = RowKind::BlankNode;
  if (term.kind == model::TermKind::Literal) {
    kind = term.qualifier.empty() ? RowKind::String : has_language ? RowKind::LanguageString : RowKind::Typed;
  }
  out += static_cast<char>(kind);
  if (kind >= RowKind::LanguageString) {
    const std::string_view qualifier = term.qualifier.substr(has_language ? 1 : 0);
    const auto size = static_cast<uint32_t>(qualifier.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += qualifier;
  }
  out += term.text;
}

Term decode_term(std::string_view row) {
  if (row.empty() || static_cast<uint8_t>(row.front()) > static_cast<uint8_t>(RowKind::Typed)) {
    fail_corrupt("a row is not a term; expected a kind of term in its first byte");
  }
  const auto kind = static_cast<RowKind>(row.front());
  row.remove_prefix(1);
  std::string qualifier;
  if (kind >= RowKind::LanguageString) {
    uint32_t size = 0;
    if (row.size() < sizeof size) fail_corrupt("a row ends in the length of its datatype");
    std::memcpy(&size, row.data(), sizeof size);
    row.remove_prefix(sizeof size);
    if (row.size() < size) fail_corrupt("a row ends in its datatype");
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

}  // namespace quadrille::store
