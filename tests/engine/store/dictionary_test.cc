#include "engine/store/dictionary.h"

#include <catch2/catch.hpp>

#include "engine/model/vocabulary.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;
using quadrille::model::Quad;
using quadrille::model::Term;
using quadrille::model::TermId;
namespace vocabulary = quadrille::model::vocabulary;

namespace {

std::vector<Term> awkward_terms() {
  const std::string same_start(500, 'x');
  return {
      Term::iri("urn:a"),
      Term::blank_node("urn:a"),
      Term::literal("urn:a"),
      Term::typed_literal("urn:a", "urn:t"),
      Term::language_literal("urn:a", "en"),
      Term::language_literal("urn:a", "en-gb"),
      Term::literal(""),
      Term::literal(std::string("a\0b", 3)),
      Term::literal(std::string("a\0c", 3)),
      Term::literal(same_start + "1"),
      Term::literal(same_start + "2"),
      Term::iri("http://example.org/" + same_start + same_start),
      Term::literal(std::string(5'000'000, 'm')),
      Term::literal(std::string(5'000'000, 'm') + "n"),
      Term::typed_literal("1", std::string(vocabulary::xsd_integer)),
      Term::typed_literal("01", std::string(vocabulary::xsd_integer)),
      Term::typed_literal("+1", std::string(vocabulary::xsd_integer)),
      Term::typed_literal("1", std::string(vocabulary::xsd) + "int"),
      Term::typed_literal("1E400", std::string(vocabulary::xsd_double)),
      Term::typed_literal("1E401", std::string(vocabulary::xsd_double)),
  };
}

uint64_t same_hash(std::string_view) noexcept { return 42; }
uint64_t two_hashes(std::string_view row) noexcept { return row.size() % 2; }

void check_all_differ_and_come_back(Store& store, bool in_one_go) {
  const std::vector<Term> terms = awkward_terms();
  std::vector<TermId> ids;
  {
    auto transaction = store.begin();
    if (in_one_go) {
      ids = transaction->intern_all(terms);
    } else {
      for (const Term& term : terms) ids.push_back(transaction->intern(term));
    }
    for (size_t i = 0; i < terms.size(); ++i) CHECK(transaction->intern(terms[i]) == ids[i]);
    CHECK(transaction->intern_all(terms) == ids);
    commit(*transaction);
  }
  const auto snapshot = store.snapshot();
  for (size_t i = 0; i < terms.size(); ++i) {
    CHECK((snapshot->get_term(ids[i]) == terms[i]));
    CHECK(snapshot->find_term(terms[i]) == ids[i]);
    for (size_t k = 0; k < i; ++k) CHECK(ids[i] != ids[k]);
  }
}

}  // namespace

TEST_CASE("terms of any size and content stay different terms and come back") {
  for (bool in_one_go : {false, true}) {
    TemporaryDirectory directory;
    check_all_differ_and_come_back(*make_store(directory.path()), in_one_go);
  }
}

TEST_CASE("terms whose hashes collide stay different terms and come back") {
  for (TermHash hash : {&same_hash, &two_hashes}) {
    for (bool in_one_go : {false, true}) {
      TemporaryDirectory directory;
      StoreOptions options = quick_options();
      options.term_hash = hash;
      check_all_differ_and_come_back(*make_store(directory.path(), options), in_one_go);
    }
  }
}

TEST_CASE("the same term many times in one batch is one term") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  auto transaction = store->begin();
  const Term a = Term::iri("urn:a"), b = Term::iri("urn:b");
  const std::vector<Term> terms = {a, b, a, a, b};
  const std::vector<TermId> ids = transaction->intern_all(terms);
  CHECK(ids[0] == ids[2]);
  CHECK(ids[0] == ids[3]);
  CHECK(ids[1] == ids[4]);
  CHECK(ids[0] < ids[1]);
}

TEST_CASE("each spelling of a number is inserted and deleted as written") {
  TemporaryDirectory directory;
  auto store = make_store(directory.path());
  auto transaction = store->begin();
  const TermId s = transaction->intern(iri(1)), p = transaction->intern(iri(2));
  const auto quad_with = [&](const char* text) {
    const TermId o = transaction->intern(Term::typed_literal(text, std::string(vocabulary::xsd_integer)));
    return Quad{s, p, o, TermId::default_graph()};
  };
  for (const char* text : {"1", "01", "+1"}) CHECK(transaction->insert(quad_with(text)));
  CHECK(transaction->erase(quad_with("01")));
  CHECK(transaction->contains(quad_with("1")));
  CHECK_FALSE(transaction->contains(quad_with("01")));
  CHECK(transaction->contains(quad_with("+1")));
}
