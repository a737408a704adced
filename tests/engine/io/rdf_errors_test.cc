// Bad input is refused with line, column, what was found and what was expected.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/io/rdf_parser.h"
#include "engine/model/vocabulary.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;
using io::RdfFormat;

namespace {

base::Result<std::vector<model::TermQuad>> parse(RdfFormat format, std::string_view text,
                                                 const io::ParseOptions& options = {}) {
  test::SeededRandom random(1);
  model::BlankNodeScope blank_nodes(random);
  return io::parse_rdf_text(format, text, options, blank_nodes);
}

#define SUBJECT_AND_PREDICATE "<urn:s> <urn:p> "  // 16 characters

struct BadText {
  RdfFormat format;
  std::string_view text;
  uint64_t line;
  uint64_t column;
  const char* message;  // a part of it
};

const std::vector<RdfFormat> all_formats = {RdfFormat::NTriples, RdfFormat::NQuads, RdfFormat::Turtle, RdfFormat::TriG};

}  // namespace

TEST_CASE("a malformed statement is named with its line and column, what was found and what was expected") {
  using enum RdfFormat;
  static constexpr BadText cases[] = {
      {NTriples, "<urn:s> <urn:p> .\n", 1, 17, "found '.', expected an IRI, a blank node or a literal as object"},
      {NTriples, "\n# c\r\n<urn:s> \"p\" <urn:o> .\n", 3, 9, "found '\"', expected an IRI as predicate"},
      {NTriples, SUBJECT_AND_PREDICATE "<urn:o>\n" SUBJECT_AND_PREDICATE "<urn:o> .\n", 1, 24,
       "found the end of the line, expected '.' behind the object"},
      {NTriples, SUBJECT_AND_PREDICATE "<urn:o> <urn:g> .\n", 1, 25, "found '<', expected '.' behind the object"},
      {NTriples, SUBJECT_AND_PREDICATE "<urn:o> . x\n", 1, 27, "found 'x', expected the end of the line"},
      {NTriples, SUBJECT_AND_PREDICATE "<urn:o> . " SUBJECT_AND_PREDICATE "<urn:o> .", 1, 27,
       "found '<', expected the end of the line"},
      {NTriples, "<s> <urn:p> <urn:o> .", 1, 2, "found the relative IRI <s>, expected an absolute one"},
      {NTriples, "<urn:\xC3\xA9> <urn:p> 1 .", 1, 17, "found '1', expected an IRI, a blank node or a literal"},
      {NTriples, "_: <urn:p> <urn:o> .", 1, 3, "found U+0020, expected a letter, a digit or '_'"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a\"@ .", 1, 21, "found U+0020, expected a letter of a language tag"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a\"@en- .", 1, 24,
       "found U+0020, expected a letter or digit of a language tag"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a\"@1 .", 1, 21, "found '1', expected a letter of a language tag"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a\"^^\"b\" .", 1, 22, "found '\"', expected an IRI as datatype"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a\\x\" .", 1, 19, "found \\x, expected an escape"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a\nb\" .", 1, 19,
       "found the end of the line, expected '\"' at the end of the literal"},
      {NTriples, SUBJECT_AND_PREDICATE "\"a", 1, 19, "found the end of the line, expected '\"'"},
      {NQuads, SUBJECT_AND_PREDICATE "<urn:o> \"g\" .\n", 1, 25,
       "found '\"', expected '.' or a graph behind the object"},
      {NQuads, SUBJECT_AND_PREDICATE "<urn:o> <urn:g> <urn:h> .", 1, 33,
       "found '<', expected '.' or a graph behind the object"},
      {Turtle, "<urn:s>\n  <urn:p>\n    .", 3, 5,
       "found '.', expected an IRI, a blank node, a literal, '[' or '(' as object"},
      {Turtle, SUBJECT_AND_PREDICATE "<urn:o>", 1, 24,
       "found the end of the text, expected ',', ';' or '.' behind the object"},
      {Turtle, "ex:a <urn:p> <urn:o> .", 1, 3, "found the prefix \"ex:\", which is not declared"},
      {Turtle, "<s> <urn:p> <urn:o> .", 1, 1, "found the relative IRI <s> and no base, expected an absolute IRI"},
      {Turtle, SUBJECT_AND_PREDICATE "true1 .", 1, 22, "found U+0020, expected ':' behind \"true1\""},
      {Turtle, SUBJECT_AND_PREDICATE "\"\"\"a\nb\"\" .", 2, 6,
       "found the end of the text, expected three quotation marks"},
      {Turtle, "@prefix ex <urn:x> .", 1, 11, "found U+0020, expected a prefix with ':' behind it"},
      {Turtle, "@prefix ex: <urn:x>\n" SUBJECT_AND_PREDICATE "1 .", 2, 1,
       "found '<', expected '.' at the end of the directive"},
      {Turtle, "@foo <urn:x> .", 1, 5, "found \"@foo\", expected @prefix or @base"},
      {Turtle, SUBJECT_AND_PREDICATE "( 1 2", 1, 22,
       "found the end of the text, expected an IRI, a blank node, a literal"},
      {Turtle, SUBJECT_AND_PREDICATE "[ <urn:q> 1 .", 1, 29, "found '.', expected ',', ';' or ']' behind the object"},
      {Turtle, "<urn:g> { " SUBJECT_AND_PREDICATE "1 }", 1, 9, "found '{', expected an IRI or 'a' as predicate"},
      {Turtle, "GRAPH <urn:g> { }", 1, 6, "expected ':' behind \"GRAPH\""},
      {Turtle, SUBJECT_AND_PREDICATE "+ .", 1, 18, "found U+0020, expected a digit of a number"},
      {Turtle, SUBJECT_AND_PREDICATE "\"a\"^<urn:t> .", 1, 20, "found '^', expected '^^' before a datatype"},
      {Turtle, "@prefix : <urn:x> . :a%2 :b :c .", 1, 23, "found '%' in a local name, expected two hexadecimal digits"},
      {Turtle, "@prefix : <urn:x> . :a\\b :b :c .", 1, 23, "found '\\' in a local name, expected one of"},
      {TriG, "<urn:g> { " SUBJECT_AND_PREDICATE "1 ", 1, 29,
       "found the end of the text, expected ',', ';', '.' or '}'"},
      {TriG, "<urn:g> { <urn:h> { } }", 1, 19, "found '{', expected an IRI or 'a' as predicate"},
      {TriG, "GRAPH \"g\" { }", 1, 7, "found '\"', expected an IRI or a blank node as graph"},
  };
  for (const BadText& bad : cases) {
    INFO(bad.text);
    const auto parsed = parse(bad.format, bad.text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::InvalidInput);
    CHECK_THAT(parsed.error().message, Catch::Contains(bad.message));
    REQUIRE(parsed.error().position);
    CHECK(parsed.error().position->line == bad.line);
    CHECK(parsed.error().position->column == bad.column);
  }
}

