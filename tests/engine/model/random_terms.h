// Terms that are chosen to lie close together: many spellings of few values, near the limits of types.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/model/term.h"
#include "engine/model/vocabulary.h"

namespace quadrille::model::testing {

class RandomTerms {
 public:
  explicit RandomTerms(uint64_t seed) : random_(seed) {}

  Term next() {
    switch (below(14)) {
      case 0: return Term::blank_node("b" + text());
      case 1: return Term::iri("urn:" + text());
      case 2: return Term::literal(text());
      case 3: return Term::language_literal(text(), pick({"en", "en-gb", "fr"}));
      case 4: return Term::typed_literal(text(), "urn:type" + text());
      case 5: return typed(pick({"true", "false", "1", "0", "maybe"}), "boolean");
      case 6: return typed(moment(), pick({"dateTime", "date", "time"}));
      case 7: return typed(date(), "date");
      case 8: return typed(pick({"PT1S", "-PT1S", "PT60S", "PT1M", "P1D", "PT24H", "PT1.0S", "P"}), "dayTimeDuration");
      default: return typed(number(), pick({"integer", "decimal", "double", "float", "int", "byte", "double"}));
    }
  }

  uint64_t below(uint64_t bound) { return random_() % bound; }
  std::string pick(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }
  static Term typed(std::string text, const std::string& local_name) {
    return Term::typed_literal(std::move(text), std::string(vocabulary::xsd) + local_name);
  }

  std::string text() { return pick({"", "a", "b", "ab", "a\xC3\xA9", "z", "\xF0\x9F\x98\x80", "\xEF\xBF\xBD"}); }

  // Numbers of several types of which many round to the same double.
  Term close_number() {
    const std::string whole = std::to_string(9007199254740990u + below(6));
    switch (below(3)) {
      case 0: return typed(whole, "integer");
      case 1: return typed(whole + pick({".0", ".5"}), "decimal");
      default: return typed(whole, "double");
    }
  }

  std::string number() {
    const std::string sign = pick({"", "", "-", "+"});
    switch (below(6)) {
      case 0: return pick({"NaN", "INF", "-INF", "1E400", "-1E400", "5e-324", "0", "-0", "-0.0E0", "0.0"});
      case 1:  // around 2^53, where doubles begin to skip integers
        return sign + std::to_string(9007199254740990u + below(6)) + pick({"", "", ".0", ".5", "E0"});
      case 2: return sign + pick({"0.1", "0.10", ".1", "1E-1", "0.1000000000000000055511151231257827", "0.100000001"});
      case 3:
        return sign + pick({"0", "00", ""}) + std::to_string(below(4)) + pick({"", ".0", ".00", ".5", "E0", "e1"});
      case 4: return sign + pick({"16777216", "16777217", "16777218", "36028797018963967", "36028797018963968"});
      default: return sign + std::to_string(random_()) + pick({"", "00000000000000000000", ".25", "E3", ".123456"});
    }
  }

  std::string date() {
    return pick({"2024-02-29", "2024-03-01", "0001-01-01", "9999-12-31", "-0001-01-01", "12024-01-01", "0000-01-01",
                 "1969-12-31"}) +
           zone();
  }

  std::string moment() {
    return date().substr(0, 10) + "T" + pick({"00:00:00", "24:00:00", "23:59:59", "12:30:00"}) +
           pick({"", "", ".5", ".500", ".000", ".123", ".1234"}) + zone();
  }

  std::string zone() {
    return pick({"", "", "Z", "+00:00", "-00:00", "+14:00", "-14:00", "-12:00", "+05:30", "+01:07"});
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace quadrille::model::testing
