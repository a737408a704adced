// Answers of strangers, in JSON and in XML.
#include "engine/io/solution_reader.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "engine/io/output_sink.h"
#include "engine/io/result_writer.h"

using namespace quadrille;
using namespace quadrille::io;
using Catch::Matchers::Contains;
using model::Term;

namespace {

// Solutions as text: "x=<urn:a> y="1"".
struct Told final : SolutionSink {
  base::Result<void> add(Solution solution) override {
    std::string line;
    for (const auto& [name, term] : solution) line += (line.empty() ? "" : " ") + name + "=" + model::to_ntriples(term);
    lines.push_back(line);
    if (lines.size() == full_at) return base::Error{base::ErrorKind::ResourceExhausted, "full", {}};
    if (lines.size() == throws_at) throw std::runtime_error("thrown");
    return {};
  }
  std::vector<std::string> lines;
  size_t full_at = 0;
  size_t throws_at = 0;
};

std::string json_error(const std::string& document) {
  Told told;
  const auto done = read_json_solutions(document, told);
  return done.ok() ? "read" : done.error().message;
}
std::string xml_error(const std::string& document) {
  Told told;
  const auto done = read_xml_solutions(document, told);
  return done.ok() ? "read" : done.error().message;
}
std::string of_value(const std::string& value) {
  return R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":)" + value + "}]}}";
}
std::string of_element(const std::string& element) {
  return "<sparql xmlns='http://www.w3.org/2005/sparql-results#'><results><result><binding name='x'>" + element +
         "</binding></result></results></sparql>";
}

}  // namespace

TEST_CASE("what the writers of results write is read back, a solution at a time") {
  ResultSet results;
  results.variables = {"a", "b"};
  results.rows = {{Term::iri("http://example.org/a"), Term::literal("two\nlines <&>")},
                  {std::nullopt, Term::language_literal("hallo", "de-at")},
                  {Term::blank_node("n1"), Term::typed_literal("5", "http://www.w3.org/2001/XMLSchema#integer")},
                  {std::nullopt, std::nullopt}};
  const std::vector<std::string> expected = {"a=<http://example.org/a> b=\"two\\nlines <&>\"", "b=\"hallo\"@de-at",
                                             "a=_:n1 b=\"5\"^^<http://www.w3.org/2001/XMLSchema#integer>", ""};
  for (const ResultFormat format : {ResultFormat::Json, ResultFormat::Xml}) {
    StringSink text;
    REQUIRE(write_result_set(results, *make_result_writer(format, text)).ok());
    Told told;
    const auto read =
        format == ResultFormat::Json ? read_json_solutions(text.text(), told) : read_xml_solutions(text.text(), told);
    INFO(text.text());
    CHECK(read.ok());
    CHECK(told.lines == expected);
  }
}

TEST_CASE("the order of members does not matter, and what is unknown is passed over") {
  Told told;
  CHECK(read_json_solutions(R"({"more":[{"results":[1,[2,{"bindings":[3]}]]}],"results":{"distinct":false,"bindings":[
      {"x":{"value":"1","extra":{"type":"uri"},"type":"typed-literal","datatype":"urn:t"}}]},"head":{}})",
                            told)
            .ok());
  CHECK(told.lines == std::vector<std::string>{"x=\"1\"^^<urn:t>"});
}

TEST_CASE("an answer in JSON that is none says where, and what was expected") {
  CHECK_THAT(json_error(""), Contains("expected JSON"));
  CHECK_THAT(json_error("<html>"), Contains("expected JSON"));
  CHECK_THAT(json_error(R"({"results":{"bindings":[{}, )"), Contains("expected JSON"));
  CHECK_THAT(json_error("\"\xff\""), Contains("expected JSON"));
  CHECK_THAT(json_error("{}"), Contains("results.bindings"));
  CHECK_THAT(json_error(R"({"head":{},"boolean":true})"), Contains("as of a SELECT"));
  CHECK_THAT(json_error(R"({"results":{"bindings":[5]}})"), Contains("solution 1: expected an object"));
  CHECK_THAT(json_error(of_value("5")), Contains("solution 1, ?x: expected an object"));
  CHECK_THAT(json_error(of_value("[]")), Contains("solution 1, ?x: expected an object"));
  CHECK_THAT(json_error(of_value(R"({"type":"uri"})")), Contains("expected a value"));
  CHECK_THAT(json_error(of_value(R"({"type":"uri","value":5})")), Contains("expected a string as value"));
  CHECK_THAT(json_error(of_value(R"({"value":"a"})")), Contains("expected type uri, bnode or literal"));
  CHECK_THAT(json_error(of_value(R"({"type":"uri","value":"a b"})")), Contains("expected an absolute IRI"));
  CHECK_THAT(json_error(of_value(R"({"type":"uri","value":"urn:a>b"})")), Contains("expected an absolute IRI"));
  CHECK_THAT(json_error(of_value(R"({"type":"literal","value":"","datatype":"x y"})")), Contains("as datatype"));
  CHECK_THAT(json_error(of_value(R"({"type":"literal","value":"","xml:lang":"e n"})")), Contains("a language tag"));
  CHECK_THAT(json_error(std::string(1'000'000, '[')), Contains("expected JSON"));
}

TEST_CASE("an answer in XML that is none says where, and what was expected") {
  CHECK_THAT(xml_error(""), Contains("expected XML"));
  CHECK_THAT(xml_error("{}"), Contains("expected XML"));
  CHECK_THAT(xml_error("<sparql/>"), Contains("expected an element results"));
  CHECK_THAT(xml_error("<sparql><results><result/></results></sparql>"), Contains("expected an element results"));
  CHECK_THAT(xml_error(of_element("")), Contains("solution 1, ?x: expected a value"));
  CHECK_THAT(xml_error(of_element("<uri>a b</uri>")), Contains("expected an absolute IRI"));
  CHECK_THAT(xml_error(of_element("<bnode>a</bnode><bnode>b</bnode>")), Contains("expected one term in a binding"));
  CHECK_THAT(xml_error("<!DOCTYPE x [<!ENTITY a 'b'>]>" + of_element("<literal>&a;</literal>")),
             Contains("expected XML without a document type"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  CHECK_THAT(xml_error(deep), Contains("elements 64 deep"));
}

TEST_CASE("a sink that is full, or throws, ends the reading") {
  const std::string json = R"({"results":{"bindings":[{},{},{}]}})";
  const std::string xml =
      "<sparql xmlns='http://www.w3.org/2005/sparql-results#'><results><result/><result/><result/></results></sparql>";
  for (const bool is_json : {true, false}) {
    const auto read = [&](Told& told) {
      return is_json ? read_json_solutions(json, told) : read_xml_solutions(xml, told);
    };
    Told full;
    full.full_at = 2;
    CHECK(read(full).error().kind == base::ErrorKind::ResourceExhausted);
    CHECK(full.lines.size() == 2);
    Told throwing;
    throwing.throws_at = 2;
    CHECK_THROWS_AS(read(throwing), std::runtime_error);
  }
}
