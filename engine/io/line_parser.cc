#include "engine/io/line_parser.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/io/byte_class.h"
#include "engine/io/escape.h"
#include "engine/io/media_type.h"
#include "engine/io/text_reader.h"
#include "engine/model/iri.h"
#include "engine/model/utf8.h"
#include "engine/model/vocabulary.h"

namespace quadrille::io {
namespace {

constexpr ByteClass plain_in_literal = ByteClass::all_but("\"\\\r\n");

constexpr bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) noexcept { return is_letter(c) || (c >= '0' && c <= '9'); }

// Where a term of a line keeps what is not in the line as it stands: unescaped text, global labels.
struct Scratch {
  std::string text;
  std::string qualifier;
};

class LineParser {
 public:
  LineParser(bool with_graphs, const ParseOptions& options, const model::BlankNodeScope& blank_nodes, QuadSink& sink)
      : with_graphs_(with_graphs), blank_nodes_(blank_nodes), sink_(sink) {
    if (!options.graph) return;
    default_graph_text_ = options.graph->text();
    default_graph_ = model::TermView{options.graph->kind(), default_graph_text_, {}};
  }

  // A line feed ends a line; so does a carriage return that stands alone.
  base::Result<void> parse_line(std::string_view line) {
    ++line_number_;
    line_start_ = at_ = line.data();
    end_ = at_ + line.size();
    while (at_ != end_) {
      skip_spaces();
      if (at_ != end_ && *at_ != '#' && *at_ != '\r') QUADRILLE_TRY(parse_statement());
      skip_spaces();
      if (at_ != end_ && *at_ == '#') skip_comment();
      if (at_ == end_) break;
      if (*at_ != '\r') return unexpected("the end of the line");
      ++at_;
    }
    return {};
  }

  uint64_t lines() const noexcept { return line_number_; }

 private:
  base::Result<void> parse_statement() {
    QUADRILLE_TRY(parse_node(quad_.subject, scratch_[0], "an IRI or a blank node as subject"));
    skip_spaces();
    if (peek() != '<') return unexpected("an IRI as predicate");
    QUADRILLE_TRY(parse_iri(quad_.predicate, scratch_[1]));
    skip_spaces();
    QUADRILLE_TRY(parse_object());
    skip_spaces();
    quad_.graph = default_graph_;
    if (with_graphs_ && (peek() == '<' || peek() == '_')) {
      QUADRILLE_TRY(parse_node(quad_.graph.emplace(), scratch_[3], "an IRI or a blank node as graph"));
      skip_spaces();
    }
    if (peek() != '.') return unexpected(with_graphs_ ? "'.' or a graph behind the object" : "'.' behind the object");
    ++at_;
    return sink_.add(quad_, line_number_);
  }

  base::Result<void> parse_object() {
    if (peek() == '"') return parse_literal(quad_.object, scratch_[2]);
    return parse_node(quad_.object, scratch_[2], "an IRI, a blank node or a literal as object");
  }

  base::Result<void> parse_node(model::TermView& term, Scratch& scratch, std::string_view expected) {
    if (peek() == '<') return parse_iri(term, scratch);
    if (peek() == '_') return parse_blank_node(term, scratch);
    return unexpected(expected);
  }

  base::Result<void> parse_iri(model::TermView& term, Scratch& scratch) {
    term.kind = model::TermKind::Iri;
    term.qualifier = {};
    return parse_iri_text(term.text, scratch.text);
  }

  // <...> at the cursor. The result lies in the line, or in `scratch` if there were escapes.
  base::Result<void> parse_iri_text(std::string_view& iri, std::string& scratch) {
    const char* start = ++at_;
    at_ += plain_in_iri.run(rest());
    if (peek() == '>') {
      iri = {start, static_cast<size_t>(at_ - start)};
    } else {
      scratch.assign(start, at_);
      QUADRILLE_TRY(parse_escaped_iri(scratch));
      iri = scratch;
    }
    if (!model::has_scheme(iri)) {
      at_ = start;
      return error_here(
          fmt::format("found the relative IRI <{}>, expected an absolute one", model::describe_text(iri)));
    }
    ++at_;
    return {};
  }

  base::Result<void> parse_escaped_iri(std::string& out) {
    while (peek() != '>') {
      if (peek() != '\\') return unexpected("'>' at the end of the IRI");
      const Escape escape = decode_numeric_escape(rest().substr(1));
      if (escape.size == 0) return error_here(describe_bad_numeric_escape(rest().substr(1)));
      if (!model::is_iri_character(escape.value)) {
        return error_here(fmt::format("found an escaped {}, expected a character that may stand in an IRI",
                                      model::describe_character(escape.value)));
      }
      model::append_utf8(out, escape.value);
      at_ += 1 + escape.size;
      const size_t plain = plain_in_iri.run(rest());
      out.append(at_, plain);
      at_ += plain;
    }
    return {};
  }

  // _:label, whose last character is no dot.
  base::Result<void> parse_blank_node(model::TermView& term, Scratch& scratch) {
    ++at_;
    if (peek() != ':') return unexpected("':' of a blank node label");
    ++at_;
    const char* label = at_;
    const model::DecodedCodePoint first = model::decode_utf8(rest());
    if (!model::is_pn_chars_u(first.value) && !(first.value >= '0' && first.value <= '9')) {
      return unexpected("a letter, a digit or '_' of a blank node label");
    }
    at_ += first.size;
    const char* label_end = at_;
    while (at_ != end_) {
      const model::DecodedCodePoint next = model::decode_utf8(rest());
      if (next.value != '.' && !model::is_pn_chars(next.value)) break;
      at_ += next.size;
      if (next.value != '.') label_end = at_;
    }
    at_ = label_end;
    scratch.text = blank_nodes_.node_for({label, static_cast<size_t>(label_end - label)}).text();
    term = {model::TermKind::BlankNode, scratch.text, {}};
    return {};
  }

