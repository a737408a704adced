// The parser's window on the tokens: one token of lookahead, and the first error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/sparql/lexer.h"
#include "engine/sparql/source_text.h"

namespace quadrille::sparql {

// Functions that can fail return false, after noting the error; only the first one counts. So a parse function is a
// chain of `if (!...) return false;`, its frames are small, and nesting to max_nesting fits a small stack (parse.h).
class TokenReader {
 public:
  explicit TokenReader(const SourceText& source);

  const Token& current() const noexcept { return current_; }
  bool at(TokenKind kind) const noexcept { return current_.kind == kind; }
  // Whether the current token is this keyword, which is given in upper case.
  bool at_word(std::string_view upper) const noexcept;
  // The end of the token before the current one.
  size_t previous_end() const noexcept { return previous_end_; }
  std::string_view text() const noexcept { return source_.text(); }

  void advance();
  bool take(TokenKind kind);
  bool take_word(std::string_view upper);
  // Turns a signed number into its digits, once its sign has been read as an operator.
  void drop_sign();

  // `what` reads well behind "expected".
  [[nodiscard]] bool expect(TokenKind kind, std::string_view what);
  [[nodiscard]] bool expect_word(std::string_view upper);

  // Always false. The first says "found X, expected Y"; an Invalid token's own problem goes first.
  bool fail_expected(std::string_view what);
  bool fail_at(size_t offset, std::string message, base::ErrorKind kind = base::ErrorKind::InvalidInput);
  base::Error error() const;

 private:
  const SourceText& source_;
  Lexer lexer_;
  Token current_;
  size_t previous_end_ = 0;
  std::optional<base::Error> error_;
};

// Case-insensitive, for ASCII.
bool equals_keyword(std::string_view word, std::string_view upper) noexcept;

}  // namespace quadrille::sparql
