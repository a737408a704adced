// One total order over all RDF terms: for ORDER BY, MIN and MAX, and for the policies that compare values.
//
// It agrees with SPARQL 1.1 section 15.1 and its operator < wherever those say anything, and says the rest:
//   blank nodes < IRIs < literals (what is unbound comes before all; that is for the caller);
//   literals: booleans, numbers, dateTimes, dates, times, durations, strings, strings with a language, all others
//   (unknown datatypes and text that its datatype does not allow);
//   numbers by exact value over all their types, NaN before -INF;
//   moments by instant, as if in UTC where they have no time zone;
//   text by code point; strings with a language by text, then by language; all others by datatype, then by text.
// What is equal so far (1 and 01 and 1.0, the same instant in two time zones) goes by datatype IRI, then by text.
// Only identical terms are equal. The same on every site, for ever: policies rest on it.
#pragma once

#include <compare>

#include "engine/model/term.h"
#include "engine/model/value.h"

namespace quadrille::model {

std::strong_ordering compare_terms(const Term& left, const Term& right);

// A term with its value parsed once, for sorting many.
class OrderedTerm {
 public:
  explicit OrderedTerm(Term term);
  const Term& term() const noexcept { return term_; }

  friend std::strong_ordering operator<=>(const OrderedTerm& left, const OrderedTerm& right);
  friend bool operator==(const OrderedTerm& left, const OrderedTerm& right) { return left.term_ == right.term_; }

 private:
  enum class Rank : uint8_t {
    BlankNode,
    Iri,
    Boolean,
    Number,
    DateTime,
    Date,
    Time,
    Duration,
    String,
    LanguageString,
    Other
  };
  static Rank rank_of(const Term& term, ValueKind kind) noexcept;

  Term term_;
  Value value_;  // of what is compared by value; strings are not copied
  Rank rank_;
};

}  // namespace quadrille::model
