#include "engine/model/decimal.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace quadrille::model {
namespace {

// Without expression templates: those keep references to temporaries, and `auto` would make them dangle.
using cpp_int = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;
__extension__ typedef __int128 Int128;

constexpr auto powers_of_ten = [] {
  std::array<int64_t, 19> powers{};
  int64_t power = 1;
  for (auto& entry : powers) {
    entry = power;
    if (&entry != &powers.back()) power *= 10;
  }
  return powers;
}();
constexpr int small_power_max = 18;  // also: this many digits always fit in 64 bits

cpp_int power_of_ten(int exponent) {
  if (exponent <= small_power_max) return powers_of_ten[static_cast<size_t>(exponent)];
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

template <class Float>
Float parse_float(const std::string& text, size_t integer_digits) {
  Float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    number = integer_digits > 1 ? std::numeric_limits<Float>::infinity() : Float{0};
    if (text.front() == '-') number = -number;
  }
  return number;
}

}  // namespace

struct Decimal::Big {
  cpp_int value;
};

Decimal Decimal::from_big(Big mantissa, int scale) {
  cpp_int& value = mantissa.value;
  cpp_int quotient, remainder;
  for (int step : {small_power_max, 1}) {
    const cpp_int divisor = power_of_ten(step);
    while (scale >= step && !value.is_zero()) {
      boost::multiprecision::divide_qr(value, divisor, quotient, remainder);
      if (!remainder.is_zero()) break;
      value.swap(quotient);
      scale -= step;
    }
  }
  Decimal result;
  result.scale_ = value.is_zero() ? 0 : scale;
  if (value >= std::numeric_limits<int64_t>::min() && value <= std::numeric_limits<int64_t>::max()) {
    result.small_ = static_cast<int64_t>(value);
  } else {
    result.big_ = std::make_shared<const Big>(std::move(mantissa));
  }
  return result;
}

Decimal Decimal::scaled(int64_t mantissa, int scale) {
  Decimal result(mantissa);
  if (mantissa == 0) return result;
  while (scale > 0 && result.small_ % 10 == 0) {
    result.small_ /= 10;
    --scale;
  }
  result.scale_ = scale;
  return result;
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  const size_t point = text.find('.');
  std::string_view integer = text.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (integer.empty() && fraction.empty()) return std::nullopt;
  if (!all_digits(integer) || !all_digits(fraction)) return std::nullopt;
  integer.remove_prefix(std::min(integer.find_first_not_of('0'), integer.size()));
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  if (integer.size() + fraction.size() > static_cast<size_t>(digits_max)) return std::nullopt;
  const int scale = static_cast<int>(fraction.size());
  if (integer.size() + fraction.size() <= static_cast<size_t>(small_power_max)) {
    int64_t mantissa = 0;
    for (char c : integer) mantissa = mantissa * 10 + (c - '0');
    for (char c : fraction) mantissa = mantissa * 10 + (c - '0');
    return scaled(negative ? -mantissa : mantissa, scale);
  }
  std::string digits = std::string(integer) + std::string(fraction);
  digits.erase(0, digits.find_first_not_of('0'));  // a leading zero would mean octal
  cpp_int mantissa(digits);
  if (negative) mantissa = -mantissa;
  return from_big({std::move(mantissa)}, scale);
}

std::optional<Decimal> Decimal::from_double(double number) {
  if (!std::isfinite(number)) return std::nullopt;
  int exponent = 0;
  int64_t mantissa = static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), 53));
  exponent -= 53;
  if (mantissa == 0) return Decimal();
  const int zeros = __builtin_ctzll(static_cast<uint64_t>(mantissa));
  mantissa >>= zeros;
  exponent += zeros;
  if (exponent >= 0) return from_big({cpp_int(mantissa) << static_cast<unsigned>(exponent)}, 0);
  // m / 2^k = m * 5^k / 10^k
  const cpp_int five_power = boost::multiprecision::pow(cpp_int(5), static_cast<unsigned>(-exponent));
  return from_big({cpp_int(mantissa) * five_power}, -exponent);
}

int Decimal::sign() const noexcept {
  if (big_) return big_->value.sign();
  return (small_ > 0) - (small_ < 0);
}

std::optional<int64_t> Decimal::to_int64() const noexcept {
  if (big_ || scale_ != 0) return std::nullopt;
  return small_;
}

double Decimal::to_double() const {
  // Both operands are exact in a double, so that one correctly rounded division is the correct result.
  if (!big_ && std::abs(static_cast<double>(small_)) < 9007199254740992.0 && scale_ <= small_power_max) {
    return static_cast<double>(small_) / static_cast<double>(powers_of_ten[static_cast<size_t>(scale_)]);
  }
  const std::string text = to_string();
  return parse_float<double>(text, std::min(text.find('.'), text.size()) - (text.front() == '-'));
}

float Decimal::to_float() const {
  const std::string text = to_string();
  return parse_float<float>(text, std::min(text.find('.'), text.size()) - (text.front() == '-'));
}

std::string Decimal::to_string() const {
  std::string digits = big_ ? big_->value.str() : std::to_string(small_);
  if (scale_ == 0) return digits;
  const size_t start = digits.front() == '-' ? 1 : 0;
  const size_t scale = static_cast<size_t>(scale_);
  if (digits.size() - start <= scale) digits.insert(start, scale + 1 - (digits.size() - start), '0');
  digits.insert(digits.size() - scale, 1, '.');
  return digits;
}

