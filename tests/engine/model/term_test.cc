#include <catch2/catch.hpp>

#include "engine/model/term.h"
#include "engine/model/vocabulary.h"

using quadrille::model::Term;
namespace vocabulary = quadrille::model::vocabulary;

TEST_CASE("a literal typed xsd:string is the same term as a plain one") {
  CHECK(Term::typed_literal("x", std::string(vocabulary::xsd_string)) == Term::literal("x"));
  CHECK(Term::literal("x").datatype() == vocabulary::xsd_string);
}

TEST_CASE("equal values with different lexical forms are different terms") {
  const std::string integer(vocabulary::xsd_integer);
  CHECK(Term::typed_literal("1", integer) != Term::typed_literal("01", integer));
}

TEST_CASE("language tags differ in case only are one tag") {
  CHECK(Term::language_literal("x", "EN-gb") == Term::language_literal("x", "en-GB"));
  CHECK(Term::language_literal("x", "EN").datatype() == vocabulary::rdf_lang_string);
}
