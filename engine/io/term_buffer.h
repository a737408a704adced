// A term under construction, whose strings are used again and again.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/term.h"
#include "engine/model/term_view.h"

namespace quadrille::io {

struct TermBuffer {
  model::TermKind kind = model::TermKind::Iri;
  std::string text;
  std::string qualifier;

  model::TermView view() const noexcept { return {kind, text, qualifier}; }
  void set_iri(std::string_view iri) { set(model::TermKind::Iri, iri, {}); }
  void set_blank_node(std::string_view label) { set(model::TermKind::BlankNode, label, {}); }
  void set_literal(std::string_view lexical_form, std::string_view datatype_or_language) {
    set(model::TermKind::Literal, lexical_form, datatype_or_language);
  }
  void set(model::TermKind new_kind, std::string_view new_text, std::string_view new_qualifier) {
    kind = new_kind;
    text.assign(new_text);
    qualifier.assign(new_qualifier);
  }
};

}  // namespace quadrille::io
