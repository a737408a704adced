#include "engine/load/bulk_load.h"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "engine/io/rdf_parser.h"
#include "tests/engine/load/load_fixture.h"

using namespace quadrille;
using namespace quadrille::load;
using namespace quadrille::load::testing;
using io::RdfFormat;
using model::Term;

namespace {

// Statements as they come in the world: subjects in a row, few predicates, all kinds of objects, repetitions, blank
// nodes, several on a line never.
std::string random_nquads(uint64_t seed, size_t lines) {
  test::SeededRandom random(seed);
  std::string text;
  for (size_t line = 0; line < lines; ++line) {
    const auto subject = line / 7 % 400;
    text += random.below(5) == 0 ? fmt::format("_:b{} ", subject) : fmt::format("<http://example.org/s/{}> ", subject);
    text += fmt::format("<http://example.org/p/{}> ", random.below(9));
    switch (random.below(6)) {
      case 0: text += fmt::format("\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", random.below(50)); break;
      case 1: text += fmt::format("\"0{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", random.below(50)); break;
      case 2: text += fmt::format("\"text {}\\u00e9\"@en", random.below(900)); break;
      case 3:
        text += fmt::format("\"2024-01-{:02}\"^^<http://www.w3.org/2001/XMLSchema#date>", 1 + random.below(28));
        break;
      case 4: text += fmt::format("_:b{}", random.below(400)); break;
      default: text += fmt::format("<http://example.org/o/{}>", random.below(2000)); break;
    }
    if (random.below(3) == 0) text += fmt::format(" <http://example.org/g/{}>", random.below(3));
    text += random.below(20) == 0 ? " . # a comment\n" : " .\n";
    if (random.below(40) == 0) text += "\n";
  }
  return text;
}

// As a parser gives them that reads one line after the other; labels are as in a load with the same seed.
std::vector<model::TermQuad> parsed_all(const std::vector<std::pair<RdfFormat, std::string>>& documents,
                                        uint64_t seed) {
  test::SeededRandom random(seed);
  random.next();  // the load's own
  std::set<model::TermQuad> quads;
  for (const auto& [format, text] : documents) {
    model::BlankNodeScope blank_nodes(random);
    const auto result = io::parse_rdf_text(format, text, {}, blank_nodes);
    REQUIRE(result.ok());
    quads.insert(result->begin(), result->end());
  }
  return {quads.begin(), quads.end()};
}

std::vector<model::TermQuad> parsed(const std::vector<std::string>& texts, RdfFormat format, uint64_t seed) {
  std::vector<std::pair<RdfFormat, std::string>> documents;
  for (const std::string& text : texts) documents.emplace_back(format, text);
  return parsed_all(documents, seed);
}

constexpr size_t small_piece = 4096;

}  // namespace

TEST_CASE("a load holds what its documents say, however it is cut and on however many threads") {
  const std::vector<std::string> texts = {random_nquads(1, 3000), random_nquads(2, 1000), "", random_nquads(3, 2000)};
  const auto expected = parsed(texts, RdfFormat::NQuads, 5);
  std::map<size_t, std::vector<model::Quad>> ids_before;
  for (const size_t threads : {1, 2, 4}) {
    for (const size_t piece_bytes : {size_t{64}, small_piece, size_t{1} << 20}) {
      INFO(threads << " threads, pieces of " << piece_bytes << " bytes");
      LoadedStore loaded;
      std::vector<Document> documents;
      for (size_t i = 0; i < texts.size(); ++i) {
        documents.push_back(document(fmt::format("{}.nq", i), RdfFormat::NQuads, texts[i]));
      }
      const auto counts = loaded.load(std::move(documents), {threads, piece_bytes, 5});
      REQUIRE(counts.ok());
      CHECK(counts->read == 6000);
      CHECK(counts->absent == expected.size());
      CHECK(loaded.store().snapshot()->quad_count() == expected.size());
      CHECK(loaded.quads() == expected);
      for (const auto order : model::all_quad_orders) CHECK(loaded.ids(order).size() == expected.size());
      // Ids depend on the documents and the size of pieces, not on what threads do when.
      CHECK(loaded.ids() == ids_before.try_emplace(piece_bytes, loaded.ids()).first->second);
    }
  }
}