TEST_CASE("bytes that are not UTF-8 are refused where they stand") {
  for (const RdfFormat format : all_formats) {
    for (const char* bytes : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\xE2\x82"}) {
      for (const char* behind : {"", "\" .\n", "\" .\n<urn:s> <urn:p> <urn:o> .\n"}) {
        const auto parsed =
            parse(format, std::string("<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> \"a") + bytes + behind);
        REQUIRE_FALSE(parsed);
        CHECK_THAT(parsed.error().message, Catch::Contains("not UTF-8"));
        REQUIRE(parsed.error().position);
        CHECK(parsed.error().position->line == 2);
        CHECK(parsed.error().position->column == 19);
      }
    }
  }
}

TEST_CASE("an escape is a character, never a surrogate or beyond Unicode") {
  for (const RdfFormat format : all_formats) {
    for (const char* escape : {"\\ud800", "\\uDFFF", "\\ud83d\\ude00", "\\U00110000", "\\UFFFFFFFF", "\\U0000D800"}) {
      INFO(escape);
      const auto parsed = parse(format, std::string("<urn:s> <urn:p> \"") + escape + "\" .");
      REQUIRE_FALSE(parsed);
      CHECK_THAT(parsed.error().message, Catch::Contains("no character"));
    }
    for (const char* escape : {"\\u12", "\\u12G4", "\\U0001F60", "\\", "\\u", "\\a", "\\\xC3\xA9"}) {
      INFO(escape);
      CHECK_FALSE(parse(format, std::string("<urn:s> <urn:p> \"") + escape + "\" ."));
      CHECK_FALSE(parse(format, std::string("<urn:s> <urn:p> <urn:") + escape + "> ."));
    }
    CHECK(parse(format, "<urn:s> <urn:p> \"\\U0001F600\\u00e9\" ."));
  }
}

