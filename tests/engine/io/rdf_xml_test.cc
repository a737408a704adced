#include <catch2/catch.hpp>
#include <set>

#include "engine/io/rdf_parser.h"
#include "engine/io/rdf_xml_parser.h"
#include "engine/io/xml_depth.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;
using Catch::Matchers::Contains;

namespace {

base::Result<std::vector<model::TermQuad>> parse(const std::string& text, const io::ParseOptions& options = {}) {
  test::SeededRandom random(1);
  model::BlankNodeScope blank_nodes(random);
  return io::parse_rdf_text(io::RdfFormat::RdfXml, text, options, blank_nodes);
}

std::string document(const std::string& content) {
  return "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'>\n" + content +
         "</rdf:RDF>\n";
}

std::string failure_of(const std::string& text) {
  const auto parsed = parse(text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().position);
  return parsed.error().message;
}

}  // namespace

TEST_CASE("RDF/XML gives IRIs, literals with language and datatype, and blank nodes, in the graph that was asked for") {
  if (!io::reads_rdf_xml()) return;
  io::ParseOptions options;
  options.graph = model::Term::iri("http://g/");
  const auto quads = parse(document("<rdf:Description rdf:about='http://s/'><e:p xml:lang='de'>Haus</e:p>"
                                    "<e:q rdf:datatype='http://d/'>1</e:q><e:r><e:T/></e:r></rdf:Description>"),
                           options);
  REQUIRE(quads.ok());
  REQUIRE(quads->size() == 4);
  CHECK((*quads)[0].subject == model::Term::iri("http://s/"));
  CHECK((*quads)[0].object == model::Term::language_literal("Haus", "de"));
  CHECK((*quads)[1].object == model::Term::typed_literal("1", "http://d/"));
  CHECK((*quads)[0].graph == options.graph);
  for (const auto& quad : *quads) {
    if (quad.predicate == model::Term::iri("http://e/r")) CHECK(quad.object.is_blank_node());
  }
}

TEST_CASE("what the receiver of RDF/XML throws comes out of the parser, and nothing is sent after it") {
  if (!io::reads_rdf_xml()) return;
  class ThrowingSink final : public io::QuadSink {
   public:
    base::Result<void> add(const model::TermQuadView&, uint64_t) override {
      if (++added == 2) throw base::StorageError({base::ErrorKind::IoFailure, "the disk has failed", {}});
      return {};
    }
    int added = 0;
  };
  const std::string text = document(
      "<rdf:Description rdf:about='http://s/'><e:p>1</e:p><e:p>2</e:p><e:p>3</e:p><e:p>4</e:p></rdf:Description>");
  test::SeededRandom random(1);
  model::BlankNodeScope blank_nodes(random);
  ThrowingSink sink;
  io::MemoryInput input(text);
  CHECK_THROWS_AS(io::parse_rdf(io::RdfFormat::RdfXml, input, {}, blank_nodes, sink), base::StorageError);
  CHECK(sink.added == 2);
}

TEST_CASE("a blank node that RDF/XML names is never one that it leaves without a name") {
  if (!io::reads_rdf_xml()) return;
  std::string content;
  for (int i = 0; i < 20; ++i) {
    for (const std::string name : {"made-", "genid", "made-given-"}) {
      content +=
          "<rdf:Description rdf:nodeID='" + name + std::to_string(i) + "'><e:named>x</e:named></rdf:Description>";
    }
    content += "<rdf:Description><e:unnamed>x</e:unnamed></rdf:Description>";
  }
  const auto quads = parse(document(content));
  REQUIRE(quads.ok());
  std::set<std::string> named, unnamed;
  for (const auto& quad : *quads) {
    (quad.predicate.text() == "http://e/named" ? named : unnamed).insert(quad.subject.text());
  }
  CHECK(named.size() == 60);
  CHECK(unnamed.size() == 20);
  for (const auto& label : unnamed) CHECK(named.count(label) == 0);
}

TEST_CASE("RDF/XML that is malformed is told with its place") {
  if (!io::reads_rdf_xml()) return;
  CHECK_THAT(failure_of(document("<rdf:Description rdf:about='http://s/'>")), Contains("RDF/XML"));
  CHECK_THAT(failure_of(document("<rdf:Description rdf:about='relative'><e:p>x</e:p></rdf:Description>")),
             Contains("expected an absolute one"));
  CHECK_THAT(failure_of(document("<rdf:Description rdf:about='http://s/a b'><e:p>x</e:p></rdf:Description>")),
             Contains("http://s/a b"));
  CHECK_FALSE(failure_of("no XML").empty());
  CHECK_FALSE(failure_of("").empty());
}

TEST_CASE("RDF/XML reads no file and swells by no entity") {
  if (!io::reads_rdf_xml()) return;
  const std::string of_file = "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>" +
                              document("<rdf:Description rdf:about='http://s/'><e:p>&f;</e:p></rdf:Description>");
  if (const auto quads = parse(of_file); quads.ok()) {
    for (const auto& quad : *quads) CHECK(quad.object.text().find("root") == std::string::npos);
  }
  std::string entities = "<!ENTITY a0 'aaaaaaaaaaaaaaaaaaaa'>";
  for (int i = 1; i < 12; ++i) {
    entities += "<!ENTITY a" + std::to_string(i) + " '";
    for (int k = 0; k < 10; ++k) entities += "&a" + std::to_string(i - 1) + ";";
    entities += "'>";
  }
  CHECK_FALSE(parse("<!DOCTYPE x [" + entities + "]>" +
                    document("<rdf:Description rdf:about='http://s/'><e:p>&a11;</e:p></rdf:Description>"))
                  .ok());
}

TEST_CASE("elements of RDF/XML that are nested by the hundred thousand are an error") {
  if (!io::reads_rdf_xml()) return;
  std::string content;
  for (int i = 0; i < 100'000; ++i) content += "<e:T><e:p>";
  CHECK_THAT(failure_of(document(content)), Contains("nest more than 1000 deep"));
}

TEST_CASE("the depth of XML elements is counted, whatever stands between them and wherever the bytes are cut") {
  const std::string text =
      "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x '<b>'>]><a x='<c>' y=\"/>\"><!-- <d> -- --><e/>"
      "<f><![CDATA[<g>]]></f><h ><i></i></h></a>";
  for (size_t step = 1; step < text.size(); ++step) {
    io::XmlDepth depth;
    size_t deepest = 0;
    for (size_t at = 0; at < text.size(); at += step) {
      deepest = std::max(deepest, depth.follow(std::string_view(text).substr(at, step)));
    }
    CHECK(deepest == 3);
    CHECK(depth.follow("<z>") == 1);
  }
}
