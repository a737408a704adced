#include "engine/store/term_row.h"

#include <xxhash.h>

#include <cstring>
#include <utility>

namespace quadrille::store {
namespace {

using model::Term;
using model::TermTag;
using model::TermView;

enum class RowKind : uint8_t { Iri = 0, BlankNode = 1, String = 2, LanguageString = 3, Typed = 4 };

RowKind kind_of(const TermView& term) {
  if (term.kind == model::TermKind::Iri) return RowKind::Iri;
  if (term.kind == model::TermKind::BlankNode) return RowKind::BlankNode;
  if (term.qualifier.empty()) return RowKind::String;
  return term.qualifier.front() == '@' ? RowKind::LanguageString : RowKind::Typed;
}

base::Error damaged(const char* what) { return {base::ErrorKind::Corruption, what, {}}; }

}  // namespace

uint64_t hash_term(std::string_view row) noexcept { return XXH3_64bits(row.data(), row.size()); }

TermTag tag_of_row(std::string_view row) noexcept {
  switch (static_cast<RowKind>(row.front())) {
    case RowKind::Iri: return TermTag::Iri;
    case RowKind::BlankNode: return TermTag::BlankNode;
    default: return TermTag::Literal;
  }
}

std::string_view class_of_row(std::string_view row) noexcept {
  constexpr size_t head_bytes = 1 + sizeof(uint32_t);
  if (static_cast<RowKind>(row.front()) < RowKind::LanguageString || row.size() < head_bytes) return row.substr(0, 1);
  uint32_t size = 0;
  std::memcpy(&size, row.data() + 1, sizeof size);
  return row.substr(0, head_bytes + size);
}

std::string encode_term(const Term& term) {
  const bool has_language = !term.language().empty();
  const std::string tag = has_language ? '@' + std::string(term.language()) : std::string();
  const bool is_typed = term.is_literal() && !has_language && !term.is_plain_string();
  std::string row;
  append_term_row(row, {term.kind(), term.text(), is_typed ? term.datatype() : tag});
  return row;
}

void append_term_row(std::string& out, const TermView& term) {
  const RowKind kind = kind_of(term);
  out.reserve(out.size() + 1 + sizeof(uint32_t) + term.qualifier.size() + term.text.size());
  out += static_cast<char>(kind);
  if (kind >= RowKind::LanguageString) {
    const std::string_view qualifier = term.qualifier.substr(kind == RowKind::LanguageString ? 1 : 0);
    const auto size = static_cast<uint32_t>(qualifier.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += qualifier;
  }
  out += term.text;
}

base::Result<Term> decode_term(std::string_view row) {
  if (row.empty() || static_cast<uint8_t>(row.front()) > static_cast<uint8_t>(RowKind::Typed)) {
    return damaged("a row is not a term; expected a kind of term in its first byte");
  }
  const auto kind = static_cast<RowKind>(row.front());
  row.remove_prefix(1);
  std::string qualifier;
  if (kind >= RowKind::LanguageString) {
    uint32_t size = 0;
    if (row.size() < sizeof size) return damaged("a row ends in the length of its datatype");
    std::memcpy(&size, row.data(), sizeof size);
    row.remove_prefix(sizeof size);
    if (row.size() < size) return damaged("a row ends in its datatype");
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