Decimal::Big Decimal::mantissa_at(int scale) const {
  Big result{big_ ? big_->value : cpp_int(small_)};
  if (scale > scale_) result.value *= power_of_ten(scale - scale_);
  return result;
}

int Decimal::digit_count() const {
  if (!big_) return std::max(small_power_max + 1, scale_);
  // 2^(n-1) <= value < 2^n; log10(2) = 0.30103. At most one too many.
  const cpp_int magnitude = boost::multiprecision::abs(big_->value);
  return std::max(static_cast<int>((static_cast<double>(msb(magnitude)) + 1) * 0.30103) + 1, scale_);
}

std::optional<Decimal> Decimal::limited(Decimal result) {
  if (result.digit_count() > digits_max + 1) return std::nullopt;
  return result;
}

Decimal Decimal::negated() const {
  if (!big_ && small_ != std::numeric_limits<int64_t>::min()) {
    Decimal result = *this;
    result.small_ = -small_;
    return result;
  }
  Big mantissa = mantissa_at(scale_);
  mantissa.value = -mantissa.value;
  return from_big(std::move(mantissa), scale_);
}

Decimal Decimal::truncated() const {
  if (scale_ == 0) return *this;
  if (!big_)
    return scale_ <= small_power_max ? Decimal(small_ / powers_of_ten[static_cast<size_t>(scale_)]) : Decimal();
  return from_big({big_->value / power_of_ten(scale_)}, 0);
}

Decimal Decimal::floor() const {
  const Decimal whole = truncated();
  return sign() < 0 && scale_ != 0 ? sum(whole, -1) : whole;
}

Decimal Decimal::ceiling() const {
  const Decimal whole = truncated();
  return sign() > 0 && scale_ != 0 ? sum(whole, 1) : whole;
}

Decimal Decimal::rounded() const { return scale_ == 0 ? *this : sum(*this, scaled(5, 1)).floor(); }

std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) {
  if (left.sign() != right.sign()) return left.sign() <=> right.sign();
  if (!left.big_ && !right.big_) {
    const int difference = left.scale_ - right.scale_;
    if (difference == 0) return left.small_ <=> right.small_;
    if (std::abs(difference) <= small_power_max) {
      const Int128 power = powers_of_ten[static_cast<size_t>(std::abs(difference))];
      const Int128 a = difference < 0 ? left.small_ * power : Int128{left.small_};
      const Int128 b = difference > 0 ? right.small_ * power : Int128{right.small_};
      return a < b ? std::strong_ordering::less : a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
    }
  }
  const int scale = std::max(left.scale_, right.scale_);
  const int order = left.mantissa_at(scale).value.compare(right.mantissa_at(scale).value);
  return order <=> 0;
}

Decimal Decimal::sum(const Decimal& left, const Decimal& right) {
  int64_t mantissa = 0;
  if (!left.big_ && !right.big_ && left.scale_ == right.scale_ &&
      !__builtin_add_overflow(left.small_, right.small_, &mantissa)) {
    return scaled(mantissa, left.scale_);
  }
  const int scale = std::max(left.scale_, right.scale_);
  return from_big({left.mantissa_at(scale).value + right.mantissa_at(scale).value}, scale);
}

std::optional<Decimal> Decimal::add(const Decimal& left, const Decimal& right) { return limited(sum(left, right)); }

std::optional<Decimal> Decimal::subtract(const Decimal& left, const Decimal& right) {
  return add(left, right.negated());
}

std::optional<Decimal> Decimal::multiply(const Decimal& left, const Decimal& right) {
  const int scale = left.scale_ + right.scale_;
  int64_t product = 0;
  if (!left.big_ && !right.big_ && !__builtin_mul_overflow(left.small_, right.small_, &product)) {
    return limited(scaled(product, scale));
  }
  return limited(from_big({left.mantissa_at(left.scale_).value * right.mantissa_at(right.scale_).value}, scale));
}

std::optional<Decimal> Decimal::divide(const Decimal& left, const Decimal& right) {
  if (right.is_zero()) return std::nullopt;
  const cpp_int dividend = left.mantissa_at(left.scale_).value;
  const cpp_int divisor = right.mantissa_at(right.scale_).value;
  const auto digits = [](const cpp_int& value) {
    return static_cast<int>(value.str().size()) - (value.sign() < 0 ? 1 : 0);
  };
  // The quotient of the mantissas has the scale left - right; `shift` more digits are computed.
  const int scale = left.scale_ - right.scale_;
  const int wanted = std::max({0, 18 - scale, 21 + digits(divisor) - digits(dividend)});
  const int shift = std::min(wanted, digits_max - scale);
  cpp_int quotient, remainder;
  boost::multiprecision::divide_qr(cpp_int(dividend * power_of_ten(shift)), divisor, quotient, remainder);
  if (boost::multiprecision::abs(remainder) * 2 >= boost::multiprecision::abs(divisor)) {
    quotient += dividend.sign() * divisor.sign();
  }
  return limited(from_big({std::move(quotient)}, scale + shift));
}

}  // namespace quadrille::model