TEST_CASE("a load that does not fit into its memory is the same load") {
  const std::string text = random_nquads(4, 40'000);
  std::vector<model::TermQuad> expected;
  for (const uint64_t memory_bytes : {uint64_t{1} << 30, uint64_t{1}}) {
    LoadedStore loaded;
    const auto counts = loaded.load({document("a.nq", RdfFormat::NQuads, text)}, {2, size_t{2} << 20, 1, memory_bytes});
    REQUIRE(counts.ok());
    if (expected.empty()) expected = loaded.quads();
    CHECK(counts->absent == expected.size());
    CHECK(loaded.quads() == expected);
  }
}

TEST_CASE("a term that little memory forgets before it has an id has one id all the same") {
  // The shortest IRIs: more of them come between two statements about one than the load's table holds, and all of them
  // belong to one batch of new terms.
  const auto iri = [](int number) {
    constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
    const auto digit = [&](int power) { return digits[static_cast<size_t>(number / power) % digits.size()]; };
    return fmt::format("<{}:{}{}>", "abcdefghij"[number / 1296], digit(36), digit(1));
  };
  std::string text = "<z:a><z:p><z:b><z:c>.\n";
  for (int i = 0; i < 6000; i += 3) text += fmt::format("{}<z:p>{}{}.\n", iri(i), iri(i + 1), iri(i + 2));
  text += "<z:a><z:p><z:b><z:c>.\n<z:b><z:p><z:c><z:a>.\n<z:c><z:p><z:a><z:b>.\n";
  for (const size_t threads : {1, 3}) {
    LoadedStore loaded;
    const auto counts =
        loaded.load({document("a.nq", RdfFormat::NQuads, text)}, {threads, size_t{1} << 20, 1, uint64_t{1} << 20});
    REQUIRE(counts.ok());
    CHECK(counts->absent == 2003);
    std::array<std::set<model::TermId>, 3> ids;
    for (const auto& quad : loaded.ids()) {
      ids[0].insert(quad.subject);
      ids[1].insert(quad.object);
      ids[2].insert(quad.graph);
    }
    for (const auto& distinct : ids) CHECK(distinct.size() == 2003);
  }
}

TEST_CASE("a label is one node in a document that is cut, and another node in the next document") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += fmt::format("_:same <urn:p> \"{}\" .\n", i);
  LoadedStore loaded;
  const auto counts =
      loaded.load({document("a.nt", RdfFormat::NTriples, text), document("b.nt", RdfFormat::NTriples, text)}, {2, 256});
  REQUIRE(counts.ok());
  CHECK(counts->absent == 1000);
  std::set<model::TermId> subjects;
  for (const auto& quad : loaded.ids()) subjects.insert(quad.subject);
  CHECK(subjects.size() == 2);
}

TEST_CASE("the first bad line is named by document, line and column, and nothing of the load stays") {
  std::string good, bad;
  for (int i = 0; i < 300; ++i) good += fmt::format("<urn:s{}> <urn:p> <urn:o> .\n", i);
  bad = good + "<urn:s> <urn:p> oops .\n" + good + "<urn:s> <urn:p> .\n" + good;
  for (const size_t threads : {1, 4}) {
    for (const size_t piece_bytes : {size_t{64}, small_piece, size_t{1} << 20}) {
      LoadedStore loaded;
      const auto counts =
          loaded.load({document("good.nt", RdfFormat::NTriples, good), document("bad.nt", RdfFormat::NTriples, bad),
                       document("worse.nt", RdfFormat::NTriples, "oops")},
                      {threads, piece_bytes});
      CHECK_THAT(message_of(counts),
                 Catch::StartsWith("bad.nt:301:17: found 'o', expected an IRI, a blank node or a literal as object"));
      CHECK(loaded.ids().empty());
      CHECK(loaded.store().snapshot()->quad_count() == 0);
      // The store is as good as before.
      REQUIRE(loaded.load({document("good.nt", RdfFormat::NTriples, good)}).ok());
      CHECK(loaded.ids().size() == 300);
    }
  }
}

