// The 64-bit name of a term inside one store, and of nothing outside it: ids never leave a site.
//
// The highest byte is a tag that says what kind of term it is without looking it up; the other 56 bits are either the
// value itself (small integers, booleans, dates ...: inline_term.h) or a number that the dictionary gave.
// Within one tag of inline values, ids order as the values do.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace quadrille::model {

enum class TermTag : uint8_t {
  None = 0,       // unbound; the default graph
  Iri = 1,        // in the dictionary
  BlankNode = 2,  // in the dictionary
  Literal = 3,    // in the dictionary
  Boolean = 16,   // inline from here
  Integer = 17,
  Decimal = 18,
  Double = 19,
  Date = 20,
  DateTime = 21,
  Transient = 255,  // made by a running query, known to it alone; never stored
};

class TermId {
 public:
  constexpr TermId() noexcept = default;  // unbound
  constexpr explicit TermId(uint64_t bits) noexcept : bits_(bits) {}
  constexpr TermId(TermTag tag, uint64_t payload) noexcept
      : bits_(static_cast<uint64_t>(tag) << payload_bits | (payload & payload_mask)) {}

  // The graph of quads that are in no named graph. Never equal to an unbound id.
  static constexpr TermId default_graph() noexcept { return TermId(TermTag::None, 1); }

  constexpr uint64_t bits() const noexcept { return bits_; }
  constexpr TermTag tag() const noexcept { return static_cast<TermTag>(bits_ >> payload_bits); }
  constexpr uint64_t payload() const noexcept { return bits_ & payload_mask; }
  constexpr bool is_bound() const noexcept { return bits_ != 0; }
  constexpr bool is_inline() const noexcept { return tag() >= TermTag::Boolean && tag() < TermTag::Transient; }
  constexpr bool is_literal() const noexcept { return tag() == TermTag::Literal || is_inline(); }
  constexpr bool is_transient() const noexcept { return tag() == TermTag::Transient; }

  friend constexpr auto operator<=>(TermId, TermId) noexcept = default;

  static constexpr int payload_bits = 56;
  static constexpr uint64_t payload_mask = (uint64_t{1} << payload_bits) - 1;

 private:
  uint64_t bits_ = 0;
};
static_assert(sizeof(TermId) == 8);

}  // namespace quadrille::model

template <>
struct std::hash<quadrille::model::TermId> {
  size_t operator()(quadrille::model::TermId id) const noexcept {
    uint64_t x = id.bits() * 0x9E3779B97F4A7C15u;  // Fibonacci hashing: ids are dense, their low bits alone collide
    return static_cast<size_t>(x ^ (x >> 32));
  }
};
