#include "tests/support/random_terms.h"

#include <array>

#include "engine/model/iri.h"
#include "engine/model/utf8.h"
#include "engine/model/vocabulary.h"

namespace quadrille::test {
namespace {

using model::Term;

char32_t random_character(SeededRandom& random) {
  static constexpr std::array<char32_t, 20> corners = {0,      1,      '\t',   '\n',   '\r',    ' ',     '"',
                                                       '\'',   '\\',   '<',    0x7F,   0x80,    0x7FF,   0x800,
                                                       0xD7FF, 0xE000, 0xFEFF, 0xFFFF, 0x10000, 0x10FFFF};
  switch (random.below(4)) {
    case 0: return corners[random.below(corners.size())];
    case 1: return static_cast<char32_t>(random.below(0x80));
    default: break;
  }
  char32_t c = 0xD800;
  while (!model::is_scalar_value(c)) c = static_cast<char32_t>(random.below(0x110000));
  return c;
}

Term random_node(SeededRandom& random) {
  return random.below(3) == 0 ? Term::blank_node("n" + std::to_string(random.below(5))) : random_iri(random);
}

}  // namespace

std::string random_text(SeededRandom& random) {
  std::string text;
  for (uint64_t left = random.below(12); left != 0; --left) model::append_utf8(text, random_character(random));
  return text;
}

Term random_iri(SeededRandom& random) {
  static constexpr std::array<const char*, 6> common = {"http://e/",   "http://e/a",        "http://e/a.",
                                                        "http://e/-a", "http://e/ns#a.b-c", "urn:x:1"};
  if (random.below(2) == 0) return Term::iri(common[random.below(common.size())]);
  std::string iri = "http://e/";
  for (uint64_t left = random.below(8); left != 0;) {
    const char32_t c = random_character(random);
    if (!model::is_iri_character(c)) continue;
    model::append_utf8(iri, c);
    --left;
  }
  return Term::iri(std::move(iri));
}

Term random_literal(SeededRandom& random) {
  namespace vocabulary = model::vocabulary;
  static constexpr std::array<std::string_view, 4> numeric = {vocabulary::xsd_integer, vocabulary::xsd_decimal,
                                                              vocabulary::xsd_double, vocabulary::xsd_boolean};
  static constexpr std::array<const char*, 14> lexical_forms = {"1",   "01", "-1.0", "+.5",  "1.", "1e0",  "1.e-5",
                                                                ".e1", "1e", "",     "true", "1 ", "TRUE", "12.5E+7"};
  switch (random.below(5)) {
    case 0: return Term::literal(random_text(random));
    case 1: return Term::language_literal(random_text(random), random.below(2) == 0 ? "en" : "de-CH-1996");
    case 2: return Term::typed_literal(random_text(random), random_iri(random).text());
    default:
      return Term::typed_literal(lexical_forms[random.below(lexical_forms.size())],
                                 std::string(numeric[random.below(numeric.size())]));
  }
}

model::TermQuad random_quad(SeededRandom& random, bool with_graphs) {
  Term subject = random_node(random);
  Term predicate = random.below(4) == 0 ? Term::iri(std::string(model::vocabulary::rdf_type)) : random_iri(random);
  Term object = random.below(2) == 0 ? random_node(random) : random_literal(random);
  std::optional<Term> graph;
  if (with_graphs && random.below(3) != 0) graph = random_node(random);
  return {std::move(subject), std::move(predicate), std::move(object), std::move(graph)};
}

std::vector<model::TermQuad> random_quads(SeededRandom& random, size_t count, bool with_graphs) {
  std::vector<model::TermQuad> quads;
  while (quads.size() < count) quads.push_back(random_quad(random, with_graphs));
  return quads;
}

}  // namespace quadrille::test
