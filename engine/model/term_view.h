// Terms and quads as views into somebody's text: what parsers hand out millions of times a second.
//
// The same invariants as a Term: xsd:string is no qualifier, language tags are in lower case, texts are checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/quad.h"
#include "engine/model/term.h"

namespace quadrille::model {

// Valid only as long as the text behind it; whoever hands one out says how long that is.
struct TermView {
  TermKind kind = TermKind::Iri;
  std::string_view text;       // the IRI, the label, or the lexical form
  std::string_view qualifier;  // a datatype IRI, or '@' and a language tag, or empty

  Term to_term() const {
    if (kind == TermKind::Iri) return Term::iri(std::string(text));
    if (kind == TermKind::BlankNode) return Term::blank_node(std::string(text));
    if (qualifier.empty()) return Term::literal(std::string(text));
    if (qualifier.front() == '@') return Term::language_literal(std::string(text), std::string(qualifier.substr(1)));
    return Term::typed_literal(std::string(text), std::string(qualifier));
  }
  friend bool operator==(const TermView&, const TermView&) = default;
};

// No graph means the default graph.
struct TermQuadView {
  TermView subject;
  TermView predicate;
  TermView object;
  std::optional<TermView> graph;

  TermQuad to_quad() const {
    return {subject.to_term(), predicate.to_term(), object.to_term(),
            graph ? std::optional<Term>(graph->to_term()) : std::nullopt};
  }
};

}  // namespace quadrille::model
