#include "engine/sparql/parser.h"

#include "engine/model/iri.h"

namespace quadrille::sparql {
namespace {

// What the terms of one request may take in memory, prefixes and repetitions spelled out: so much, and so much more for
// each byte of its text.
constexpr size_t expanded_bytes_free = size_t{64} << 20;
constexpr size_t expanded_bytes_per_byte = 32;

template <class T, class Parse>
base::Result<T> parse_text(std::string_view text, std::string_view base_iri, Parse parse) {
  if (!base_iri.empty()) {
    if (auto checked = model::check_iri(base_iri); !checked.ok()) return std::move(checked).error();
  }
  const SourceText source(text);
  Parser parser(source, base_iri);
  return parse(parser);
}

}  // namespace

base::Result<Query> parse_query(std::string_view text, std::string_view base_iri) {
  return parse_text<Query>(text, base_iri, [](Parser& parser) { return parser.parse_query(); });
}

base::Result<Update> parse_update(std::string_view text, std::string_view base_iri) {
  return parse_text<Update>(text, base_iri, [](Parser& parser) { return parser.parse_update(); });
}

Parser::Parser(const SourceText& source, std::string_view base_iri)
    : in_(source),
      base_iri_(base_iri),
      expanded_bytes_max_(expanded_bytes_free + expanded_bytes_per_byte * source.text().size()) {}

base::Result<Query> Parser::parse_query() {
  Query out;
  if (!query(out)) return in_.error();
  if (!in_.at(TokenKind::End)) {
    in_.fail_expected(modifiers_left_.empty() ? "the end of the text" : modifiers_left_ + " or the end of the text");
    return in_.error();
  }
  return out;
}

base::Result<Update> Parser::parse_update() {
  Update out;
  if (!update(out)) return in_.error();
  return out;
}

bool Parser::check_depth(int depth) {
  if (depth <= max_nesting) return true;
  return in_.fail_at(in_.current().offset,
                     "found nesting deeper than " + std::to_string(max_nesting) + " levels, expected less");
}

bool Parser::spend(size_t bytes) {
  spent_ += bytes;
  if (spent_ <= expanded_bytes_max_) return true;
  return in_.fail_at(in_.current().offset,
                     "found terms that take more than " + std::to_string(expanded_bytes_max_ >> 20) +
                         " MiB, with prefixes and lists spelled out",
                     base::ErrorKind::ResourceExhausted);
}

Variable Parser::make_hidden() { return Variable{"." + std::to_string(hidden_count_++)}; }

}  // namespace quadrille::sparql
