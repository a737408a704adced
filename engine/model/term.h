// An RDF 1.1 term as text: an IRI, a blank node or a literal. https://www.w3.org/TR/rdf11-concepts/#section-rdf-graph
//
// Terms are values. Two terms are equal when RDF says that they are the same term: "01"^^xsd:integer and
// "1"^^xsd:integer are different terms. Language tags are kept in lower case (RDF 1.1 section 3.3 allows it).
// A Term does not check its text: parsers do, once, where text enters the system.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace quadrille::model {

enum class TermKind : uint8_t { BlankNode = 0, Iri = 1, Literal = 2 };

class Term {
 public:
  static Term iri(std::string iri);
  // A label without the leading "_:". Labels are global: the same label is the same node at every site.
  static Term blank_node(std::string label);
  static Term literal(std::string lexical_form);  // xsd:string
  // `datatype` xsd:string gives the same term as literal(lexical_form).
  static Term typed_literal(std::string lexical_form, std::string datatype);
  static Term language_literal(std::string lexical_form, std::string language_tag);

  TermKind kind() const noexcept { return kind_; }
  bool is_iri() const noexcept { return kind_ == TermKind::Iri; }
  bool is_blank_node() const noexcept { return kind_ == TermKind::BlankNode; }
  bool is_literal() const noexcept { return kind_ == TermKind::Literal; }

  // The IRI, the label, or the lexical form.
  const std::string& text() const noexcept { return text_; }
  // Literals only; the full IRI, also for xsd:string and rdf:langString. Empty for other kinds.
  std::string_view datatype() const noexcept;
  // Empty unless the literal has a language tag.
  std::string_view language() const noexcept;
  bool is_plain_string() const noexcept { return is_literal() && qualifier_.empty(); }

  // By kind, text, and qualifier, bytewise. A total order that agrees with ==, of no meaning to users;
  // the order that SPARQL and the policies speak of is in term_order.h.
  friend auto operator<=>(const Term&, const Term&) = default;
  friend bool operator==(const Term&, const Term&) = default;

 private:
  Term(TermKind kind, std::string text, std::string qualifier);

  TermKind kind_;
  std::string text_;
  std::string qualifier_;  // a datatype IRI, or '@' and a language tag, or empty (xsd:string, or no literal)
};

// The term as N-Triples writes it (https://www.w3.org/TR/n-triples/), canonical escapes. What may not stand in an IRI
// is escaped too, should an unchecked term hold it: no term can break out of its brackets.
std::string to_ntriples(const Term& term);
void append_ntriples(std::string& out, const Term& term);
// The pieces: <iri>, and a literal's text in quotation marks.
void append_ntriples_iri(std::string& out, std::string_view iri);
void append_ntriples_string(std::string& out, std::string_view text);

}  // namespace quadrille::model
