#include "engine/load/term_table.h"

#include <catch2/catch.hpp>

#include "engine/load/term_rows.h"
#include "engine/model/vocabulary.h"

using namespace quadrille;
using namespace quadrille::load;
using model::TermId;
using model::TermKind;
using model::TermTag;

TEST_CASE("each term of a part has one number, and inline terms have their id") {
  TermRows terms(1);
  const auto a = terms.number_of({TermKind::Iri, "urn:a", {}});
  const auto text = terms.number_of({TermKind::Literal, "urn:a", {}});
  const auto blank = terms.number_of({TermKind::BlankNode, "urn:a", {}});
  const auto english = terms.number_of({TermKind::Literal, "urn:a", "@en"});
  const auto typed = terms.number_of({TermKind::Literal, "urn:a", "urn:t"});
  const auto one = terms.number_of({TermKind::Literal, "1", model::vocabulary::xsd_integer});
  const auto odd_one = terms.number_of({TermKind::Literal, "01", model::vocabulary::xsd_integer});
  CHECK(terms.size() == 7);
  CHECK(terms.number_of({TermKind::Iri, "urn:a", {}}) == a);
  CHECK(terms.number_of({TermKind::Literal, "urn:a", {}}) == text);
  CHECK(terms.number_of({TermKind::BlankNode, "urn:a", {}}) == blank);
  CHECK(terms.number_of({TermKind::Literal, "urn:a", "@en"}) == english);
  CHECK(terms.number_of({TermKind::Literal, "urn:a", "urn:t"}) == typed);
  CHECK(terms.number_of({TermKind::Literal, "1", model::vocabulary::xsd_integer}) == one);
  CHECK(terms.size() == 7);
  CHECK(terms.inline_id(one).tag() == TermTag::Integer);
  CHECK_FALSE(terms.inline_id(odd_one).is_bound());
  CHECK_FALSE(terms.row(odd_one).empty());
  CHECK(terms.row(a) == std::string_view("\0urn:a", 6));
}

TEST_CASE("many terms keep their numbers while the table grows") {
  TermRows terms(1);
  for (uint32_t i = 0; i < 20'000; ++i) {
    const std::string iri = "urn:" + std::to_string(i);
    REQUIRE(terms.number_of({TermKind::Iri, iri, {}}) == i);
  }
  for (uint32_t i = 0; i < 20'000; i += 7) {
    const std::string iri = "urn:" + std::to_string(i);
    CHECK(terms.number_of({TermKind::Iri, iri, {}}) == i);
  }
}

TEST_CASE("a table keeps what is met often, forgets the rest, and never mixes terms up") {
  TermTable table(1000);
  const auto fingerprint = [](uint64_t i) { return fingerprint_of(std::to_string(i), 1); };
  uint64_t forgotten = 0;
  for (uint64_t i = 0; i < 20'000; ++i) {
    table.set(fingerprint(i), TermId(TermTag::Iri, i + 1));
    CHECK(table.find(fingerprint(i)) == TermId(TermTag::Iri, i + 1));
    CHECK(table.find(fingerprint(0)) == TermId(TermTag::Iri, 1));
    const auto other = i / 2;
    const TermId found = table.find(fingerprint(other));
    if (!found.is_bound()) ++forgotten;
    CHECK((!found.is_bound() || found == TermId(TermTag::Iri, other + 1)));
  }
  CHECK(forgotten > 10'000);
}

TEST_CASE("what is set again is found as it was set last") {
  TermTable table(100);
  const Fingerprint fingerprint{1, 2};
  table.set(fingerprint, TermId(5));
  table.set(fingerprint, TermId(6));
  CHECK(table.find(fingerprint) == TermId(6));
  CHECK_FALSE(table.find({1, 3}).is_bound());
  CHECK_FALSE(TermTable(100).find(fingerprint).is_bound());
}
