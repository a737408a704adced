// Prologue, IRIs, variables and literals. Grammar rules 4 to 6, 107, 108, 125 to 137.
#include <charconv>

#include "engine/model/iri.h"
#include "engine/model/vocabulary.h"
#include "engine/sparql/parser.h"
#include "engine/sparql/service_text.h"

namespace quadrille::sparql {

namespace vocabulary = model::vocabulary;

bool Parser::prologue() {
  for (;;) {
    if (in_.at_word("BASE")) {
      if (!base_declaration()) return false;
    } else if (in_.at_word("PREFIX")) {
      if (!prefix_declaration()) return false;
    } else {
      return true;
    }
  }
}

bool Parser::base_declaration() {
  in_.advance();
  if (!in_.at(TokenKind::IriRef)) return in_.fail_expected("an IRI in angle brackets");
  std::string resolved;
  if (!resolve_reference(in_.current(), resolved)) return false;
  base_iri_ = std::move(resolved);
  in_.advance();
  return true;
}

bool Parser::prefix_declaration() {
  in_.advance();
  const Token& name = in_.current();
  if (name.kind != TokenKind::PrefixedName || name.split + 1 != name.text.size()) {
    return in_.fail_expected("a prefix with a colon, such as ex:");
  }
  std::string prefix(name.text.substr(0, name.split));
  in_.advance();
  if (!in_.at(TokenKind::IriRef)) return in_.fail_expected("an IRI in angle brackets");
  std::string expansion;
  if (!resolve_reference(in_.current(), expansion)) return false;
  prefixes_[std::move(prefix)] = std::move(expansion);
  in_.advance();
  return true;
}

bool Parser::resolve_reference(const Token& token, std::string& out) {
  const std::string_view reference = token.text.substr(1, token.text.size() - 2);
  if (model::has_scheme(reference)) {
    out = reference;
  } else if (base_iri_.empty()) {
    return in_.fail_at(token.offset, "found the relative IRI " + describe(token) +
                                         ", expected an absolute one, since no BASE is given");
  } else {
    out = model::resolve_iri(base_iri_, reference);
  }
  return spend(out.size());
}

bool Parser::expand_prefixed_name(const Token& token, std::string& out) {
  const std::string_view prefix = token.text.substr(0, token.split);
  const auto found = prefixes_.find(prefix);
  if (found == prefixes_.end()) {
    return in_.fail_at(token.offset,
                       "found " + describe(token) + ", but the prefix '" + std::string(prefix) + ":' is not declared");
  }
  out = found->second;
  const std::string_view local = token.text.substr(token.split + 1);
  if (local.find('\\') == std::string_view::npos) {
    out += local;
  } else {
    out += local_name_of(token);
  }
  return spend(out.size());
}

bool Parser::iri(std::string& out, std::string_view what) {
  if (in_.at(TokenKind::IriRef)) {
    if (!resolve_reference(in_.current(), out)) return false;
  } else if (in_.at(TokenKind::PrefixedName)) {
    if (!expand_prefixed_name(in_.current(), out)) return false;
  } else {
    return in_.fail_expected(what);
  }
  in_.advance();
  return true;
}

bool Parser::iri_term(std::optional<model::Term>& out) {
  std::string text;
  if (!iri(text)) return false;
  out = model::Term::iri(std::move(text));
  return true;
}

bool Parser::variable(Variable& out) {
  if (!in_.at(TokenKind::Variable)) return in_.fail_expected("a variable");
  out.name = in_.current().text.substr(1);
  in_.advance();
  return true;
}

bool Parser::variable_or_iri(PatternTerm& out) {
  if (in_.at(TokenKind::Variable)) return variable(out.emplace<Variable>());
  std::string text;
  if (!iri(text, "a variable or an IRI")) return false;
  out = model::Term::iri(std::move(text));
  return true;
}

bool Parser::at_literal() const noexcept {
  switch (in_.current().kind) {
    case TokenKind::String:
    case TokenKind::Integer:
    case TokenKind::Decimal:
    case TokenKind::Double: return true;
    default: return in_.at_word("TRUE") || in_.at_word("FALSE");
  }
}

bool Parser::literal(std::optional<model::Term>& out) {
  const auto typed = [&](std::string_view datatype) {
    out = model::Term::typed_literal(std::string(in_.current().text), std::string(datatype));
    in_.advance();
    return true;
  };
  switch (in_.current().kind) {
    case TokenKind::String: return quoted_literal(out);
    case TokenKind::Integer: return typed(vocabulary::xsd_integer);
    case TokenKind::Decimal: return typed(vocabulary::xsd_decimal);
    case TokenKind::Double: return typed(vocabulary::xsd_double);
    default: break;
  }
  for (const std::string_view value : {"true", "false"}) {
    if (!in_.take_word(value == "true" ? "TRUE" : "FALSE")) continue;
    out = model::Term::typed_literal(std::string(value), std::string(vocabulary::xsd_boolean));
    return true;
  }
  return in_.fail_expected("a literal");
}

bool Parser::string_content(std::string& out) {
  if (!in_.at(TokenKind::String)) return in_.fail_expected("a string in quotation marks");
  size_t bad_escape = 0;
  if (!decode_string(in_.current(), out, bad_escape)) {
    return in_.fail_at(bad_escape,
                       "found an unknown escape, expected one of \\t \\b \\n \\r \\f \\\\ \\\" \\' \\uXXXX "
                       "\\UXXXXXXXX that names a character");
  }
  in_.advance();
  return true;
}

bool Parser::quoted_literal(std::optional<model::Term>& out) {
  std::string text;
  if (!string_content(text)) return false;
  if (in_.at(TokenKind::LanguageTag)) {
    out = model::Term::language_literal(std::move(text), std::string(in_.current().text.substr(1)));
    in_.advance();
  } else if (in_.take(TokenKind::DoubleCaret)) {
    std::string datatype;
    if (!iri(datatype, "the IRI of a datatype")) return false;
    out = model::Term::typed_literal(std::move(text), std::move(datatype));
  } else {
    out = model::Term::literal(std::move(text));
  }
  return true;
}

bool Parser::whole_number(uint64_t& out) {
  const std::string_view digits = in_.current().text;
  if (!in_.at(TokenKind::Integer) || digits.front() == '-' || digits.front() == '+') {
    return in_.fail_expected("a number of rows, in digits alone");
  }
  if (std::from_chars(digits.data(), digits.data() + digits.size(), out).ec != std::errc()) {
    return in_.fail_expected("a number below 2^64");
  }
  in_.advance();
  return true;
}

std::string Parser::service_text(size_t start, size_t end) const {
  return make_service_text(in_.text().substr(start, end - start), base_iri_, prefixes_);
}

}  // namespace quadrille::sparql
