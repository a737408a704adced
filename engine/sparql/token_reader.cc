#include "engine/sparql/token_reader.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/model/utf8.h"

namespace quadrille::sparql {

bool equals_keyword(std::string_view word, std::string_view upper) noexcept {
  if (word.size() != upper.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i] >= 'a' && word[i] <= 'z' ? static_cast<char>(word[i] - 'a' + 'A') : word[i];
    if (c != upper[i]) return false;
  }
  return true;
}

TokenReader::TokenReader(const SourceText& source) : source_(source), lexer_(source.text()) {
  if (const auto invalid = source.invalid_at()) {
    current_.kind = TokenKind::Invalid;
    current_.offset = *invalid;
    current_.problem = "it is not UTF-8";
  } else {
    current_ = lexer_.next();
  }
}

bool TokenReader::at_word(std::string_view upper) const noexcept {
  return at(TokenKind::Word) && equals_keyword(current_.text, upper);
}

void TokenReader::advance() {
  previous_end_ = current_.offset + current_.text.size();
  current_ = lexer_.next();
}

bool TokenReader::take(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool TokenReader::take_word(std::string_view upper) {
  if (!at_word(upper)) return false;
  advance();
  return true;
}

void TokenReader::drop_sign() {
  current_.text.remove_prefix(1);
  ++current_.offset;
}

bool TokenReader::expect(TokenKind kind, std::string_view what) { return take(kind) || fail_expected(what); }

bool TokenReader::expect_word(std::string_view upper) { return take_word(upper) || fail_expected(upper); }

bool TokenReader::fail_expected(std::string_view what) {
  if (at(TokenKind::Invalid)) {
    return fail_at(current_.offset, "found " + describe(current_) + ": " + current_.problem);
  }
  if (at(TokenKind::Less)) {
    if (const size_t size = broken_iri_size(text(), current_.offset); size > 0) {
      const std::string_view begun = text().substr(current_.offset, size + 1);
      return fail_at(current_.offset, "found '" + model::describe_text(begun) +
                                          "' without '>' behind it, expected an IRI, which has no space and none of "
                                          "<\"{}|^`\\ in it");
    }
  }
  return fail_at(current_.offset, "found " + describe(current_) + ", expected " + std::string(what));
}

bool TokenReader::fail_at(size_t offset, std::string message, base::ErrorKind kind) {
  if (!error_) error_ = base::Error{kind, std::move(message), source_.position_of(offset)};
  return false;
}

base::Error TokenReader::error() const {
  QUADRILLE_CHECK(error_, "a parse function failed without saying why");
  return *error_;
}

}  // namespace quadrille::sparql
