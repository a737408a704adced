#include <fmt/format.h>

#include <iterator>

#include "engine/model/term.h"

namespace quadrille::model {
namespace {

// Canonical N-Triples (RDF 1.1 N-Triples section 4, and errata): only what must be escaped is.
void append_escaped(std::string& out, std::string_view text) {
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
}

}  // namespace

std::string to_ntriples(const Term& term) {
  std::string out;
  switch (term.kind()) {
    case TermKind::Iri: return "<" + term.text() + ">";
    case TermKind::BlankNode: return "_:" + term.text();
    case TermKind::Literal: break;
  }
  out += '"';
  append_escaped(out, term.text());
  out += '"';
  if (!term.language().empty()) {
    out += '@';
    out += term.language();
  } else if (!term.is_plain_string()) {
    out += "^^<";
    out += term.datatype();
    out += '>';
  }
  return out;
}

}  // namespace quadrille::model
