#include "engine/model/inline_term.h"

#include <catch2/catch.hpp>
#include <random>

#include "engine/model/term_order.h"
#include "tests/engine/model/random_terms.h"

using namespace quadrille::model;
using quadrille::model::testing::RandomTerms;

namespace {

bool is_inlined(const std::string& text, const std::string& local_name) {
  return inline_id(RandomTerms::typed(text, local_name)).has_value();
}

// What holds of every term: it is not inlined, or comes back as itself and with its value.
void check_round_trip(const Term& term) {
  const auto id = inline_id(term);
  if (!id) return;
  INFO(to_ntriples(term));
  REQUIRE(id->is_inline());
  REQUIRE(inline_term(*id) == term);
  REQUIRE(to_term(inline_value(*id)) == to_term(value_of(term)));
}

}  // namespace

TEST_CASE("an inlined literal comes back exactly, with its value") {
  RandomTerms random(3);
  for (int i = 0; i < 50'000; ++i) check_round_trip(random.next());
}

TEST_CASE("whole numbers of any bits come back exactly as integers, decimals, doubles and moments") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t bits = random() >> (random() % 64);
    const auto whole = static_cast<int64_t>(bits);
    check_round_trip(RandomTerms::typed(std::to_string(whole), "integer"));
    check_round_trip(to_term(Value::decimal(Decimal::scaled(whole, static_cast<int>(random() % 8)))));
    check_round_trip(to_term(Value::floating(static_cast<double>(whole))));
    const Decimal ms = Decimal::scaled(whole % 400'000'000'000'000, 3);
    check_round_trip(to_term(Value::date_time({ms, std::nullopt})));
    check_round_trip(to_term(Value::date_time({ms, static_cast<int16_t>(static_cast<int>(random() % 1681) - 840)})));
    const Decimal day(whole % 4'000'000 * 86'400);
    check_round_trip(to_term(Value::date({day, static_cast<int16_t>(static_cast<int>(random() % 1681) - 840)})));
  }
}

TEST_CASE("ids of one tag order as the values do") {
  RandomTerms random(5);
  int compared = 0;
  std::vector<TermId> ids;
  for (int i = 0; i < 20'000; ++i) {
    if (const auto id = inline_id(random.next())) ids.push_back(*id);
  }
  for (TermId a : ids) {
    const TermId b = ids[random.below(ids.size())];
    if (a.tag() != b.tag() || a == b) continue;
    ++compared;
    const auto order = compare_values(inline_value(a), inline_value(b));
    INFO(to_ntriples(inline_term(a)) << " " << to_ntriples(inline_term(b)));
    if (order && *order < 0) REQUIRE(a < b);
    if (order && *order > 0) REQUIRE(a > b);
  }
  CHECK(compared > 300);
}

TEST_CASE("common literals are inlined, and other spellings of their values are not") {
  for (const char* text : {"0", "-1", "42", "-36028797018963968", "36028797018963967"})
    CHECK(is_inlined(text, "integer"));
  for (const char* text : {"01", "+1", "-0", "36028797018963968", "", "x"}) CHECK_FALSE(is_inlined(text, "integer"));
  for (const char* text : {"1", "1.0", "1.00", "-0.5", "1234.56", "0.000001"}) CHECK(is_inlined(text, "decimal"));
  for (const char* text : {".5", "1.", "-0.0", "01.0", "0.0000001", "+1.0"}) CHECK_FALSE(is_inlined(text, "decimal"));
  for (const char* text : {"1.0E0", "-2.5E-1", "INF", "-INF", "-0.0E0"}) CHECK(is_inlined(text, "double"));
  for (const char* text : {"1", "1.0e0", "1E400", "NaN", "1.0E-1"}) CHECK_FALSE(is_inlined(text, "double"));
  for (const char* text : {"2008-06-20", "0001-01-01+14:00", "9999-12-31-14:00", "2008-06-20Z", "2008-06-20+00:00"}) {
    CHECK(is_inlined(text, "date"));
  }
  for (const char* text : {"2008-06-20-00:00", "0000-01-01", "2008-6-20"}) CHECK_FALSE(is_inlined(text, "date"));
  for (const char* text : {"2008-06-20T00:00:00", "2008-06-20T00:00:00.000Z", "2008-06-20T23:59:59.999-05:30"}) {
    CHECK(is_inlined(text, "dateTime"));
  }
  for (const char* text :
       {"2008-06-20T24:00:00", "2008-06-20T00:00:00.5", "2008-06-20T00:00:00+01:07", "123456789-01-01T00:00:00"}) {
    CHECK_FALSE(is_inlined(text, "dateTime"));
  }
  CHECK(is_inlined("true", "boolean"));
  CHECK_FALSE(is_inlined("1", "boolean"));
  CHECK_FALSE(is_inlined("1", "int"));
  CHECK_FALSE(inline_id(Term::literal("1")).has_value());
}
