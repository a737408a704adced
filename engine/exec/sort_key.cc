#include "engine/exec/sort_key.h"

#include <cstring>
#include <utility>

#include "engine/exec/inline_integer.h"
#include "engine/model/inline_term.h"

namespace quadrille::exec {
namespace {

using model::Term;
using model::TermKind;

// The first byte of a key: an id follows, or a term of a kind.
enum Form : char { IdForm, BlankNodeForm, IriForm, StringForm, LanguageForm, TypedForm };

void append_text(std::string_view text, std::string& out) {
  const uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(text);
}

std::string take_text(std::string_view& bytes) {
  uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  std::string text(bytes.substr(sizeof size, size));
  bytes.remove_prefix(sizeof size + size);
  return text;
}

Form form_of(const Term& term) noexcept {
  if (term.is_blank_node()) return BlankNodeForm;
  if (term.is_iri()) return IriForm;
  if (term.is_plain_string()) return StringForm;
  return term.language().empty() ? TypedForm : LanguageForm;
}

Term take_term(Form form, std::string_view& bytes) {
  std::string text = take_text(bytes);
  switch (form) {
    case BlankNodeForm: return Term::blank_node(std::move(text));
    case IriForm: return Term::iri(std::move(text));
    case LanguageForm: return Term::language_literal(std::move(text), take_text(bytes));
    case TypedForm: return Term::typed_literal(std::move(text), take_text(bytes));
    default: return Term::literal(std::move(text));
  }
}

}  // namespace

SortKey sort_key_of(TermId id, const TransientTerms& terms) {
  SortKey key{id, std::nullopt};
  if (id.is_bound() && !is_inline_integer(id)) key.term.emplace(terms.term(id));
  return key;
}

std::strong_ordering compare_keys(const SortKey& left, const SortKey& right) {
  if (!left.term && !right.term) return left.id <=> right.id;  // unbound and integers: ids order as the values do
  if (!left.id.is_bound() || !right.id.is_bound()) return left.id.is_bound() <=> right.id.is_bound();
  const auto term_of = [](const SortKey& key) {
    return key.term ? *key.term : model::OrderedTerm(model::inline_term(key.id));
  };
  if (left.term && right.term) return *left.term <=> *right.term;
  return term_of(left) <=> term_of(right);
}

void append_key(const SortKey& key, std::string& out) {
  if (!key.term || key.id.is_inline()) {
    out.push_back(IdForm);
    const uint64_t bits = key.id.bits();
    out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    return;
  }
  const Term& term = key.term->term();
  const Form form = form_of(term);
  out.push_back(form);
  append_text(term.text(), out);
  if (form == LanguageForm) append_text(term.language(), out);
  if (form == TypedForm) append_text(term.datatype(), out);
}

SortKey take_key(std::string_view& bytes) {
  const auto form = static_cast<Form>(bytes.front());
  bytes.remove_prefix(1);
  if (form != IdForm) {
    // The id only has to say that there is a term.
    return {TermId(model::TermTag::Literal, 0), model::OrderedTerm(take_term(form, bytes))};
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  bytes.remove_prefix(sizeof bits);
  const TermId id(bits);
  SortKey key{id, std::nullopt};
  if (id.is_bound() && !is_inline_integer(id)) key.term.emplace(model::inline_term(id));
  return key;
}

}  // namespace quadrille::exec