TEST_CASE("bytes that are not UTF-8 are named where they stand, behind the bad line before them") {
  const std::string line = "<urn:s> <urn:p> \"\xC3\xA9\" .\n";
  for (const size_t piece_bytes : {size_t{16}, size_t{64}, size_t{1} << 20}) {
    LoadedStore loaded;
    CHECK(message_of(loaded.load({document("a.nt", RdfFormat::NTriples, line + line + "<urn:s> <urn:p> \"\xC3\" .\n")},
                                 {1, piece_bytes})) == "a.nt:3:18: found bytes that are not UTF-8, expected UTF-8");
    CHECK_THAT(
        message_of(loaded.load({document("a.nt", RdfFormat::NTriples, line + "bad\n" + "<urn:s> <urn:p> \"\xFF\" .\n")},
                               {1, piece_bytes})),
        Catch::StartsWith("a.nt:2:1: found 'b'"));
  }
}

TEST_CASE("a byte order mark is passed over at the start of a document, and nowhere else") {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string line = "<urn:s> <urn:p> <urn:o> .\n";
  for (const size_t piece_bytes : {size_t{16}, size_t{1} << 20}) {
    LoadedStore loaded;
    CHECK(loaded
              .load({document("a.nt", RdfFormat::NTriples, mark + line),
                     document("b.nt", RdfFormat::NTriples, mark + line)},
                    {1, piece_bytes})
              .ok());
    CHECK_THAT(message_of(loaded.load({document("a.nt", RdfFormat::NTriples, line + mark + line)}, {1, piece_bytes})),
               Catch::StartsWith("a.nt:2:1: found U+FEFF"));
  }
}

TEST_CASE("line ends, comments and a missing last line end change nothing") {
  const std::string text =
      "# a comment\r\n<urn:s> <urn:p> \"1\" .\r\n\r\n   \t\n<urn:s> <urn:p> \"2\" . # more\n<urn:s> <urn:p> \"3\" .\r"
      "<urn:s> <urn:p> \"4\" .\n\n\n<urn:s> <urn:p> \"5\" .";
  for (const size_t piece_bytes : {size_t{1}, size_t{30}, size_t{1} << 20}) {
    LoadedStore loaded;
    const auto counts = loaded.load({document("a.nt", RdfFormat::NTriples, text)}, {1, piece_bytes});
    REQUIRE(counts.ok());
    CHECK(counts->absent == 5);
  }
}

