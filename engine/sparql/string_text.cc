#include "engine/model/utf8.h"
#include "engine/sparql/lexer.h"
#include "engine/sparql/source_text.h"

namespace quadrille::sparql {
namespace {

// ECHAR, section 19.7; '\0' if it is none.
char escaped_character(char c) noexcept {
  switch (c) {
    case 't': return '\t';
    case 'b': return '\b';
    case 'n': return '\n';
    case 'r': return '\r';
    case 'f': return '\f';
    case '\\':
    case '"':
    case '\'': return c;
    default: return '\0';
  }
}

}  // namespace

bool decode_string(const Token& string, std::string& out, size_t& bad_escape) {
  const std::string_view body = string.text.substr(string.split, string.text.size() - 2 * string.split);
  size_t at = 0;
  while (at < body.size()) {
    const size_t backslash = body.find('\\', at);
    if (backslash == std::string_view::npos) break;
    out.append(body.substr(at, backslash - at));
    if (const auto codepoint = read_codepoint_escape(body.substr(backslash))) {
      model::append_utf8(out, codepoint->value);
      at = backslash + codepoint->size;
      continue;
    }
    const char plain = backslash + 1 < body.size() ? escaped_character(body[backslash + 1]) : '\0';
    if (plain == '\0') {
      bad_escape = string.offset + string.split + backslash;
      return false;
    }
    out += plain;
    at = backslash + 2;
  }
  out.append(body.substr(at));
  return true;
}

}  // namespace quadrille::sparql
