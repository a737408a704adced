// Hexadecimal digits, as escapes in RDF, SPARQL and URLs write them.
#pragma once

namespace quadrille::model {

// The value of a digit in either case; -1 if it is none.
constexpr int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace quadrille::model
