#include "policies/check/value_pool.h"

#include "engine/model/value.h"
#include "engine/model/vocabulary.h"

namespace quadrille::policies::check {
namespace {

using model::Term;
namespace vocabulary = model::vocabulary;

constexpr size_t index_of(ValueFamily family) { return static_cast<size_t>(family); }

std::vector<Term> typed(std::string_view datatype, std::initializer_list<std::string_view> texts) {
  std::vector<Term> terms;
  for (const auto text : texts) terms.push_back(Term::typed_literal(std::string(text), std::string(datatype)));
  return terms;
}

std::vector<Term> moments() {
  std::vector<Term> terms = typed(vocabulary::xsd_date, {"2026-01-01", "2026-01-02Z"});
  for (Term& term : typed(vocabulary::xsd_date_time, {"2026-01-01T12:00:00", "2026-01-01T12:00:00Z",
                                                      "2026-01-01T14:00:00+02:00", "2026-01-01T12:00:00.000000001Z"})) {
    terms.push_back(std::move(term));
  }
  for (Term& term : typed(vocabulary::xsd_time, {"12:00:00"})) terms.push_back(std::move(term));
  return terms;
}

std::vector<Term> ill_formed() {
  std::vector<Term> terms = typed(vocabulary::xsd_integer, {"x", "", " 1"});
  for (Term& term : typed(vocabulary::xsd_double, {"1,5"})) terms.push_back(std::move(term));
  for (Term& term : typed(vocabulary::xsd_date, {"2026-02-30"})) terms.push_back(std::move(term));
  for (Term& term : typed(vocabulary::xsd_boolean, {"yes"})) terms.push_back(std::move(term));
  return terms;
}

bool is_big(const model::Value& value) {
  const std::string text = model::canonical_text(value);
  return text.size() > (text.starts_with('-') ? 19u : 18u);
}

}  // namespace

std::string_view name_of(ValueFamily family) {
  switch (family) {
    case ValueFamily::Integer: return "integers";
    case ValueFamily::BigInteger: return "big integers";
    case ValueFamily::Decimal: return "decimals";
    case ValueFamily::Double: return "doubles and floats";
    case ValueFamily::Boolean: return "booleans";
    case ValueFamily::Moment: return "dates and times";
    case ValueFamily::String: return "strings";
    case ValueFamily::LanguageString: return "language strings";
    case ValueFamily::Iri: return "IRIs";
    case ValueFamily::BlankNode: return "blank nodes";
    case ValueFamily::UnknownDatatype: return "unknown datatypes";
    case ValueFamily::IllFormed: return "ill-formed literals";
  }
  return "";
}

ValuePool::ValuePool() {
  const auto put = [&](ValueFamily family, std::vector<Term> terms) { terms_[index_of(family)] = std::move(terms); };
  put(ValueFamily::Integer, typed(vocabulary::xsd_integer, {"1", "2", "3", "10", "0", "-1", "-7", "01", "1000"}));
  put(ValueFamily::BigInteger, typed(vocabulary::xsd_integer, {"9223372036854775807", "9223372036854775808",
                                                               "-170141183460469231731687303715884",
                                                               "100000000000000000000000000000000000000000000000001"}));
  put(ValueFamily::Decimal,
      typed(vocabulary::xsd_decimal, {"0.5", "1.0", "0.1", "2.25", "-3.75", "0.30000000000000004"}));
  std::vector<Term> doubles =
      typed(vocabulary::xsd_double, {"0.1E0", "0.2E0", "0.7E0", "1.0E16", "-1.0E16", "3.0E0", "1.0E0", "0.0E0",
                                     "-0.0E0", "NaN", "INF", "-INF", "5.0E-324"});
  doubles.push_back(Term::typed_literal("1.5", std::string(vocabulary::xsd_float)));
  put(ValueFamily::Double, std::move(doubles));
  put(ValueFamily::Boolean, typed(vocabulary::xsd_boolean, {"true", "false", "1", "0"}));
  put(ValueFamily::Moment, moments());
  put(ValueFamily::String, typed(vocabulary::xsd_string, {"a", "b", "c", "", "B", "ab", "\xC3\xA4", "10",
                                                          "\xF0\x9F\x90\xA6", "line\nbreak", "e\xCC\x81"}));
  put(ValueFamily::LanguageString, {Term::language_literal("a", "en"), Term::language_literal("a", "de"),
                                    Term::language_literal("b", "en"), Term::language_literal("", "en-gb")});
  put(ValueFamily::Iri,
      {Term::iri("http://example.org/a"), Term::iri("http://example.org/b"), Term::iri("urn:x:\xC3\xA4")});
  put(ValueFamily::BlankNode, {Term::blank_node("b1"), Term::blank_node("b2"), Term::blank_node("b3")});
  put(ValueFamily::UnknownDatatype, typed("http://example.org/metre", {"1", "2", "x"}));
  put(ValueFamily::IllFormed, ill_formed());
}

const Term& ValuePool::at(PoolValue value) const { return terms_[index_of(value.family)][value.place]; }

uint8_t ValuePool::size_of(ValueFamily family) const { return static_cast<uint8_t>(terms_[index_of(family)].size()); }

ValueFamily family_of(const Term& term) {
  if (term.is_iri()) return ValueFamily::Iri;
  if (term.is_blank_node()) return ValueFamily::BlankNode;
  const model::Value value = model::value_of(term);
  switch (value.kind()) {
    case model::ValueKind::String: return ValueFamily::String;
    case model::ValueKind::LanguageString: return ValueFamily::LanguageString;
    case model::ValueKind::Boolean: return ValueFamily::Boolean;
    case model::ValueKind::Integer: return is_big(value) ? ValueFamily::BigInteger : ValueFamily::Integer;
    case model::ValueKind::Decimal: return ValueFamily::Decimal;
    case model::ValueKind::Float:
    case model::ValueKind::Double: return ValueFamily::Double;
    case model::ValueKind::DateTime:
    case model::ValueKind::Date:
    case model::ValueKind::Time: return ValueFamily::Moment;
    case model::ValueKind::IllFormed: return ValueFamily::IllFormed;
    default: return ValueFamily::UnknownDatatype;
  }
}

}  // namespace quadrille::policies::check
