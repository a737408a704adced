#include "engine/model/term_order.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/engine/model/random_terms.h"

using namespace quadrille::model;
using quadrille::model::testing::RandomTerms;

TEST_CASE("the order of terms is total, antisymmetric and transitive") {
  RandomTerms random(1);
  for (int round = 0; round < 20'000; ++round) {
    const auto next = [&] { return round % 4 == 0 ? random.close_number() : random.next(); };
    const Term a = next(), b = next(), c = next();
    const auto ab = compare_terms(a, b), bc = compare_terms(b, c), ac = compare_terms(a, c);
    INFO(to_ntriples(a) << " " << to_ntriples(b) << " " << to_ntriples(c));
    REQUIRE((ab == 0) == (a == b));
    REQUIRE((compare_terms(b, a) == (0 <=> ab)));
    if (ab <= 0 && bc <= 0) REQUIRE((ac <= 0));
    if (ab >= 0 && bc >= 0) REQUIRE((ac >= 0));
  }
}

TEST_CASE("the order of terms never contradicts SPARQL's operator <") {
  RandomTerms random(2);
  int compared = 0;
  for (int round = 0; round < 50'000; ++round) {
    const Term a = random.next(), b = random.next();
    const auto by_value = compare_values(value_of(a), value_of(b));
    if (!by_value || *by_value == std::partial_ordering::unordered) continue;
    ++compared;
    INFO(to_ntriples(a) << " " << to_ntriples(b));
    if (*by_value < 0) REQUIRE((compare_terms(a, b) < 0));
    if (*by_value > 0) REQUIRE((compare_terms(a, b) > 0));
  }
  CHECK(compared > 2'000);
}

TEST_CASE("terms stand in the documented order") {
  const auto typed = &RandomTerms::typed;
  const std::vector<Term> ordered = {
      Term::blank_node("z"),
      Term::iri("urn:a"),
      Term::iri("urn:b"),
      typed("false", "boolean"),
      typed("true", "boolean"),
      typed("NaN", "double"),
      typed("-INF", "double"),
      typed("-9007199254740993", "integer"),
      typed("-9007199254740992", "double"),
      typed("0", "integer"),
      typed("0.1", "decimal"),
      typed("0.1", "double"),   // which is a little more than 0.1
      typed("0.1", "float"),    // and this more than that
      typed("1.0", "decimal"),  // equal values: by datatype
      typed("01", "integer"),   // then by text
      typed("1", "integer"),
      typed("9007199254740992", "double"),
      typed("9007199254740993", "integer"),
      typed("1" + std::string(400, '0'), "integer"),
      typed("INF", "float"),
      typed("2024-01-01T00:00:00+01:00", "dateTime"),
      typed("2024-01-01T00:00:00", "dateTime"),
      typed("2024-01-01T00:00:00Z", "dateTime"),
      typed("2024-01-01", "date"),
      typed("12:00:00", "time"),
      typed("PT1S", "dayTimeDuration"),
      Term::literal("a"),
      Term::literal("\xEF\xBF\xBD"),      // U+FFFD
      Term::literal("\xF0\x9F\x98\x80"),  // U+1F600
      Term::language_literal("a", "en"),
      Term::language_literal("a", "fr"),
      Term::language_literal("b", "en"),
      typed("x", "integer"),
      Term::typed_literal("a", "urn:t"),
  };
  for (size_t i = 0; i + 1 < ordered.size(); ++i) {
    INFO(to_ntriples(ordered[i]) << " " << to_ntriples(ordered[i + 1]));
    CHECK((compare_terms(ordered[i], ordered[i + 1]) < 0));
  }
}