TEST_CASE("an IRI holds no forbidden character, not even an escaped one") {
  for (const RdfFormat format : all_formats) {
    for (const char* inside : {" ", "<", "\"", "{", "}", "|", "^", "`", "\t", "\x01", "\\u0020", "\\u003C", "\\u003e",
                               "\\u000A", "\\u0000", "\\u005C", "\\n", "\\t"}) {
      INFO(inside);
      CHECK_FALSE(parse(format, std::string("<urn:s") + inside + "> <urn:p> <urn:o> ."));
      CHECK_FALSE(parse(format, std::string("<urn:s> <urn:p> \"x\"^^<urn:t") + inside + "> ."));
    }
  }
}

TEST_CASE("line ends, a byte order mark, comments and a missing last line end change nothing") {
  const std::string first = "<urn:s> <urn:p> \"a\" .", second = "_:b <urn:p> _:b .";
  for (const RdfFormat format : all_formats) {
    const auto expected = parse(format, first + "\n" + second + "\n");
    REQUIRE(expected);
    REQUIRE(expected->size() == 2);
    for (const std::string& text :
         {first + "\r\n" + second + "\r\n", first + "\r" + second, first + "\n\n\r\n" + second,
          "\xEF\xBB\xBF" + first + "\n" + second, first + " # c\n#\n  # x\r\n\t" + second + "# end",
          "#" + std::string(1'000'000, 'c') + "\n" + first + std::string(300'000, ' ') + "\n" + second}) {
      const auto parsed = parse(format, text);
      REQUIRE(parsed);
      CHECK(*parsed == *expected);
    }
    CHECK(parse(format, "")->empty());
    CHECK(parse(format, "\xEF\xBB\xBF")->empty());
    CHECK(parse(format, "# nothing")->empty());
    CHECK_FALSE(parse(format, first + "\xEF\xBB\xBF\n" + second));
  }
}

TEST_CASE("100,000 levels of nesting are an error, not a crash") {
  for (const RdfFormat format : {RdfFormat::Turtle, RdfFormat::TriG}) {
    for (const std::string& level : {std::string("("), std::string("[<urn:q> "), std::string("([<urn:q> ")}) {
      std::string text = "<urn:s> <urn:p> ";
      for (int i = 0; i < 100'000; ++i) text += level;
      const auto parsed = parse(format, text);
      REQUIRE_FALSE(parsed);
      CHECK(parsed.error().kind == base::ErrorKind::ResourceExhausted);
      CHECK_THAT(parsed.error().message, Catch::Contains("expected at most 1000 levels"));
      CHECK_FALSE(parse(format, text.substr(16)));
    }
  }
}

TEST_CASE("1000 levels of nesting are read") {
  const std::string text = "<urn:s> <urn:p> " + std::string(1000, '(') + "1" + std::string(1000, ')') + " .";
  const auto parsed = parse(RdfFormat::Turtle, text);
  REQUIRE(parsed);
  CHECK(parsed->size() == 2001);
  CHECK_FALSE(
      parse(RdfFormat::Turtle, "<urn:s> <urn:p> " + std::string(1001, '(') + "1" + std::string(1001, ')') + " ."));
}

TEST_CASE("a term or a line longer than the limit is refused, and no more is read") {
  io::ParseOptions options;
  options.term_size_max = size_t{1} << 20;
  const std::string text = "<urn:s> <urn:p> \"" + std::string(2 << 20, 'x') + "\" .";
  for (const RdfFormat format : all_formats) {
    const auto parsed = parse(format, text, options);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::ResourceExhausted);
    CHECK(parse(format, text).ok());
  }
  for (const std::string& term :
       {"<urn:" + std::string(2 << 20, 'x') + ">", "_:" + std::string(2 << 20, 'x'), std::string(2 << 20, '1'),
        "\"\"@" + std::string(2 << 20, 'x'), std::string(2 << 20, 'x') + ":a"}) {
    const auto parsed = parse(RdfFormat::Turtle, "<urn:s> <urn:p> " + term + " .", options);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::ResourceExhausted);
  }
}

TEST_CASE("relative IRIs are resolved against the base given, until the document sets its own") {
  io::ParseOptions options;
  options.base_iri = "http://e/a/b";
  const auto parsed =
      parse(RdfFormat::Turtle, "<c> <../d> <> . @base <x/y> . <c> <#f> <> . BASE <../z> <> <p> <> .", options);
  REQUIRE(parsed);
  std::vector<std::string> subjects;
  for (const auto& quad : *parsed) subjects.push_back(quad.subject.text());
  CHECK(subjects == std::vector<std::string>{"http://e/a/c", "http://e/a/x/c", "http://e/a/z"});
  CHECK(parsed->at(0).predicate.text() == "http://e/d");
  CHECK(parsed->at(1).predicate.text() == "http://e/a/x/y#f");
  CHECK_FALSE(parse(RdfFormat::NTriples, "<c> <d> <e> .", options));
}

TEST_CASE("statements that name no graph go to the graph that the caller names") {
  io::ParseOptions options;
  options.graph = model::Term::iri("urn:outer");
  const auto trig =
      parse(RdfFormat::TriG,
            "<urn:s> <urn:p> 1 . <urn:g> { <urn:s> <urn:p> 1 } { <urn:s> <urn:p> 2 } <urn:s> <urn:p> 3 .", options);
  REQUIRE(trig);
  REQUIRE(trig->size() == 4);
  CHECK(trig->at(0).graph == options.graph);
  CHECK(trig->at(1).graph == model::Term::iri("urn:g"));
  CHECK(trig->at(2).graph == options.graph);
  CHECK(trig->at(3).graph == options.graph);
  const auto lines = parse(RdfFormat::NQuads, "<urn:s> <urn:p> \"1\" .\n<urn:s> <urn:p> \"1\" <urn:g> .", options);
  REQUIRE(lines);
  CHECK(lines->at(0).graph == options.graph);
  CHECK(lines->at(1).graph == model::Term::iri("urn:g"));
}

TEST_CASE("language tags are read in any case and kept in lower case") {
  for (const RdfFormat format : all_formats) {
    const auto parsed = parse(format, "<urn:s> <urn:p> \"x\"@EN-Latn-GB .");
    REQUIRE(parsed);
    CHECK(parsed->front().object.language() == "en-latn-gb");
  }
}

TEST_CASE("a label is one node in a scope, and another node in another scope") {
  const auto parsed = parse(RdfFormat::Turtle, "_:a <urn:p> _:a, _:b, [], [] .");
  REQUIRE(parsed);
  CHECK(parsed->at(0).subject == parsed->at(0).object);
  CHECK(parsed->at(1).object != parsed->at(0).object);
  CHECK(parsed->at(2).object != parsed->at(3).object);
  test::SeededRandom random(2);
  model::BlankNodeScope other(random);
  CHECK(io::parse_rdf_text(RdfFormat::Turtle, "_:a <urn:p> _:a .", {}, other)->front().subject !=
        parsed->front().subject);
}

TEST_CASE("what the sink refuses stops the parser at that line") {
  class Refusing final : public io::QuadSink {
   public:
    base::Result<void> add(const model::TermQuadView&, uint64_t) override {
      if (++count < 3) return {};
      return base::Error{base::ErrorKind::Refused, "two values for one cell", {}};
    }
    int count = 0;
  };
  for (const RdfFormat format : all_formats) {
    Refusing sink;
    io::MemoryInput input(
        "<urn:s> <urn:p> \"1\" .\n\n<urn:s> <urn:p> \"2\" .\n<urn:s> <urn:p> \"3\" .\n<urn:s> <urn:p> \"4\" .\n");
    test::SeededRandom random(1);
    model::BlankNodeScope blank_nodes(random);
    const auto parsed = io::parse_rdf(format, input, {}, blank_nodes, sink);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::Refused);
    CHECK(parsed.error().position->line == 4);
    CHECK(sink.count == 3);
  }
}
