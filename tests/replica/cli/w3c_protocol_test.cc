// W3C's tests of the SPARQL 1.1 Protocol, of the Graph Store HTTP Protocol and of Service Description, against a site
// that is being served.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "engine/io/media_type.h"
#include "engine/io/rdf_format.h"
#include "tests/replica/cli/processes.h"
#include "tests/support/isomorphism.h"
#include "tests/support/seeded_random.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;
using namespace quadrille::test;
using model::Term;

namespace {

constexpr const char* http_terms = "http://www.w3.org/2011/http#";
constexpr const char* content_terms = "http://www.w3.org/2011/content#";
constexpr const char* test_terms = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
constexpr const char* update_terms = "http://www.w3.org/2009/sparql/tests/test-update#";
constexpr const char* service_terms = "http://www.w3.org/ns/sparql-service-description#";

struct Header {
  std::string name;
  std::string value;
};

// A request of a test, or what it expects for an answer.
struct Message {
  std::vector<Header> headers;
  std::optional<std::string> body;

  std::string header(std::string_view name) const {
    for (const auto& header : headers) {
      if (io::equals_ignoring_case(header.name, name)) return header.value;
    }
    return {};
  }
};

std::string text_of(const Graph& graph, const Term& node, const std::string& property) {
  const auto value = graph.object(node, property);
  return value ? std::string(value->text()) : std::string();
}

// Latin text only.
std::string as_utf16(const std::string& text) {
  std::string encoded = "\xfe\xff";
  for (const char c : text) encoded += {'\0', c};
  return encoded;
}

Message read_message(const Graph& graph, const Term& node) {
  Message message;
  if (const auto headers = graph.object(node, fmt::format("{}headers", http_terms))) {
    for (const Term& header : graph.list(*headers)) {
      message.headers.push_back({text_of(graph, header, fmt::format("{}fieldName", http_terms)),
                                 text_of(graph, header, fmt::format("{}fieldValue", http_terms))});
    }
  }
  if (const auto body = graph.object(node, fmt::format("{}body", http_terms))) {
    message.body = text_of(graph, *body, fmt::format("{}chars", content_terms));
    const auto encoding = text_of(graph, *body, fmt::format("{}characterEncoding", content_terms));
    if (encoding == "UTF-16") message.body = as_utf16(*message.body);
  }
  return message;
}

// "StatusCode2xx" stands for all of them, "Created" for one.
bool is_expected_status(const std::string& expected, int status) {
  if (expected.starts_with("StatusCode")) return expected[10] - '0' == status / 100;
  const std::map<std::string, int> statuses = {{"OK", 200}, {"Created", 201}, {"NoContent", 204}, {"NotFound", 404}};
  const auto found = statuses.find(expected);
  return found != statuses.end() && found->second == status;
}

std::string local_name(const Term& term) { return std::string(term.text().substr(term.text().rfind('#') + 1)); }

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

base::Result<std::vector<model::TermQuad>> parse(const std::string& text, const std::string& media_type,
                                                 const std::string& base_iri) {
  SeededRandom random(1);
  model::BlankNodeScope blank_nodes(random);
  io::ParseOptions options;
  options.base_iri = base_iri;
  const auto format = io::rdf_format_by_media_type(media_type);
  if (!format) return base::Error{base::ErrorKind::InvalidInput, "no RDF: " + media_type, {}};
  return io::parse_rdf_text(*format, text, options, blank_nodes);
}

// Runs the tests of one kind on one site, which is emptied before each.
class Runner {
 public:
  explicit Runner(const std::string& name) : tally(name) {
    init(files_.path("ams"), "ams");
    site_ = std::make_unique<ServedSite>(files_.path("ams"));
  }
  const std::string& url() const { return site_->url(); }

