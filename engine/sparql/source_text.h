// The text of a request as the lexer sees it: valid UTF-8, with codepoint escapes (SPARQL 1.1 section 19.2) undone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::sparql {

// An escape stands for its character where it may: `?n\u00E9e` is a variable, `s\u0065lect` a keyword. An escape of
// a character that would end or start a token of its own (a quote, backslash, space, angle bracket ...) stays as it is
// written: the lexer undoes it inside of strings, and refuses it elsewhere. So no escape can close a string.
//
// The original text must outlive this object; text() lives as long as the object does. Not copyable, so that views
// stay good.
class SourceText {
 public:
  explicit SourceText(std::string_view original);
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  std::string_view text() const noexcept { return text_; }
  // The byte of text() at which it stops being UTF-8.
  std::optional<size_t> invalid_at() const noexcept { return invalid_at_; }
  // Where in the original text a byte of text() stands. Takes time linear in the offset: for errors.
  base::Position position_of(size_t offset) const;

 private:
  struct Anchor {
    size_t decoded;   // this byte of text() ...
    size_t original;  // ... stands here in the original
  };
  void decode_escapes();

  std::string_view original_;
  std::string decoded_;  // empty if there is no escape
  std::string_view text_;
  std::vector<Anchor> anchors_;  // one behind each escape, ascending
  std::optional<size_t> invalid_at_;
};

struct CodepointEscape {
  char32_t value;
  size_t size;  // bytes of text taken
};
// Reads `\uXXXX` or `\UXXXXXXXX` at the start of `text`; nothing if it is not one, or names no character.
std::optional<CodepointEscape> read_codepoint_escape(std::string_view text) noexcept;

}  // namespace quadrille::sparql
