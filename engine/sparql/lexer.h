// Tokens of SPARQL 1.1, section 19.8. The longest match wins, as the specification wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quadrille::sparql {

enum class TokenKind : uint8_t {
  End,
  Invalid,  // no token starts here; Token::problem says why
  // terms
  IriRef,          // <...>
  PrefixedName,    // ex:name, ex:, :name, :
  BlankNodeLabel,  // _:label
  Anonymous,       // []
  Variable,        // ?name, $name
  LanguageTag,     // @en
  String,          // in any of the four quotations
  Integer,         // numbers carry their sign, if it stands directly before them
  Decimal,
  Double,
  Word,  // a keyword, the name of a function, true, false, a
  Nil,   // ()
  // punctuation
  LeftParenthesis,
  RightParenthesis,
  LeftBrace,
  RightBrace,
  LeftBracket,
  RightBracket,
  Dot,
  Comma,
  Semicolon,
  Star,
  Slash,
  Plus,
  Minus,
  Question,
  Caret,
  DoubleCaret,
  Pipe,
  DoublePipe,
  DoubleAmpersand,
  Not,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;          // as written; a view into the lexer's text
  size_t offset = 0;              // of the token in that text, in bytes
  size_t split = 0;               // PrefixedName: where the colon is. String: the length of one quotation mark
  const char* problem = nullptr;  // Invalid
};

// Reads a text that is valid UTF-8 and outlives the lexer. Never fails: what is no token is an Invalid one, and the
// lexer stays before it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  char peek(size_t ahead = 0) const noexcept { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blank() noexcept;
  size_t skip_blank_from(size_t at) const noexcept;
  size_t name_character_at(size_t at) const noexcept;
  // Behind the name characters that begin at `from`. Dots may stand among them, not at the end.
  size_t behind_dotted_name(size_t from) const;
  size_t name_start_at(size_t at) const noexcept;
  size_t end_of_local_name(size_t at, const char** problem) const noexcept;
  Token make(TokenKind kind, size_t size);
  Token invalid(const char* problem, size_t at);
  Token iri_or_less();
  Token variable_or_question();
  Token blank_node_label();
  Token language_tag();
  Token string();
  Token number();
  Token name_or_word();
  Token prefixed_name(size_t colon);
  Token opening(char close, TokenKind open, TokenKind pair);
  Token punctuation();

  std::string_view text_;
  size_t at_ = 0;
};

// What a prefixed name, a string or an IRI says, its escapes undone. They require tokens that a lexer gave.
std::string local_name_of(const Token& prefixed_name);
// False if an escape is none of SPARQL's; `bad_escape` is then its offset in the text.
bool decode_string(const Token& string, std::string& out, size_t& bad_escape);

// A Less that seems to be meant for an IRI: how much of the text behind it could belong to one; 0: it is an operator.
size_t broken_iri_size(std::string_view text, size_t less) noexcept;

// The token as an error message shows it.
std::string describe(const Token& token);

}  // namespace quadrille::sparql