  void run(const W3cSuite& suite, const W3cTest& test) {
    update(*site_, "DROP ALL");
    const Graph& graph = *test.manifest;
    for (const Term& data : graph.objects(test.id, fmt::format("{}graphData", update_terms))) load(suite, graph, data);
    location_.clear();
    const auto requests = graph.object(*test.action, fmt::format("{}requests", http_terms));
    int number = 0;
    for (const Term& request : graph.list(*requests)) {
      ++number;
      const auto trouble = run_request(graph, request);
      if (!trouble.empty()) return tally.fail(test, fmt::format("request {}: {}", number, trouble));
    }
    if (number == 0) return tally.fail(test, "no requests");
    tally.pass();
  }

  W3cTally tally;

 private:
  void load(const W3cSuite& suite, const Graph& graph, const Term& data) {
    const auto file = graph.object(data, fmt::format("{}graph", update_terms));
    const auto name = text_of(graph, data, "http://www.w3.org/2000/01/rdf-schema#label");
    const auto answer =
        http("POST", url() + "/data?graph=" + name, {"Content-Type: application/n-triples"}, suite.read_text(*file));
    REQUIRE(answer.status / 100 == 2);
  }

  // Where a path of the suite lies here.
  std::string place_of(std::string path) const {
    replace_all(path, "$LOCATION$", location_);
    if (path.starts_with("/gsp/")) return "/data" + path.substr(4);
    if (path.starts_with("/gsp")) return "/data/" + path.substr(4);
    return path;
  }

  // What is wrong; empty: nothing.
  std::string run_request(const Graph& graph, const Term& node) {
    const auto request = read_message(graph, node);
    std::vector<std::string> headers;
    for (const auto& header : request.headers) headers.push_back(header.name + ": " + header.value);
    // curl adds a type of its own where there is none
    if (request.header("Content-Type").empty()) headers.push_back("Content-Type:");
    const auto path = place_of(text_of(graph, node, fmt::format("{}absolutePath", http_terms)));
    const auto answer = http(text_of(graph, node, fmt::format("{}methodName", http_terms)), url() + path, headers,
                             request.body.value_or(std::string()));
    const auto expected = graph.object(node, fmt::format("{}resp", http_terms));
    if (!expected) return "the test expects nothing";
    const auto trouble = compare(graph, *expected, answer, url() + path);
    return trouble.empty() ? trouble : fmt::format("{} (status {}: {})", trouble, answer.status, answer.body);
  }

  std::string compare(const Graph& graph, const Term& expected, const HttpAnswer& answer, const std::string& at) {
    const auto statuses = graph.objects(expected, fmt::format("{}expectedStatus", test_terms));
    const bool is_right = std::any_of(statuses.begin(), statuses.end(), [&](const Term& status) {
      return is_expected_status(local_name(status), answer.status);
    });
    if (!is_right) return "another status than expected";
    const auto trouble = compare_format(graph, expected, answer);
    if (!trouble.empty()) return trouble;
    if (const auto variable = text_of(graph, expected, fmt::format("{}expectedLocation", test_terms));
        !variable.empty()) {
      location_ = answer.header("location");
      if (location_.empty()) return "no Location";
    }
    const auto message = read_message(graph, expected);
    for (const auto& header : message.headers) {
      auto name = header.name;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      if (answer.header(name) != header.value) return fmt::format("{}: \"{}\"", name, answer.header(name));
    }
    return message.body ? compare_graphs(*message.body, message.header("Content-Type"), answer, at) : std::string();
  }

  static std::string compare_format(const Graph& graph, const Term& expected, const HttpAnswer& answer) {
    const auto format = text_of(graph, expected, fmt::format("{}expectedFormat", test_terms));
    const auto type = std::string(io::without_parameters(answer.content_type));
    const std::set<std::string> tables = {"application/sparql-results+json", "application/sparql-results+xml",
                                          "text/csv", "text/tab-separated-values"};
    if (format == "tabular" && !tables.contains(type)) return "no table: " + type;
    if (format == "RDF" && !io::rdf_format_by_media_type(type)) return "no RDF: " + type;
    if (format != "boolean") return {};
    if (type != "application/sparql-results+json") return "no boolean: " + type;
    const auto value = graph.object(expected, fmt::format("{}expectedBoolean", test_terms));
    if (!value) return {};
    const bool is_true = answer.body.find("\"boolean\":true") != std::string::npos ||
                         answer.body.find("\"boolean\": true") != std::string::npos;
    return is_true == (value->text() == "true") ? std::string() : "the other boolean";
  }

