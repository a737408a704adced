// = != < <= > >= and sameTerm. Ids decide where they can, without a look at the dictionary.
#include "engine/exec/call.h"
#include "engine/model/inline_term.h"

namespace quadrille::exec {

using model::TermTag;
using sparql::Function;

namespace {

bool is_resource(TermId id) { return id.tag() == TermTag::Iri || id.tag() == TermTag::BlankNode; }

// Dates or times that both have a time zone, or both have none, order as their instants, which the ids hold.
std::optional<std::strong_ordering> compare_moments(TermId left, TermId right) {
  const uint64_t variants =
      left.tag() == TermTag::Date ? model::inline_date_variants : model::inline_date_time_variants;
  const auto has_zone = [&](TermId id) {
    const uint64_t variant = id.payload() % variants;
    return (left.tag() == TermTag::Date ? variant : variant / 2) != 0;
  };
  if (has_zone(left) != has_zone(right)) return std::nullopt;
  return left.payload() / variants <=> right.payload() / variants;
}

// Where ids of one tag order as their values do and equal values have ids that differ only in how they are written.
std::optional<std::strong_ordering> compare_inline(TermId left, TermId right) {
  if (left.tag() != right.tag()) return std::nullopt;
  switch (left.tag()) {
    case TermTag::Integer:
    case TermTag::Boolean: return left.payload() <=> right.payload();
    case TermTag::Decimal: return left.payload() >> 3 <=> right.payload() >> 3;
    case TermTag::Date:
    case TermTag::DateTime: return compare_moments(left, right);
    default: return std::nullopt;
  }
}

}  // namespace

Truth equal(TermId left, TermId right, const TransientTerms& terms) {
  if (!left.is_bound() || !right.is_bound()) return Truth::Error;
  if (left == right && (is_resource(left) || left.tag() == TermTag::Integer)) return Truth::True;
  if (left != right && (is_resource(left) || is_resource(right)) && !left.is_transient() && !right.is_transient()) {
    return Truth::False;
  }
  if (const auto order = compare_inline(left, right)) return *order == 0 ? Truth::True : Truth::False;
  const auto same = model::equal_terms(terms.term(left), terms.term(right));
  return !same ? Truth::Error : *same ? Truth::True : Truth::False;
}

std::optional<std::partial_ordering> compare(TermId left, TermId right, const TransientTerms& terms) {
  if (!left.is_bound() || !right.is_bound()) return std::nullopt;
  if (const auto order = compare_inline(left, right)) return *order;
  return model::compare_values(terms.value(left), terms.value(right));
}

namespace {

template <class Test>
ExpressionPointer ordering(Arguments& arguments, RunState& run, Test test) {
  return per_row<2>(std::move(arguments), [&terms = run.terms, test](TermId left, TermId right) {
    const auto order = compare(left, right, terms);
    return order ? boolean_id(test(*order)) : TermId();
  });
}

}  // namespace

ExpressionPointer make_comparison_call(Function function, Arguments& arguments, RunState& run) {
  auto& terms = run.terms;
  switch (function) {
    case Function::Equal:
      return per_row<2>(std::move(arguments),
                        [&terms](TermId left, TermId right) { return truth_id(equal(left, right, terms)); });
    case Function::NotEqual:
      return per_row<2>(std::move(arguments), [&terms](TermId left, TermId right) {
        const Truth truth = equal(left, right, terms);
        return truth == Truth::Error ? TermId() : boolean_id(truth == Truth::False);
      });
    case Function::Less: return ordering(arguments, run, [](auto order) { return order < 0; });
    case Function::LessOrEqual: return ordering(arguments, run, [](auto order) { return order <= 0; });
    case Function::Greater: return ordering(arguments, run, [](auto order) { return order > 0; });
    case Function::GreaterOrEqual: return ordering(arguments, run, [](auto order) { return order >= 0; });
    case Function::SameTerm:
      return per_row<2>(std::move(arguments), [&terms](TermId left, TermId right) {
        return boolean_id(terms.keep(left) == terms.keep(right));
      });
    default: return nullptr;
  }
}

}  // namespace quadrille::exec