TEST_CASE("a line far longer than a piece is read") {
  const std::string long_text(300'000, 'x');
  LoadedStore loaded;
  const auto counts = loaded.load(
      {document("a.nt", RdfFormat::NTriples,
                "<urn:s> <urn:p> \"1\" .\n<urn:s> <urn:p> \"" + long_text + "\" .\n<urn:s> <urn:p> \"2\" .\n")},
      {2, 64});
  REQUIRE(counts.ok());
  CHECK(counts->absent == 3);
  CHECK(loaded.store().snapshot()->find_term(Term::literal(long_text)));
}

TEST_CASE("Turtle and TriG are cut too, and name their first bad line") {
  std::string text = "@prefix : <urn:x/> .\n";
  const size_t prefixes_end = text.size();
  for (int i = 0; i < 2000; ++i) text += fmt::format(":s{} :p [ :q {} ], ( {} _:a ) .\n", i, i, i);
  const std::string line = "<urn:s> <urn:p> <urn:o> .\n";
  const std::string in_graph = text.substr(0, prefixes_end) + "<urn:g> {\n" + text.substr(prefixes_end) + "}\n";
  for (const size_t threads : {1, 3}) {
    LoadedStore loaded;
    std::vector<Document> documents;
    documents.push_back(document("a.ttl", RdfFormat::Turtle, text));
    documents.push_back(document("b.nt", RdfFormat::NTriples, line));
    documents.push_back(document("c.trig", RdfFormat::TriG, in_graph));
    const auto counts = loaded.load(std::move(documents), {threads, 1024, 9});
    REQUIRE(counts.ok());
    CHECK(counts->absent == 2 * 2000 * 7 + 1);
    CHECK(loaded.quads() ==
          parsed_all({{RdfFormat::Turtle, text}, {RdfFormat::NTriples, line}, {RdfFormat::TriG, in_graph}}, 9));
    CHECK_THAT(message_of(loaded.load({document("a.ttl", RdfFormat::Turtle, text + ":s :p oops .\n" + text)},
                                      {threads, 1024})),
               Catch::StartsWith("a.ttl:2002:"));
  }
}

TEST_CASE("100,000 levels of nesting are an error, and the process lives") {
  std::string text = "<urn:s> <urn:p> ";
  for (int i = 0; i < 100'000; ++i) text += "[ <urn:p> ";
  LoadedStore loaded;
  CHECK_THAT(message_of(loaded.load({document("deep.ttl", RdfFormat::Turtle, text)}, {2, 1024})),
             Catch::StartsWith("deep.ttl:1:"));
}

TEST_CASE("relative IRIs are resolved against the document's base, and statements go to its graph") {
  LoadedStore loaded;
  Document turtle = document("a.ttl", RdfFormat::Turtle, "<s> <p> <../o> .");
  turtle.base_iri = "http://example.org/x/y";
  turtle.graph = Term::iri("urn:g");
  Document lines = document("b.nt", RdfFormat::NTriples, "<urn:s> <urn:p> <urn:o> .");
  lines.graph = Term::iri("urn:h");
  REQUIRE(loaded.load({turtle, lines}).ok());
  const auto snapshot = loaded.store().snapshot();
  CHECK(snapshot->find_term(Term::iri("http://example.org/o")));
  CHECK(snapshot->find_term(Term::iri("http://example.org/x/s")));
  std::set<std::string> graphs;
  for (const auto& quad : loaded.quads()) graphs.insert(quad.graph.value().text());
  CHECK(graphs == std::set<std::string>{"urn:g", "urn:h"});
}

TEST_CASE("a document that cannot be opened or read is named") {
  LoadedStore loaded;
  Document missing = document("missing.nt", RdfFormat::NTriples, "");
  missing.open = [] {
    return base::Result<std::unique_ptr<io::InputStream>>(base::Error{base::ErrorKind::NotFound, "no such file", {}});
  };
  CHECK(message_of(loaded.load({document("a.nt", RdfFormat::NTriples, "<urn:s> <urn:p> <urn:o> .\n"), missing})) ==
        "missing.nt: no such file");
  CHECK(loaded.ids().empty());
}

TEST_CASE("quads that are there already are counted, not stored again") {
  LoadedStore loaded;
  const std::string first = random_nquads(1, 500);
  const std::string second = first + "<urn:s> <urn:p> <urn:new> .\n" + first;
  // No blank nodes: those are new in every document.
  const auto without_blank_nodes = [](const std::string& text) {
    std::string kept;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at) + 1;
      const std::string line = text.substr(at, end - at);
      if (line.find("_:") == std::string::npos) kept += line;
      at = end;
    }
    return kept;
  };
  const auto one = loaded.load({document("a.nq", RdfFormat::NQuads, without_blank_nodes(first))});
  REQUIRE(one.ok());
  const auto two = loaded.load({document("b.nq", RdfFormat::NQuads, without_blank_nodes(second))}, {2, small_piece});
  REQUIRE(two.ok());
  CHECK(two->absent == 1);
  CHECK(two->present == one->absent);
  CHECK(loaded.ids().size() == one->absent + 1);
}

TEST_CASE("what the site keeps apart comes back with its document and line, in order") {
  LoadedStore loaded;
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += fmt::format("<urn:s{}> <urn:p> <urn:o> .\n<urn:s> <urn:apart> \"{}\" .\n", i, i);
  model::TermId apart;
  {
    const auto transaction = loaded.store().begin();
    apart = transaction->intern(Term::iri("urn:apart"));
    REQUIRE(transaction->commit().ok());
  }
  const auto prepared =
      loaded.prepare({document("a.nt", RdfFormat::NTriples, text), document("b.nt", RdfFormat::NTriples, text)},
                     {3, 256}, [apart](const model::Quad& quad) { return quad.predicate != apart; });
  REQUIRE(prepared.ok());
  const auto& quads = (*prepared)->quads_apart();
  REQUIRE(quads.size() == 200);
  CHECK((*prepared)->counts().apart == 200);
  CHECK((*prepared)->counts().absent == 100);
  for (size_t i = 0; i < quads.size(); ++i) {
    CHECK(quads[i].document == i / 100);
    CHECK(quads[i].line == i % 100 * 2 + 2);
    CHECK(quads[i].quad.predicate == apart);
  }
}

TEST_CASE("an empty load is one") {
  LoadedStore loaded;
  const auto counts = loaded.load({});
  REQUIRE(counts.ok());
  CHECK(counts->read == 0);
  REQUIRE(loaded.load({document("a.nt", RdfFormat::NTriples, "# nothing\n")}).ok());
  CHECK(loaded.ids().empty());
}