  static std::string compare_graphs(const std::string& expected, const std::string& type, const HttpAnswer& answer,
                                    const std::string& at) {
    const auto wanted = parse(expected, type, at);
    const auto given = parse(answer.body, answer.content_type, at);
    if (!wanted.ok()) return "expected: " + wanted.error().message;
    if (!given.ok()) return given.error().message;
    return are_isomorphic(*wanted, *given) ? std::string() : "another graph";
  }

  TemporaryDirectory files_;
  std::unique_ptr<ServedSite> site_;
  std::string location_;
};

void run_suite(const std::string& name, int expected) {
  const auto suite = W3cSuite::find();
  if (!suite) {
    fmt::print("{}: skipped, ../shared/rdf-tests is not there\n", name);
    return;
  }
  Runner runner(name);
  for (const W3cTest& test : suite->read_manifest("sparql/sparql11/" + name + "/manifest.ttl")) {
    runner.run(*suite, test);
  }
  runner.tally.print();
  CHECK(runner.tally.failed() == 0);
  CHECK(runner.tally.passed() == expected);
}

}  // namespace

TEST_CASE("all W3C tests of the SPARQL protocol pass") { run_suite("protocol", 34); }
TEST_CASE("all W3C tests of the graph store protocol pass") { run_suite("graph-store-protocol", 13); }

// The three tests say in their names alone what they expect.
TEST_CASE("what W3C's tests of service description expect holds") {
  TemporaryDirectory files;
  init(files.path("ams"), "ams");
  const ServedSite site(files.path("ams"));
  const auto endpoint = site.url() + "/sparql";
  const auto answer = http("GET", endpoint, {"Accept: text/turtle, application/rdf+xml;q=0.5"});
  REQUIRE(answer.status == 200);
  const auto parsed = parse(answer.body, answer.content_type, endpoint);
  REQUIRE(parsed.ok());  // returns-rdf
  const Graph graph(*parsed);
  const auto term = [](const std::string& name) { return Term::iri(service_terms + name); };

  const auto services = graph.subjects(std::string(service_terms) + "endpoint", Term::iri(endpoint));
  REQUIRE(services.size() == 1);  // has-endpoint-triple
  // conforms-to-schema: a service with its languages, result formats and data set, each of its class
  const Term& service = services[0];
  const std::string type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
  CHECK(graph.object(service, type) == term("Service"));
  const auto languages = graph.objects(service, std::string(service_terms) + "supportedLanguage");
  CHECK(languages == std::vector{term("SPARQL11Query"), term("SPARQL11Update")});
  const auto formats = graph.objects(service, std::string(service_terms) + "resultFormat");
  CHECK(std::find(formats.begin(), formats.end(), Term::iri("http://www.w3.org/ns/formats/SPARQL_Results_JSON")) !=
        formats.end());
  const auto inputs = graph.objects(service, std::string(service_terms) + "inputFormat");
  CHECK(std::find(inputs.begin(), inputs.end(), Term::iri("http://www.w3.org/ns/formats/RDF_XML")) != inputs.end());
  const auto dataset = graph.object(service, std::string(service_terms) + "defaultDataset");
  REQUIRE(dataset);
  CHECK(graph.object(*dataset, type) == term("Dataset"));
  const auto default_graph = graph.object(*dataset, std::string(service_terms) + "defaultGraph");
  REQUIRE(default_graph);
  CHECK(graph.object(*default_graph, type) == term("Graph"));
  // All that is said is said in terms that the vocabulary has.
  const std::set<std::string> known = {"endpoint",          "supportedLanguage", "feature",      "resultFormat",
                                       "inputFormat",       "defaultDataset",    "defaultGraph", "extensionFunction",
                                       "languageExtension", "propertyFeature"};
  for (const auto& quad : graph.quads()) {
    const auto property = std::string(quad.predicate.text());
    if (property.starts_with(service_terms)) CHECK(known.contains(local_name(quad.predicate)));
  }
}
