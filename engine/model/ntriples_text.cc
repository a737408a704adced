#include <fmt/format.h>

#include <iterator>

#include "engine/model/iri.h"
#include "engine/model/term.h"

namespace quadrille::model {
namespace {

void append_code_point_escape(std::string& out, char c) {
  fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned char>(c));
}

void append_string_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    default: append_code_point_escape(out, c);
  }
}

// Canonical N-Triples (RDF 1.1 N-Triples section 4, and errata): only what must be escaped is.
bool is_escaped_in_string(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

bool is_escaped_in_iri(char c) noexcept { return !is_iri_character(static_cast<unsigned char>(c)); }

// Copies `text`, runs of plain characters at a time.
template <class IsEscaped, class AppendEscape>
void append_escaped(std::string& out, std::string_view text, IsEscaped is_escaped, AppendEscape append_escape) {
  size_t plain_from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_escaped(text[i])) continue;
    out.append(text, plain_from, i - plain_from);
    append_escape(out, text[i]);
    plain_from = i + 1;
  }
  out.append(text, plain_from);
}

}  // namespace

void append_ntriples_iri(std::string& out, std::string_view iri) {
  out += '<';
  append_escaped(out, iri, is_escaped_in_iri, append_code_point_escape);
  out += '>';
}

void append_ntriples_string(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, is_escaped_in_string, append_string_escape);
  out += '"';
}

void append_ntriples(std::string& out, const Term& term) {
  switch (term.kind()) {
    case TermKind::Iri: return append_ntriples_iri(out, term.text());
    case TermKind::BlankNode: out.append("_:").append(term.text()); return;
    case TermKind::Literal: break;
  }
  append_ntriples_string(out, term.text());
  if (!term.language().empty()) {
    (out += '@').append(term.language());
  } else if (!term.is_plain_string()) {
    out += "^^";
    append_ntriples_iri(out, term.datatype());
  }
}

std::string to_ntriples(const Term& term) {
  std::string out;
  append_ntriples(out, term);
  return out;
}

}  // namespace quadrille::model