  base::Result<void> parse_literal(model::TermView& term, Scratch& scratch) {
    term.kind = model::TermKind::Literal;
    term.qualifier = {};
    const char* start = ++at_;
    at_ += plain_in_literal.run(rest());
    if (peek() == '"') {
      term.text = {start, static_cast<size_t>(at_ - start)};
    } else {
      scratch.text.assign(start, at_);
      QUADRILLE_TRY(parse_escaped_literal(scratch.text));
      term.text = scratch.text;
    }
    ++at_;
    if (peek() == '@') return parse_language(term.qualifier, scratch.qualifier);
    if (peek() == '^') return parse_datatype(term.qualifier, scratch.qualifier);
    return {};
  }

  base::Result<void> parse_escaped_literal(std::string& out) {
    while (peek() != '"') {
      if (peek() != '\\') return unexpected("'\"' at the end of the literal");
      const Escape escape = decode_string_escape(rest().substr(1));
      if (escape.size == 0) return error_here(describe_bad_string_escape(rest().substr(1)));
      model::append_utf8(out, escape.value);
      at_ += 1 + escape.size;
      const size_t plain = plain_in_literal.run(rest());
      out.append(at_, plain);
      at_ += plain;
    }
    return {};
  }

  base::Result<void> parse_language(std::string_view& qualifier, std::string& scratch) {
    const char* start = at_++;
    if (!is_letter(peek())) return unexpected("a letter of a language tag");
    while (is_letter(peek())) ++at_;
    while (peek() == '-') {
      ++at_;
      if (!is_letter_or_digit(peek())) return unexpected("a letter or digit of a language tag");
      while (is_letter_or_digit(peek())) ++at_;
    }
    qualifier = {start, static_cast<size_t>(at_ - start)};
    if (std::any_of(qualifier.begin(), qualifier.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
      scratch.assign(qualifier);
      for (char& c : scratch) c = ascii_lower(c);
      qualifier = scratch;
    }
    return {};
  }

  base::Result<void> parse_datatype(std::string_view& qualifier, std::string& scratch) {
    ++at_;
    if (peek() != '^') return unexpected("'^^' before a datatype");
    ++at_;
    if (peek() != '<') return unexpected("an IRI as datatype");
    QUADRILLE_TRY(parse_iri_text(qualifier, scratch));
    if (qualifier == model::vocabulary::xsd_string) qualifier = {};
    return {};
  }

  // 0 at the end of the line. A NUL in the line is no part of any token that is looked for so.
  char peek() const noexcept { return at_ == end_ ? '\0' : *at_; }
  std::string_view rest() const noexcept { return {at_, static_cast<size_t>(end_ - at_)}; }
  void skip_spaces() noexcept {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }
  void skip_comment() noexcept {
    while (at_ != end_ && *at_ != '\r') ++at_;
  }

  base::Error unexpected(std::string_view expected) const {
    const bool is_at_line_end = at_ == end_ || *at_ == '\r';
    return error_here(fmt::format(
        "found {}, expected {}",
        is_at_line_end ? "the end of the line" : model::describe_character(model::decode_utf8(rest()).value),
        expected));
  }
  base::Error error_here(std::string message) const {
    const uint64_t column = model::count_code_points({line_start_, static_cast<size_t>(at_ - line_start_)}) + 1;
    return {base::ErrorKind::InvalidInput, std::move(message), base::Position{line_number_, column}};
  }

  bool with_graphs_;
  const model::BlankNodeScope& blank_nodes_;
  QuadSink& sink_;
  std::string default_graph_text_;
  std::optional<model::TermView> default_graph_;

  uint64_t line_number_ = 0;
  const char* line_start_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  model::TermQuadView quad_;
  std::array<Scratch, 4> scratch_;
};

}  // namespace

base::Result<void> parse_lines(bool with_graphs, InputStream& input, const ParseOptions& options,
                               model::BlankNodeScope& blank_nodes, QuadSink& sink) {
  TextReader reader(input, options.term_size_max);
  LineParser parser(with_graphs, options, blank_nodes, sink);
  while (const auto line = reader.next_line()) QUADRILLE_TRY(parser.parse_line(*line));
  if (reader.failure()) return *reader.failure();
  return {};
}

base::Result<uint64_t> parse_line_piece(bool with_graphs, std::string_view piece, bool is_start,
                                        const ParseOptions& options, const model::BlankNodeScope& blank_nodes,
                                        QuadSink& sink) {
  if (is_start && piece.starts_with(byte_order_mark)) piece.remove_prefix(byte_order_mark.size());
  const std::string_view valid = piece.substr(0, model::valid_utf8_prefix(piece));
  const bool is_valid = valid.size() == piece.size();
  LineParser parser(with_graphs, options, blank_nodes, sink);
  size_t at = 0;
  while (at < valid.size()) {
    const size_t end = valid.find('\n', at);
    if (end == std::string_view::npos && !is_valid) break;
    QUADRILLE_TRY(parser.parse_line(valid.substr(at, end - at)));
    at = end == std::string_view::npos ? valid.size() : end + 1;
  }
  if (is_valid) return parser.lines();
  const base::Position position{parser.lines() + 1, model::count_code_points(valid.substr(at)) + 1};
  return base::Error{base::ErrorKind::InvalidInput, std::string(not_utf8), position};
}

}  // namespace quadrille::io
