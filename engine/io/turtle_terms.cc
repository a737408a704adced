#include "engine/io/turtle_terms.h"

#include <fmt/format.h>

#include <utility>

#include "engine/io/byte_class.h"
#include "engine/io/escape.h"
#include "engine/io/media_type.h"
#include "engine/model/iri.h"
#include "engine/model/utf8.h"
#include "engine/model/vocabulary.h"

namespace quadrille::io {
namespace {

constexpr ByteClass plain_in_long_string = ByteClass::all_but("\"'\\");
constexpr ByteClass plain_in_short_string = ByteClass::all_but("\"'\\\r\n");
constexpr ByteClass plain_in_comment = ByteClass::all_but("\r\n");

constexpr bool is_digit(int c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(int c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_hex_digit(int c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
// The name characters of ASCII, without '.', which is special.
constexpr bool is_plain_name_byte(char c) noexcept { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }

// How many leading bytes of `text` are such name characters.
size_t plain_name_run(std::string_view text) noexcept {
  size_t size = 0;
  while (size < text.size() && is_plain_name_byte(text[size])) ++size;
  return size;
}

// Moves what the reader has, as long as it is in the class.
void read_run(TextReader& reader, const ByteClass& plain, std::string* out) {
  for (;;) {
    const std::string_view window = reader.window();
    const size_t size = plain.run(window);
    if (out != nullptr) out->append(window.data(), size);
    reader.advance(size);
    if (size != window.size() || window.empty()) return;
  }
}

}  // namespace

TurtleTerms::TurtleTerms(InputStream& input, const ParseOptions& options, model::BlankNodeScope& blank_nodes)
    : reader_(input, options.term_size_max),
      blank_nodes_(blank_nodes),
      base_iri_(options.base_iri),
      term_size_max_(options.term_size_max) {}

void TurtleTerms::skip_space() {
  for (;;) {
    switch (reader_.peek()) {
      case ' ':
      case '\t':
      case '\r':
      case '\n': reader_.advance(); break;
      case '#': read_run(reader_, plain_in_comment, nullptr); break;
      default: return;
    }
  }
}

base::Result<void> TurtleTerms::expect(char c, std::string_view expected) {
  if (reader_.peek() != static_cast<unsigned char>(c)) return unexpected(expected);
  reader_.advance();
  return {};
}

base::Result<void> TurtleTerms::read_iri(std::string& iri) {
  reference_.clear();
  QUADRILLE_TRY(read_iri_text(reference_));
  if (model::has_scheme(reference_)) {
    iri.assign(reference_);
    return {};
  }
  if (!base_iri_.empty()) {
    iri = model::resolve_iri(base_iri_, reference_);
    return {};
  }
  base::Error error = error_here(fmt::format("found the relative IRI <{}> and no base, expected an absolute IRI",
                                             model::describe_text(reference_)));
  const uint64_t taken = model::count_code_points(reference_) + 2;  // with < and >; less than that with escapes
  if (error.position->column > taken) error.position->column -= taken;
  return error;
}

// What is between < and >, unescaped.
base::Result<void> TurtleTerms::read_iri_text(std::string& out) {
  reader_.advance();
  for (;;) {
    read_run(reader_, plain_in_iri, &out);
    QUADRILLE_TRY(check_size(out));
    const int c = reader_.peek();
    if (c == '>') {
      reader_.advance();
      return {};
    }
    if (c != '\\') return unexpected("'>' at the end of the IRI");
    QUADRILLE_TRY(read_iri_escape(out));
  }
}

base::Result<void> TurtleTerms::read_iri_escape(std::string& out) {
  const std::string_view behind = reader_.look(1 + escape_size_max).substr(1);
  const Escape escape = decode_numeric_escape(behind);
  if (escape.size == 0) return error_here(describe_bad_numeric_escape(behind));
  if (!model::is_iri_character(escape.value)) {
    return error_here(fmt::format("found an escaped {}, expected a character that may stand in an IRI",
                                  model::describe_character(escape.value)));
  }
  model::append_utf8(out, escape.value);
  reader_.advance(1 + escape.size);
  return {};
}

// PN_PREFIX, or nothing.
base::Result<void> TurtleTerms::read_prefix(std::string& prefix) {
  prefix.clear();
  const model::DecodedCodePoint first = reader_.peek_code_point();
  if (first.size == 0 || !model::is_pn_chars_base(first.value)) return {};
  read_name_characters(prefix);
  return check_size(prefix);
}

// PN_CHARS, with dots between them.
void TurtleTerms::read_name_characters(std::string& out) {
  for (;;) {
    const std::string_view window = reader_.window();
    const size_t plain = plain_name_run(window);
    out.append(window.data(), plain);
    reader_.advance(plain);
    const model::DecodedCodePoint next = reader_.peek_code_point();
    if (next.size == 0) return;
    if (next.value == '.' ? !name_goes_on_behind_dot(false) : !model::is_pn_chars(next.value)) return;
    model::append_utf8(out, next.value);
    reader_.advance(next.size);
    if (out.size() > term_size_max_) return;  // the caller complains
  }
}

// A name may hold dots, but not end with one. Of two dots in a row the first is taken: no text goes on with two.
bool TurtleTerms::name_goes_on_behind_dot(bool is_local_name) {
  const model::DecodedCodePoint next = reader_.peek_code_point(1);
  if (next.size == 0) return false;
  if (next.value == '.' || model::is_pn_chars(next.value)) return true;
  return is_local_name && (next.value == ':' || next.value == '%' || next.value == '\\');
}

// PN_LOCAL, or nothing.
base::Result<void> TurtleTerms::read_local_name(const std::string& prefix, std::string& iri) {
  const auto found = prefixes_.find(prefix);
  if (found == prefixes_.end()) {
    return error_here(fmt::format("found the prefix \"{}:\", which is not declared, expected a declared one",
                                  model::describe_text(prefix)));
  }
  iri.assign(found->second);
  reader_.advance();
  for (bool is_first = true;; is_first = false) {
    if (!is_first) {
      const std::string_view window = reader_.window();
      const size_t plain = plain_name_run(window);
      iri.append(window.data(), plain);
      reader_.advance(plain);
      QUADRILLE_TRY(check_size(iri));
    }
    const model::DecodedCodePoint next = reader_.peek_code_point();
    if (next.size == 0) return {};
    if (next.value == '%') {
      QUADRILLE_TRY(read_percent(iri));
    } else if (next.value == '\\') {
      QUADRILLE_TRY(read_local_name_escape(iri));
    } else {
      const bool goes_on = next.value == ':'   ? true
                           : next.value == '.' ? !is_first && name_goes_on_behind_dot(true)
                           : is_first ? model::is_pn_chars_u(next.value) || is_digit(static_cast<int>(next.value))
                                      : model::is_pn_chars(next.value);
      if (!goes_on) return {};
      model::append_utf8(iri, next.value);
      reader_.advance(next.size);
    }
  }
}

base::Result<void> TurtleTerms::read_percent(std::string& out) {
  if (!is_hex_digit(reader_.peek(1)) || !is_hex_digit(reader_.peek(2))) {
    return error_here("found '%' in a local name, expected two hexadecimal digits behind it");
  }
  out.append(reader_.look(3));
  reader_.advance(3);
  return {};
}

base::Result<void> TurtleTerms::read_local_name_escape(std::string& out) {
  const int escaped = reader_.peek(1);
  if (escaped == TextReader::end_of_text || !model::is_local_name_escape(static_cast<char>(escaped))) {
    return error_here("found '\\' in a local name, expected one of _~.-!$&'()*+,;=/?#@% behind it");
  }
  out += static_cast<char>(escaped);
  reader_.advance(2);
  return {};
}

base::Result<void> TurtleTerms::read_iri_or_name(std::string& iri, std::string_view expected) {
  if (reader_.peek() == '<') return read_iri(iri);
  QUADRILLE_TRY(read_prefix(word_));
  if (reader_.peek() != ':') {
    if (word_.empty()) return unexpected(expected);
    return unexpected(fmt::format("':' behind \"{}\"", model::describe_text(word_)));
  }
  return read_local_name(word_, iri);
}

base::Result<void> TurtleTerms::read_blank_node(TermBuffer& term) {
  reader_.advance();
  QUADRILLE_TRY(expect(':', "':' of a blank node label"));
  const model::DecodedCodePoint first = reader_.peek_code_point();
  if (first.size == 0 || !(model::is_pn_chars_u(first.value) || is_digit(static_cast<int>(first.value)))) {
    return unexpected("a letter, a digit or '_' of a blank node label");
  }
  word_.clear();
  read_name_characters(word_);
  QUADRILLE_TRY(check_size(word_));
  term.set_blank_node(blank_nodes_.node_for(word_).text());
  return {};
}

base::Result<void> TurtleTerms::read_literal(TermBuffer& term) {
  term.kind = model::TermKind::Literal;
  term.text.clear();
  term.qualifier.clear();
  QUADRILLE_TRY(read_string(term.text));
  if (reader_.peek() == '@') return read_language(term.qualifier);
  if (reader_.peek() != '^') return {};
  if (reader_.peek(1) != '^') return unexpected("'^^' before a datatype");
  reader_.advance(2);
  return read_datatype(term.qualifier);
}

// The four kinds of strings: ' or ", once or three times.
base::Result<void> TurtleTerms::read_string(std::string& out) {
  const int quote = reader_.peek();
  const bool is_long = reader_.peek(1) == quote && reader_.peek(2) == quote;
  reader_.advance(is_long ? 3 : 1);
  for (;;) {
    read_run(reader_, is_long ? plain_in_long_string : plain_in_short_string, &out);
    QUADRILLE_TRY(check_size(out));
    const int c = reader_.peek();
    if (c == '\\') {
      QUADRILLE_TRY(read_string_escape(out));
    } else if (c == quote && (!is_long || (reader_.peek(1) == quote && reader_.peek(2) == quote))) {
      reader_.advance(is_long ? 3 : 1);
      return {};
    } else if (c == '"' || c == '\'') {
      out += static_cast<char>(c);
      reader_.advance();
    } else {
      return unexpected(is_long ? "three quotation marks at the end of the string"
                                : "a quotation mark at the end of the string");
    }
  }
}

base::Result<void> TurtleTerms::read_string_escape(std::string& out) {
  const std::string_view behind = reader_.look(1 + escape_size_max).substr(1);
  const Escape escape = decode_string_escape(behind);
  if (escape.size == 0) return error_here(describe_bad_string_escape(behind));
  model::append_utf8(out, escape.value);
  reader_.advance(1 + escape.size);
  return {};
}

base::Result<void> TurtleTerms::read_language(std::string& qualifier) {
  bool is_first = true;
  do {
    qualifier += static_cast<char>(reader_.peek());  // '@', then '-'
    reader_.advance();
    const size_t size = qualifier.size();
    while (is_letter(reader_.peek()) || (!is_first && is_digit(reader_.peek()))) {
      qualifier += ascii_lower(static_cast<char>(reader_.peek()));
      reader_.advance();
    }
    if (qualifier.size() == size) {
      return unexpected(is_first ? "a letter of a language tag" : "a letter or digit of a language tag");
    }
    is_first = false;
    QUADRILLE_TRY(check_size(qualifier));
  } while (reader_.peek() == '-');
  return {};
}

base::Result<void> TurtleTerms::read_datatype(std::string& qualifier) {
  QUADRILLE_TRY(read_iri_or_name(qualifier, "an IRI as datatype"));
  if (qualifier == model::vocabulary::xsd_string) qualifier.clear();
  return {};
}

void TurtleTerms::read_digits(std::string& out) {
  while (is_digit(reader_.peek()) && out.size() <= term_size_max_) {
    out += static_cast<char>(reader_.peek());
    reader_.advance();
  }
}

base::Result<void> TurtleTerms::read_number(TermBuffer& term) {
  term.set_literal({}, model::vocabulary::xsd_integer);
  std::string& out = term.text;
  const auto take = [&] {
    out += static_cast<char>(reader_.peek());
    reader_.advance();
  };
  if (reader_.peek() == '+' || reader_.peek() == '-') take();
  const size_t sign_size = out.size();
  read_digits(out);
  const bool has_digits = out.size() > sign_size;

  const auto exponent_at = [&](size_t ahead) {
    if (reader_.peek(ahead) != 'e' && reader_.peek(ahead) != 'E') return false;
    const int next = reader_.peek(ahead + 1);
    return is_digit(next == '+' || next == '-' ? reader_.peek(ahead + 2) : next);
  };
  if (reader_.peek() == '.' && (is_digit(reader_.peek(1)) || (has_digits && exponent_at(1)))) {
    take();
    read_digits(out);
    term.qualifier.assign(model::vocabulary::xsd_decimal);
  } else if (!has_digits) {
    return unexpected("a digit of a number");
  }
  if (exponent_at(0)) {
    take();
    if (!is_digit(reader_.peek())) take();
    read_digits(out);
    term.qualifier.assign(model::vocabulary::xsd_double);
  }
  return check_size(out);
}

base::Result<void> TurtleTerms::check_size(const std::string& text) {
  if (text.size() <= term_size_max_) return {};
  base::Error error = error_here(fmt::format("found a longer term, expected at most {} bytes", term_size_max_));
  error.kind = base::ErrorKind::ResourceExhausted;
  return error;
}

base::Error TurtleTerms::unexpected(std::string_view expected) {
  const model::DecodedCodePoint found = reader_.peek_code_point();
  if (found.size != 0)
    return error_here(fmt::format("found {}, expected {}", model::describe_character(found.value), expected));
  if (reader_.failure()) return *reader_.failure();
  return error_here(fmt::format("found the end of the text, expected {}", expected));
}

base::Error TurtleTerms::error_here(std::string message) {
  return {base::ErrorKind::InvalidInput, std::move(message), reader_.position()};
}

}  // namespace quadrille::io
