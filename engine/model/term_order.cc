#include "engine/model/term_order.h"

#include <cmath>
#include <utility>

namespace quadrille::model {
namespace {

std::strong_ordering compare_bytes(std::string_view left, std::string_view right) { return left.compare(right) <=> 0; }

// Neither is NaN. -0.0 and 0.0 are equal here.
std::strong_ordering compare_doubles(double left, double right) {
  return left < right   ? std::strong_ordering::less
         : left > right ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

// By exact value. Rounding to a double keeps the order, so that only what rounds to the very number needs more.
std::strong_ordering compare_mixed(const Decimal& exact, double floating) {
  const auto rough = compare_doubles(exact.to_double(), floating);
  if (rough != 0) return rough;
  if (std::isinf(floating)) return floating > 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return exact <=> *Decimal::from_double(floating);
}

std::strong_ordering compare_numbers(const Value& left, const Value& right) {
  if (left.is_exact() && right.is_exact()) return left.decimal() <=> right.decimal();
  const bool left_nan = !left.is_exact() && std::isnan(left.floating());
  const bool right_nan = !right.is_exact() && std::isnan(right.floating());
  if (left_nan || right_nan) return right_nan <=> left_nan;
  if (left.is_exact()) return compare_mixed(left.decimal(), right.floating());
  if (right.is_exact()) return 0 <=> compare_mixed(right.decimal(), left.floating());
  return compare_doubles(left.floating(), right.floating());
}

}  // namespace

OrderedTerm::Rank OrderedTerm::rank_of(const Term& term, ValueKind kind) noexcept {
  switch (kind) {
    case ValueKind::None: return term.is_iri() ? Rank::Iri : Rank::BlankNode;
    case ValueKind::Boolean: return Rank::Boolean;
    case ValueKind::Integer:
    case ValueKind::Decimal:
    case ValueKind::Float:
    case ValueKind::Double: return Rank::Number;
    case ValueKind::DateTime: return Rank::DateTime;
    case ValueKind::Date: return Rank::Date;
    case ValueKind::Time: return Rank::Time;
    case ValueKind::DayTimeDuration: return Rank::Duration;
    case ValueKind::String: return Rank::String;
    case ValueKind::LanguageString: return Rank::LanguageString;
    case ValueKind::IllFormed:
    case ValueKind::Unknown: break;
  }
  return Rank::Other;
}

OrderedTerm::OrderedTerm(Term term) : term_(std::move(term)) {
  if (term_.is_plain_string()) {
    rank_ = Rank::String;
  } else if (!term_.language().empty()) {
    rank_ = Rank::LanguageString;
  } else {
    value_ = value_of(term_);
    rank_ = rank_of(term_, value_.kind());
  }
}

std::strong_ordering operator<=>(const OrderedTerm& left, const OrderedTerm& right) {
  using Rank = OrderedTerm::Rank;
  if (left.rank_ != right.rank_) return left.rank_ <=> right.rank_;
  std::strong_ordering by_value = std::strong_ordering::equal;
  switch (left.rank_) {
    case Rank::Boolean: by_value = left.value_.boolean() <=> right.value_.boolean(); break;
    case Rank::Number: by_value = compare_numbers(left.value_, right.value_); break;
    case Rank::DateTime:
    case Rank::Date:
    case Rank::Time: by_value = left.value_.moment().instant() <=> right.value_.moment().instant(); break;
    case Rank::Duration: by_value = left.value_.decimal() <=> right.value_.decimal(); break;
    case Rank::BlankNode:
    case Rank::Iri:
    case Rank::String:
    case Rank::LanguageString: by_value = compare_bytes(left.term_.text(), right.term_.text()); break;
    case Rank::Other: break;
  }
  if (by_value != 0) return by_value;
  if (const auto order = compare_bytes(left.term_.datatype(), right.term_.datatype()); order != 0) return order;
  if (const auto order = compare_bytes(left.term_.text(), right.term_.text()); order != 0) return order;
  return compare_bytes(left.term_.language(), right.term_.language());
}

std::strong_ordering compare_terms(const Term& left, const Term& right) {
  return OrderedTerm(left) <=> OrderedTerm(right);
}

}  // namespace quadrille::model
