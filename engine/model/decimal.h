// Exact decimal numbers of any size up to a limit: what xsd:decimal and xsd:integer mean.
//
// A value is mantissa * 10^-scale, kept in lowest terms. Small mantissas stay in 64 bits; others are shared,
// immutable big integers. Copies are cheap. Values are immutable in use and may be read from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace quadrille::model {

class Decimal {
 public:
  // XSD lets an implementation limit the digits (Part 2, section 5.4). More than this, before and after the point
  // together, is no number here: hostile literals of megabytes must not cost quadratic time.
  static constexpr int digits_max = 10'000;

  Decimal() noexcept = default;                           // 0
  Decimal(int64_t integer) noexcept : small_(integer) {}  // NOLINT: implicit on purpose, every integer is a decimal
  // mantissa * 10^-scale; scale >= 0
  static Decimal scaled(int64_t mantissa, int scale);
  // The lexical forms of xsd:decimal; nothing for any other text and beyond digits_max.
  static std::optional<Decimal> parse(std::string_view text);
  // Just the value of the double, not the shortest text for it. Nothing for NaN and infinities.
  static std::optional<Decimal> from_double(double number);

  bool is_zero() const noexcept { return !big_ && small_ == 0; }
  bool is_integer() const noexcept { return scale_ == 0; }
  int sign() const noexcept;                         // -1, 0, 1
  std::optional<int64_t> to_int64() const noexcept;  // nothing if it has a fraction or does not fit
  double to_double() const;                          // rounded to the nearest; infinite where too large
  float to_float() const;
  // Canonical (XSD 1.1 Part 2, decimalCanonicalMap): "-12", "0.5", never a trailing zero.
  std::string to_string() const;

  Decimal negated() const;
  Decimal truncated() const;  // towards zero
  Decimal floor() const;
  Decimal ceiling() const;
  Decimal rounded() const;  // to the nearest integer, halves up (XPath fn:round)

  friend std::strong_ordering operator<=>(const Decimal& left, const Decimal& right);
  friend bool operator==(const Decimal& left, const Decimal& right) { return (left <=> right) == 0; }

  // Nothing where the result would have more than digits_max digits.
  static std::optional<Decimal> add(const Decimal& left, const Decimal& right);
  static std::optional<Decimal> subtract(const Decimal& left, const Decimal& right);
  static std::optional<Decimal> multiply(const Decimal& left, const Decimal& right);
  // Nothing for a division by zero. Rounded (halves away from zero) to at least 18 digits after the point and at least
  // 20 significant ones; exact where that is enough.
  static std::optional<Decimal> divide(const Decimal& left, const Decimal& right);

 private:
  struct Big;  // a big integer; keeps its header out of this one
  static Decimal from_big(Big mantissa, int scale);
  static std::optional<Decimal> limited(Decimal result);
  static Decimal sum(const Decimal& left, const Decimal& right);  // of any size
  Big mantissa_at(int scale) const;                               // mantissa for this larger scale
  int digit_count() const;

  int64_t small_ = 0;  // the mantissa, unless big_
  int scale_ = 0;
  std::shared_ptr<const Big> big_;  // only for a mantissa that does not fit in 64 bits
};

}  // namespace quadrille::model
