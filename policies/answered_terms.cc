#include "policies/answered_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/model/iri.h"
#include "engine/model/utf8.h"
#include "engine/model/vocabulary.h"

namespace quadrille::policies {
namespace {

using model::Term;
using model::TermKind;

base::Error invalid(std::string what) { return {base::ErrorKind::InvalidInput, std::move(what), {}}; }

// BLANK_NODE_LABEL of N-Triples without its "_:".
bool is_label(std::string_view label) {
  if (label.empty() || label.ends_with('.')) return false;
  bool is_first = true;
  while (!label.empty()) {
    const model::DecodedCodePoint next = model::decode_utf8(label);
    if (next.size == 0) return false;
    const bool is_digit = next.value >= '0' && next.value <= '9';
    const bool fits = is_first ? is_digit || model::is_pn_chars_u(next.value)
                               : next.value == '.' || next.value == '_' || model::is_pn_chars(next.value);
    if (!fits) return false;
    is_first = false;
    label.remove_prefix(next.size);
  }
  return true;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// LANGTAG of Turtle without its '@': letters, then parts of letters and digits after hyphens.
bool is_language_tag(std::string_view tag) {
  bool is_in_first_part = true;
  size_t part_size = 0;
  for (const char c : tag) {
    if (c == '-') {
      if (part_size == 0) return false;
      is_in_first_part = false;
      part_size = 0;
    } else {
      if (!is_letter(c) && (is_in_first_part || c < '0' || c > '9')) return false;
      ++part_size;
    }
  }
  return part_size > 0;
}

base::Result<Term> check_literal(const TermParts& parts) {
  if (!model::is_valid_utf8(parts.text)) {
    return invalid(fmt::format("a literal that is not UTF-8: '{}'", model::describe_text(parts.text)));
  }
  std::string text(parts.text);
  const bool is_lang_string = parts.datatype == model::vocabulary::rdf_lang_string;
  if (!parts.language.empty()) {
    if (!is_language_tag(parts.language)) {
      return invalid(fmt::format("the language tag '{}'; expected one such as 'en' or 'de-at'",
                                 model::describe_text(parts.language)));
    }
    if (!parts.datatype.empty() && !is_lang_string) {
      return invalid(fmt::format("a literal with the language '{}' and the datatype '{}'; expected one of them",
                                 model::describe_text(parts.language), model::describe_text(parts.datatype)));
    }
    return Term::language_literal(std::move(text), std::string(parts.language));
  }
  if (is_lang_string) return invalid("a literal of datatype rdf:langString without a language");
  if (parts.datatype.empty()) return Term::literal(std::move(text));
  if (auto checked = model::check_iri(parts.datatype); !checked) {
    return invalid("a literal whose datatype is a " + checked.error().message);
  }
  return Term::typed_literal(std::move(text), std::string(parts.datatype));
}

}  // namespace

base::Result<Term> check_term(const TermParts& parts) {
  switch (parts.kind) {
    case TermKind::Iri:
      if (parts.text.empty()) return invalid("an empty IRI");
      if (auto checked = model::check_iri(parts.text); !checked) {
        return invalid("a " + checked.error().message);
      }
      return Term::iri(std::string(parts.text));
    case TermKind::BlankNode:
      if (!is_label(parts.text)) {
        return invalid(fmt::format("'{}', which is no label of a blank node", model::describe_text(parts.text)));
      }
      return Term::blank_node(std::string(parts.text));
    case TermKind::Literal: return check_literal(parts);
  }
  return invalid("a term of no kind");
}

base::Result<void> AnsweredContent::add(const TermParts& property, const TermParts& object) {
  for (const TermParts& parts : {property, object}) {
    bytes_ += parts.text.size() + parts.datatype.size() + parts.language.size();
  }
  if (bytes_ > bytes_max || content_.size() >= statements_max) {
    return base::Error{base::ErrorKind::ResourceExhausted,
                       fmt::format("more than {} statements or {} MiB of text", statements_max, bytes_max >> 20),
                       {}};
  }
  if (property.kind != TermKind::Iri) return invalid("a statement whose property is no IRI");
  auto checked_property = check_term(property);
  if (!checked_property) return std::move(checked_property).error();
  auto checked_object = check_term(object);
  if (!checked_object) return std::move(checked_object).error();
  content_.push_back({std::move(checked_property).value(), std::move(checked_object).value()});
  return {};
}

}  // namespace quadrille::policies
