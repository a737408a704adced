#include "engine/model/term.h"

#include <utility>

#include "engine/model/vocabulary.h"

namespace quadrille::model {
namespace {

// Language tags are ASCII (BCP 47), so plain lower-casing is right.
std::string lower_ascii(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

Term::Term(TermKind kind, std::string text, std::string qualifier)
    : kind_(kind), text_(std::move(text)), qualifier_(std::move(qualifier)) {}

Term Term::iri(std::string iri) { return Term(TermKind::Iri, std::move(iri), {}); }

Term Term::blank_node(std::string label) { return Term(TermKind::BlankNode, std::move(label), {}); }

Term Term::literal(std::string lexical_form) { return Term(TermKind::Literal, std::move(lexical_form), {}); }

Term Term::typed_literal(std::string lexical_form, std::string datatype) {
  if (datatype == vocabulary::xsd_string) datatype.clear();
  return Term(TermKind::Literal, std::move(lexical_form), std::move(datatype));
}

Term Term::language_literal(std::string lexical_form, std::string language_tag) {
  return Term(TermKind::Literal, std::move(lexical_form), "@" + lower_ascii(std::move(language_tag)));
}

std::string_view Term::datatype() const noexcept {
  if (!is_literal()) return {};
  if (qualifier_.empty()) return vocabulary::xsd_string;
  if (qualifier_.front() == '@') return vocabulary::rdf_lang_string;
  return qualifier_;
}

std::string_view Term::language() const noexcept {
  if (qualifier_.empty() || qualifier_.front() != '@') return {};
  return std::string_view(qualifier_).substr(1);
}

}  // namespace quadrille::model
