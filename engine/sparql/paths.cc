// Property paths. Grammar rules 88 to 97.
#include "engine/model/vocabulary.h"
#include "engine/sparql/parser.h"

namespace quadrille::sparql {
namespace {

Path wrap(PathKind kind, Path part) {
  Path out;
  out.kind = kind;
  out.parts.push_back(std::move(part));
  return out;
}

}  // namespace

bool Parser::at_path() const noexcept {
  return at_iri() || in_.at(TokenKind::Caret) || in_.at(TokenKind::Not) || in_.at(TokenKind::LeftParenthesis) ||
         (in_.at(TokenKind::Word) && in_.current().text == "a");
}

bool Parser::path(Path& out) {
  if (!path_sequence(out)) return false;
  if (!in_.at(TokenKind::Pipe)) return true;
  out = wrap(PathKind::Alternative, std::move(out));
  while (in_.take(TokenKind::Pipe)) {
    if (!path_sequence(out.parts.emplace_back())) return false;
  }
  return true;
}

bool Parser::path_sequence(Path& out) {
  if (!path_step(out)) return false;
  if (!in_.at(TokenKind::Slash)) return true;
  out = wrap(PathKind::Sequence, std::move(out));
  while (in_.take(TokenKind::Slash)) {
    if (!path_step(out.parts.emplace_back())) return false;
  }
  return true;
}

bool Parser::path_step(Path& out) {
  const bool is_inverse = in_.take(TokenKind::Caret);
  if (!path_primary(out)) return false;
  if (in_.take(TokenKind::Star)) {
    out = wrap(PathKind::ZeroOrMore, std::move(out));
  } else if (in_.take(TokenKind::Plus)) {
    out = wrap(PathKind::OneOrMore, std::move(out));
  } else if (in_.take(TokenKind::Question)) {
    out = wrap(PathKind::ZeroOrOne, std::move(out));
  }
  if (is_inverse) out = wrap(PathKind::Inverse, std::move(out));
  return true;
}

bool Parser::path_primary(Path& out) {
  if (in_.at(TokenKind::LeftParenthesis)) {
    Nesting level(*this);
    if (!level.check()) return false;
    in_.advance();
    return path(out) && in_.expect(TokenKind::RightParenthesis, "'/', '|' or ')'");
  }
  if (in_.take(TokenKind::Not)) return negated_set(out);
  out.kind = PathKind::Link;
  return path_link(out.link);
}

bool Parser::negated_set(Path& out) {
  out.kind = PathKind::NegatedSet;
  if (in_.take(TokenKind::Nil)) return true;
  if (!in_.take(TokenKind::LeftParenthesis)) return negated_link(out);
  do {
    if (!negated_link(out)) return false;
  } while (in_.take(TokenKind::Pipe));
  return in_.expect(TokenKind::RightParenthesis, "'|' or ')'");
}

bool Parser::negated_link(Path& out) {
  const bool is_inverse = in_.take(TokenKind::Caret);
  std::optional<model::Term> link;
  if (!path_link(link)) return false;
  (is_inverse ? out.forbidden_inverse : out.forbidden).push_back(*std::move(link));
  return true;
}

bool Parser::path_link(std::optional<model::Term>& out) {
  if (in_.at(TokenKind::Word) && in_.current().text == "a") {
    in_.advance();
    out = model::Term::iri(std::string(model::vocabulary::rdf_type));
    return true;
  }
  std::string text;
  if (!iri(text, "a property (an IRI or 'a')")) return false;
  out = model::Term::iri(std::move(text));
  return true;
}

}  // namespace quadrille::sparql
