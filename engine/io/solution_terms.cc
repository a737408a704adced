#include "engine/io/solution_terms.h"

#include <fmt/format.h>

#include <utility>

#include "engine/model/iri.h"
#include "engine/model/utf8.h"

namespace quadrille::io {
namespace {

constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// [a-zA-Z]+ ('-' [a-zA-Z0-9]+)*, as in Turtle and SPARQL.
bool is_language_tag(std::string_view tag) noexcept {
  bool is_first = true;
  while (true) {
    const size_t end = std::min(tag.find('-'), tag.size());
    if (end == 0) return false;
    for (const char c : tag.substr(0, end)) {
      if (!is_letter(c) && (is_first || !is_digit(c))) return false;
    }
    if (end == tag.size()) return true;
    tag.remove_prefix(end + 1);
    is_first = false;
  }
}

}  // namespace

base::Error bad_solutions(const std::string& where, const std::string& expected) {
  return {base::ErrorKind::InvalidInput, fmt::format("{}: expected {}", where, expected), {}};
}

base::Result<model::Term> make_term(TermPieces pieces, size_t solution) {
  const auto bad = [&](const std::string& expected) {
    return bad_solutions(fmt::format("solution {}, ?{}", solution, model::describe_text(pieces.variable)), expected);
  };
  if (!pieces.text) return bad("a value");
  if (pieces.type == "bnode") return model::Term::blank_node(std::move(*pieces.text));
  if (pieces.type == "uri") {
    if (const auto checked = model::check_iri(*pieces.text); !checked.ok()) {
      return bad(fmt::format("an absolute IRI ({})", checked.error().message));
    }
    return model::Term::iri(std::move(*pieces.text));
  }
  if (pieces.type != "literal" && pieces.type != "typed-literal") return bad("type uri, bnode or literal");
  if (!pieces.language.empty()) {
    if (!is_language_tag(pieces.language)) return bad("a language tag");
    return model::Term::language_literal(std::move(*pieces.text), std::move(pieces.language));
  }
  if (pieces.datatype.empty()) return model::Term::literal(std::move(*pieces.text));
  if (const auto checked = model::check_iri(pieces.datatype); !checked.ok()) {
    return bad(fmt::format("an absolute IRI as datatype ({})", checked.error().message));
  }
  return model::Term::typed_literal(std::move(*pieces.text), std::move(pieces.datatype));
}

}  // namespace quadrille::io
