#include "engine/sparql/lexer.h"

#include <array>

#include "engine/model/iri.h"
#include "engine/model/utf8.h"

namespace quadrille::sparql {
namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word_character(char c) noexcept { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

// IRIREF: everything but controls, space and <>"{}|^`\ .
constexpr std::array<bool, 256> make_iri_table() {
  std::array<bool, 256> table{};
  for (int c = 0x21; c < 256; ++c) table[static_cast<size_t>(c)] = true;
  for (const char c : {'<', '>', '"', '{', '}', '|', '^', '`', '\\'}) table[static_cast<unsigned char>(c)] = false;
  return table;
}
constexpr std::array<bool, 256> iri_byte = make_iri_table();

}  // namespace

Token Lexer::make(TokenKind kind, size_t size) {
  Token token;
  token.kind = kind;
  token.offset = at_;
  token.text = text_.substr(at_, size);
  at_ += size;
  return token;
}

Token Lexer::invalid(const char* problem, size_t at) {
  Token token;
  token.kind = TokenKind::Invalid;
  token.offset = at;
  token.problem = problem;
  if (at < text_.size()) token.text = text_.substr(at, model::decode_utf8(text_.substr(at)).size);
  return token;
}

size_t Lexer::skip_blank_from(size_t at) const noexcept {
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
    } else if (c == '#') {
      while (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') ++at;
    } else {
      break;
    }
  }
  return at;
}

void Lexer::skip_blank() noexcept { at_ = skip_blank_from(at_); }

// How many bytes the PN_CHARS at `at` takes; 0: there is none.
size_t Lexer::name_character_at(size_t at) const noexcept {
  if (at >= text_.size()) return 0;
  const char c = text_[at];
  if (is_ascii(c)) return is_word_character(c) || c == '-' ? 1 : 0;
  const auto decoded = model::decode_utf8(text_.substr(at));
  return model::is_pn_chars(decoded.value) ? decoded.size : 0;
}

// The same for PN_CHARS_BASE.
size_t Lexer::name_start_at(size_t at) const noexcept {
  if (at >= text_.size()) return 0;
  const char c = text_[at];
  if (is_ascii(c)) return is_letter(c) ? 1 : 0;
  const auto decoded = model::decode_utf8(text_.substr(at));
  return model::is_pn_chars_base(decoded.value) ? decoded.size : 0;
}

Token Lexer::next() {
  skip_blank();
  if (at_ >= text_.size()) return make(TokenKind::End, 0);
  const char c = peek();
  switch (c) {
    case '<': return iri_or_less();
    case '?':
    case '$': return variable_or_question();
    case '"':
    case '\'': return string();
    case '@': return language_tag();
    case '_':
      if (peek(1) == ':') return blank_node_label();
      return invalid("a name starts with a letter; a blank node label with '_:'", at_);
    case ':': return prefixed_name(at_);
    case '(': return opening(')', TokenKind::LeftParenthesis, TokenKind::Nil);
    case '[': return opening(']', TokenKind::LeftBracket, TokenKind::Anonymous);
    case '+':
    case '-':
      if (is_digit(peek(1)) || (peek(1) == '.' && is_digit(peek(2)))) return number();
      return punctuation();
    case '.': return is_digit(peek(1)) ? number() : punctuation();
    default: break;
  }
  if (is_digit(c)) return number();
  if (name_start_at(at_) != 0) return name_or_word();
  return punctuation();
}

Token Lexer::iri_or_less() {
  size_t end = at_ + 1;
  while (end < text_.size() && iri_byte[static_cast<unsigned char>(text_[end])]) ++end;
  if (end < text_.size() && text_[end] == '>') return make(TokenKind::IriRef, end + 1 - at_);
  return peek(1) == '=' ? make(TokenKind::LessOrEqual, 2) : make(TokenKind::Less, 1);
}

