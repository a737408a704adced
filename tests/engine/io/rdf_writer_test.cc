#include "engine/io/rdf_writer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/io/rdf_parser.h"
#include "engine/model/vocabulary.h"
#include "tests/support/isomorphism.h"
#include "tests/support/random_terms.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;
using io::RdfFormat;
using model::Term;
using model::TermQuad;

namespace {

std::string written(RdfFormat format, const std::vector<TermQuad>& quads, std::vector<io::NamedPrefix> prefixes = {}) {
  io::StringSink sink;
  auto writer = io::make_rdf_writer(format, sink, std::move(prefixes));
  for (const TermQuad& quad : quads) REQUIRE(writer->write(quad));
  REQUIRE(writer->finish());
  return sink.take();
}

}  // namespace

TEST_CASE("what is written is read back as the same quads, in every format") {
  const RdfFormat format = GENERATE(RdfFormat::NTriples, RdfFormat::NQuads, RdfFormat::Turtle, RdfFormat::TriG);
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    test::SeededRandom random(seed);
    auto quads = test::random_quads(random, random.below(12), io::carries_graphs(format));
    if (seed % 2 == 0) {
      std::sort(quads.begin(), quads.end(), [](const TermQuad& a, const TermQuad& b) {
        return std::tie(a.graph, a.subject, a.predicate, a.object) <
               std::tie(b.graph, b.subject, b.predicate, b.object);
      });
    }
    const std::string text =
        written(format, quads, {{"e", "http://e/"}, {"", "http://e/ns#"}, {"x", std::string(model::vocabulary::xsd)}});
    model::BlankNodeScope blank_nodes(random);
    const auto read = io::parse_rdf_text(format, text, {}, blank_nodes);
    INFO(seed << "\n" << text);
    REQUIRE(read);
    REQUIRE(test::are_isomorphic(*read, quads));
  }
}

TEST_CASE("Turtle groups what comes in a row, and TriG by graph too") {
  const Term s = Term::iri("http://e/s"), p = Term::iri("http://e/p"), g = Term::iri("http://e/g");
  const Term type = Term::iri(std::string(model::vocabulary::rdf_type));
  const Term one = Term::typed_literal("1", std::string(model::vocabulary::xsd_integer));
  const std::vector<TermQuad> quads = {{s, type, s, {}}, {s, p, one, {}}, {s, p, Term::literal("x"), {}},
                                       {p, p, s, {}},    {s, p, s, g},    {p, p, s, g}};
  CHECK(written(RdfFormat::TriG, quads, {{"e", "http://e/"}}) ==
        "@prefix e: <http://e/> .\n"
        "e:s a e:s ;\n    e:p 1 ,\n        \"x\" .\n"
        "e:p e:p e:s .\n"
        "\n"
        "e:g {\n"
        "e:s e:p e:s .\n"
        "e:p e:p e:s .\n"
        "}\n");
}

TEST_CASE("a graph is not dropped by a format that cannot name it") {
  const RdfFormat format = GENERATE(RdfFormat::NTriples, RdfFormat::Turtle);
  io::StringSink sink;
  auto writer = io::make_rdf_writer(format, sink);
  const Term term = Term::iri("http://e/a");
  const auto outcome = writer->write({term, term, term, term});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == base::ErrorKind::Unsupported);
}

TEST_CASE("no term breaks out of its brackets, even one that nobody checked") {
  const Term evil = Term::iri("http://e/> <http://e/p> <http://e/o> .\n<http://e/x");
  const std::string text = written(RdfFormat::NTriples, {{evil, evil, evil, {}}});
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(std::count(text.begin(), text.end(), '>') == 3);
}
