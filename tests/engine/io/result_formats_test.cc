#include <catch2/catch.hpp>
#include <string>

#include "engine/io/result_reader.h"
#include "engine/io/result_writer.h"
#include "engine/model/vocabulary.h"

using namespace quadrille;
using io::ResultFormat;
using model::Term;

namespace {

const std::string xsd_integer(model::vocabulary::xsd_integer);

std::string written(const io::ResultSet& results, ResultFormat format) {
  io::StringSink sink;
  auto writer = io::make_result_writer(format, sink);
  REQUIRE(io::write_result_set(results, *writer));
  return sink.take();
}

io::ResultSet every_kind_of_term() {
  io::ResultSet results;
  results.variables = {"a", "b"};
  results.rows = {{Term::iri("http://e/?a=1&b"), Term::blank_node("b0")},
                  {Term::literal("say \"hi\", \\ <&>\t\r\n\x01\x7f"), std::nullopt},
                  {std::nullopt, Term::language_literal("d\xC3\xA9j\xC3\xA0", "fr-BE")},
                  {Term::typed_literal("01", xsd_integer), Term::typed_literal("x", xsd_integer)},
                  {std::nullopt, std::nullopt},
                  {Term::literal(""), Term::literal("")}};
  return results;
}

io::ResultSet yes() {
  io::ResultSet results;
  results.boolean = true;
  return results;
}

}  // namespace

TEST_CASE("JSON results are read back as they were written") {
  const io::ResultSet results = every_kind_of_term();
  const auto read = io::read_json_results(written(results, ResultFormat::Json));
  REQUIRE(read);
  CHECK(read->variables == results.variables);
  CHECK(read->rows == results.rows);
  CHECK_FALSE(read->boolean);
}

TEST_CASE("an answer without rows is still a whole document") {
  io::ResultSet results;
  results.variables = {"x"};
  const auto read = io::read_json_results(written(results, ResultFormat::Json));
  REQUIRE(read);
  CHECK(read->variables == results.variables);
  CHECK(read->rows.empty());
  CHECK(written(results, ResultFormat::Csv) == "x\r\n");
  CHECK(written(results, ResultFormat::Tsv) == "?x\n");
  CHECK(written(results, ResultFormat::Table) == "x\n-\n(0 rows)\n");
}

TEST_CASE("ASK has an answer in every format") {
  const auto read = io::read_json_results(written(yes(), ResultFormat::Json));
  REQUIRE(read);
  CHECK(read->boolean == true);
  CHECK(written(yes(), ResultFormat::Xml).find("<boolean>true</boolean>") != std::string::npos);
  CHECK(written(yes(), ResultFormat::Csv) == "true\r\n");
  CHECK(written(yes(), ResultFormat::Tsv) == "true\n");
  CHECK(written(yes(), ResultFormat::Table) == "true\n");
}

TEST_CASE("XML results escape what XML would lose, and replace what it cannot hold") {
  const std::string text = written(every_kind_of_term(), ResultFormat::Xml);
  CHECK(text.find("<uri>http://e/?a=1&amp;b</uri>") != std::string::npos);
  CHECK(text.find("say &quot;hi&quot;, \\ &lt;&amp;&gt;&#9;&#13;&#10;\xEF\xBF\xBD\x7f</literal>") != std::string::npos);
  CHECK(text.find("<binding name=\"b\"><literal xml:lang=\"fr-be\">") != std::string::npos);
  CHECK(text.find("<literal datatype=\"" + xsd_integer + "\">01</literal>") != std::string::npos);
  CHECK(text.find("<result></result>") != std::string::npos);
}

TEST_CASE("CSV tells an empty string from an unbound value") {
  CHECK(
      written(every_kind_of_term(), ResultFormat::Csv) ==
      "a,b\r\nhttp://e/?a=1&b,_:b0\r\n\"say \"\"hi\"\", \\ <&>\t\r\n\x01\x7f\",\r\n,d\xC3\xA9j\xC3\xA0\r\n01,x\r\n,\r\n"
      "\"\",\"\"\r\n");
}

TEST_CASE("TSV writes terms as Turtle does, so no value breaks its line") {
  CHECK(written(every_kind_of_term(), ResultFormat::Tsv) ==
        "?a\t?b\n<http://e/?a=1&b>\t_:b0\n\"say \\\"hi\\\", \\\\ <&>\\t\\r\\n\\u0001\\u007F\"\t\n"
        "\t\"d\xC3\xA9j\xC3\xA0\"@fr-be\n01\t\"x\"^^<" +
            xsd_integer + ">\n\t\n\"\"\t\"\"\n");
}

TEST_CASE("the table lines up by characters, not bytes") {
  io::ResultSet results;
  results.variables = {"name", "n"};
  results.rows = {{Term::literal("\xC3\xA9\xC3\xA9"), Term::typed_literal("1", xsd_integer)},
                  {Term::literal("abcdef"), std::nullopt}};
  CHECK(written(results, ResultFormat::Table) ==
        "name      n\n--------  -\n\"\xC3\xA9\xC3\xA9\"      1\n\"abcdef\"\n(2 rows)\n");
}

TEST_CASE("no answer can command the terminal") {
  io::ResultSet results;
  results.variables = {"x"};
  results.rows = {
      {Term::literal("\x1b[2J \xC2\x9B"
                     "31m \xE2\x80\xAE")}};
  const std::string text = written(results, ResultFormat::Table);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xC2\x9B") == std::string::npos);
  CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
}

TEST_CASE("a table of many rows streams, with a count at its end") {
  io::ResultSet results;
  results.variables = {"x"};
  for (int i = 0; i < 2500; ++i) results.rows.push_back({Term::typed_literal(std::to_string(i), xsd_integer)});
  const std::string text = written(results, ResultFormat::Table);
  CHECK(text.find("\n2499\n(2500 rows)\n") != std::string::npos);
}

TEST_CASE("bad JSON results are refused with one line that says where") {
  for (const char* bad :
       {"", "[", "[]", "{}", R"({"head":{}})", R"({"head":{"vars":[1]},"results":{"bindings":[]}})",
        R"({"head":{"vars":["x","x"]},"results":{"bindings":[]}})", R"({"head":{"vars":["x"]},"results":{}})",
        R"({"head":{"vars":["x"]},"results":{"bindings":[1]}})",
        R"({"head":{"vars":["x"]},"results":{"bindings":[{"y":{"type":"uri","value":"u:"}}]}})",
        R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"thing","value":"u:"}}]}})",
        R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri"}}]}})", R"({"boolean":1})",
        "{\"a\":\"\xff\"}"}) {
    INFO(bad);
    const auto read = io::read_json_results(bad);
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find('\n') == std::string::npos);
    CHECK(read.error().message.find("expected") != std::string::npos);
  }
}

TEST_CASE("deeply nested JSON does not overflow the stack") {
  CHECK_FALSE(io::read_json_results(std::string(1'000'000, '[')));
  CHECK_FALSE(io::read_json_results(std::string(500'000, '[') + std::string(500'000, ']')));
}

TEST_CASE("result formats have names and media types") {
  CHECK(io::result_format_by_name("json") == ResultFormat::Json);
  CHECK_FALSE(io::result_format_by_name("pdf"));
  CHECK(io::result_format_by_media_type("Text/CSV; charset=utf-8") == ResultFormat::Csv);
  CHECK(io::result_format_by_media_type("application/sparql-results+xml") == ResultFormat::Xml);
  CHECK_FALSE(io::result_format_by_media_type("image/png"));
}