Token Lexer::variable_or_question() {
  size_t end = at_ + 1;
  while (end < text_.size()) {
    const char c = text_[end];
    if (is_ascii(c)) {
      if (!is_word_character(c)) break;
      ++end;
      continue;
    }
    const auto decoded = model::decode_utf8(text_.substr(end));
    // VARNAME starts like PN_CHARS_U or a digit; what PN_CHARS adds may follow, '-' apart.
    if (end == at_ + 1 ? !model::is_pn_chars_u(decoded.value) : !model::is_pn_chars(decoded.value)) break;
    end += decoded.size;
  }
  if (end > at_ + 1) return make(TokenKind::Variable, end - at_);
  if (peek() == '?') return make(TokenKind::Question, 1);
  return invalid("the name of a variable must follow '$'", at_);
}

Token Lexer::blank_node_label() {
  size_t end = at_ + 2;
  size_t size = name_start_at(end);
  if (size == 0 && (is_digit(peek(2)) || peek(2) == '_')) size = 1;
  if (size == 0) return invalid("a label must follow '_:'", at_);
  return make(TokenKind::BlankNodeLabel, behind_dotted_name(end + size) - at_);
}

size_t Lexer::behind_dotted_name(size_t from) const {
  size_t last = from;
  for (size_t end = from;;) {
    if (const size_t more = name_character_at(end); more != 0) {
      last = end += more;
    } else if (end < text_.size() && text_[end] == '.') {
      ++end;
    } else {
      return last;
    }
  }
}

Token Lexer::language_tag() {
  size_t end = at_ + 1;
  while (end < text_.size() && is_letter(text_[end])) ++end;
  if (end == at_ + 1) return invalid("a language tag must follow '@'", at_);
  while (end + 1 < text_.size() && text_[end] == '-' && (is_letter(text_[end + 1]) || is_digit(text_[end + 1]))) {
    ++end;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  }
  return make(TokenKind::LanguageTag, end - at_);
}

Token Lexer::string() {
  const char quote = peek();
  const bool is_long = peek(1) == quote && peek(2) == quote;
  const size_t mark = is_long ? 3 : 1;
  size_t end = at_ + mark;
  for (;; ++end) {
    if (end >= text_.size()) return invalid("the string is not closed", at_);
    const char c = text_[end];
    if (c == '\\') {
      ++end;
    } else if (c == quote) {
      if (!is_long) break;
      if (text_.substr(end, 3) == std::string_view(text_.data() + at_, 3)) break;
    } else if (!is_long && (c == '\n' || c == '\r')) {
      return invalid("the string is not closed on its line (three quotation marks may span lines)", at_);
    }
  }
  Token token = make(TokenKind::String, end + mark - at_);
  token.split = mark;
  return token;
}

Token Lexer::number() {
  size_t end = at_;
  if (text_[end] == '+' || text_[end] == '-') ++end;
  const auto digits = [&](size_t from) {
    while (from < text_.size() && is_digit(text_[from])) ++from;
    return from;
  };
  const size_t whole_start = end;
  end = digits(end);
  const bool has_whole = end > whole_start;
  TokenKind kind = TokenKind::Integer;
  size_t behind_fraction = end;
  if (end < text_.size() && text_[end] == '.') {
    behind_fraction = digits(end + 1);
    if (behind_fraction > end + 1) {
      kind = TokenKind::Decimal;
      end = behind_fraction;
    } else if (!has_whole) {
      behind_fraction = end;
    }
  }
  // An exponent may follow the digits, or the bare dot of "1.e5".
  size_t exponent = behind_fraction;
  if (exponent < text_.size() && (text_[exponent] == 'e' || text_[exponent] == 'E')) {
    ++exponent;
    if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
    const size_t behind = digits(exponent);
    if (behind > exponent) {
      kind = TokenKind::Double;
      end = behind;
    }
  }
  return make(kind, end - at_);
}

Token Lexer::name_or_word() {
  size_t end = behind_dotted_name(at_);
  if (end < text_.size() && text_[end] == ':') return prefixed_name(end);
  end = at_;
  while (end < text_.size() && is_word_character(text_[end])) ++end;
  if (end == at_) return invalid("no keyword or name starts with this character", at_);
  return make(TokenKind::Word, end - at_);
}

// The end of the PN_LOCAL that starts at `at`; `at` itself if there is none.
size_t Lexer::end_of_local_name(size_t at, const char** problem) const noexcept {
  size_t end = at;
  size_t last = at;
  while (end < text_.size()) {
    const char c = text_[end];
    if (c == '%') {
      if (end + 2 >= text_.size() || !is_hex(text_[end + 1]) || !is_hex(text_[end + 2])) {
        *problem = "two hexadecimal digits must follow '%' in a prefixed name";
        return end;
      }
      last = end += 3;
    } else if (c == '\\') {
      if (end + 1 >= text_.size() || !model::is_local_name_escape(text_[end + 1])) {
        *problem = "a backslash in a prefixed name must be followed by one of _~.-!$&'()*+,;=/?#@%";
        return end;
      }
      last = end += 2;
    } else if (c == ':') {
      last = ++end;
    } else if (c == '.') {
      if (end == at) break;
      ++end;
    } else if (const size_t more = name_character_at(end); more != 0) {
      const bool may_start = is_ascii(c) ? c != '-' : model::is_pn_chars_u(model::decode_utf8(text_.substr(end)).value);
      if (end == at && !may_start) break;
      last = end += more;
    } else {
      break;
    }
  }
  return last;
}

Token Lexer::prefixed_name(size_t colon) {
  const char* problem = nullptr;
  const size_t end = end_of_local_name(colon + 1, &problem);
  if (problem != nullptr) return invalid(problem, end);
  const size_t start = at_;
  Token token = make(TokenKind::PrefixedName, end - at_);
  token.split = colon - start;
  return token;
}

// '(' or '[', and what closes it if nothing stands between.
Token Lexer::opening(char close, TokenKind open, TokenKind pair) {
  const size_t behind = skip_blank_from(at_ + 1);
  if (behind < text_.size() && text_[behind] == close) return make(pair, behind + 1 - at_);
  return make(open, 1);
}

Token Lexer::punctuation() {
  using enum TokenKind;
  switch (peek()) {
    case ')': return make(RightParenthesis, 1);
    case '{': return make(LeftBrace, 1);
    case '}': return make(RightBrace, 1);
    case ']': return make(RightBracket, 1);
    case '.': return make(Dot, 1);
    case ',': return make(Comma, 1);
    case ';': return make(Semicolon, 1);
    case '*': return make(Star, 1);
    case '/': return make(Slash, 1);
    case '+': return make(Plus, 1);
    case '-': return make(Minus, 1);
    case '=': return make(Equal, 1);
    case '^': return peek(1) == '^' ? make(DoubleCaret, 2) : make(Caret, 1);
    case '|': return peek(1) == '|' ? make(DoublePipe, 2) : make(Pipe, 1);
    case '!': return peek(1) == '=' ? make(NotEqual, 2) : make(Not, 1);
    case '>': return peek(1) == '=' ? make(GreaterOrEqual, 2) : make(Greater, 1);
    case '&':
      if (peek(1) == '&') return make(DoubleAmpersand, 2);
      return invalid("'&' stands alone; \"and\" is '&&'", at_);
    case '\\': return invalid("an escape may not stand here", at_);
    default: return invalid("no token starts with this character", at_);
  }
}

std::string local_name_of(const Token& prefixed_name) {
  const std::string_view local = prefixed_name.text.substr(prefixed_name.split + 1);
  std::string out;
  out.reserve(local.size());
  for (size_t i = 0; i < local.size(); ++i) {
    if (local[i] == '\\') ++i;  // the lexer saw to it that a character follows
    out += local[i];
  }
  return out;
}

size_t broken_iri_size(std::string_view text, size_t less) noexcept {
  size_t end = less + 1;
  while (end < text.size() && iri_byte[static_cast<unsigned char>(text[end])]) ++end;
  const char first = end > less + 1 ? text[less + 1] : ' ';
  return is_letter(first) || first == '/' || first == '#' || first == '.' ? end - less - 1 : 0;
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::End: return "the end of the text";
    case TokenKind::Invalid:
      if (token.text.empty()) return "a byte";
      return model::describe_character(model::decode_utf8(token.text).value);
    default: return "'" + model::describe_text(token.text) + "'";
  }
}

}  // namespace quadrille::sparql
