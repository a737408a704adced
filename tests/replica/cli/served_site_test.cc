// A site served over HTTP.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

namespace {

// A served site that is alone.
struct Alone {
  Alone() {
    init(files.path("ams"), "ams");
    site = std::make_unique<ServedSite>(files.path("ams"));
  }
  std::string url(const std::string& path) const { return site->url() + path; }
  HttpAnswer query(const std::string& text, const std::string& accept) const {
    return http("POST", url("/sparql"), {"Content-Type: application/sparql-query", "Accept: " + accept}, text);
  }
  void update(const std::string& text) const {
    const auto answer = http("POST", url("/sparql"), {"Content-Type: application/sparql-update"}, text);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
  }

  TemporaryDirectory files;
  std::unique_ptr<ServedSite> site;
};

// Looks at billions of combinations of a few thousand quads, and finds none: it takes long, and no memory.
const std::string cross_product =
    "?a <urn:p> ?b . ?c <urn:p> ?d . ?e <urn:p> ?f FILTER(STRLEN(CONCAT(STR(?a), STR(?d), STR(?f))) = 3) ";

// VALUES of so many IRIs for one variable.
std::string numbers(const std::string& variable, const std::string& prefix, int count) {
  std::string text = "VALUES " + variable + " { ";
  for (int i = 0; i < count; ++i) text += "<" + prefix + std::to_string(i) + "> ";
  return text + "} ";
}

// A POST of a query or an update, as bytes.
std::string posted(const std::string& what, const std::string& text) {
  return "POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-" + what +
         "\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

// So large that it is no ordinary update.
constexpr int large_document_lines = 40'000;
std::string large_document(const std::string& predicate) {
  std::string text;
  for (int i = 0; i < large_document_lines; ++i) {
    text += "<urn:late:" + std::to_string(i) + "> " + predicate + " \"a value\" .\n";
  }
  return text;
}

// As bytes.
std::string document_sent(const std::string& method, const std::string& path, const std::string& text) {
  return method + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/n-triples\r\nContent-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

const char* const form = "Content-Type: application/x-www-form-urlencoded";

}  // namespace

TEST_CASE("an answer comes in each format that a client may ask for") {
  const Alone alone;
  alone.update("INSERT DATA { <urn:a> <urn:p> \"x\" }");
  const std::string select = "SELECT ?o WHERE { ?s ?p ?o }";

  const auto json = alone.query(select, "application/sparql-results+json");
  CHECK(json.status == 200);
  CHECK(json.content_type == "application/sparql-results+json");
  CHECK(Json::parse(json.body)["results"]["bindings"][0]["o"]["value"] == "x");

  const auto xml = alone.query(select, "application/sparql-results+xml");
  CHECK(xml.content_type == "application/sparql-results+xml");
  CHECK_THAT(xml.body, Contains("<literal>x</literal>"));

  CHECK(alone.query(select, "text/csv").body == "o\r\nx\r\n");
  CHECK(alone.query(select, "text/tab-separated-values").body == "?o\n\"x\"\n");
  CHECK(alone.query(select, "*/*").content_type == "application/sparql-results+json");
  CHECK(alone.query("ASK {}", "application/sparql-results+json;q=0.1, text/csv").body == "true\r\n");

  const std::string construct = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";
  CHECK(alone.query(construct, "application/n-triples").body == "<urn:a> <urn:p> \"x\" .\n");
  const auto turtle = alone.query(construct, "text/turtle");
  CHECK(turtle.status == 200);
  CHECK_THAT(turtle.content_type, StartsWith("text/turtle"));
  CHECK_THAT(alone.query("DESCRIBE <urn:a>", "application/n-triples").body, Contains("<urn:a> <urn:p> \"x\" ."));

  CHECK(alone.query(select, "image/png").status == 406);
  CHECK(alone.query(construct, "text/csv").status == 406);
}

TEST_CASE("queries and updates come by GET, by form and as bodies") {
  const Alone alone;
  CHECK(http("POST", alone.url("/sparql"), {form}, "update=INSERT+DATA+%7B%3Curn%3Aa%3E+%3Curn%3Ap%3E+1%7D").status ==
        200);
  const std::vector<std::string> csv = {"Accept: text/csv"};
  CHECK(http("GET", alone.url("/sparql?query=ASK%7B%3Curn%3Aa%3E%20%3Curn%3Ap%3E%201%7D"), csv).body == "true\r\n");
  CHECK(http("POST", alone.url("/sparql"), {form, "Accept: text/csv"}, "query=ASK%7B%3Curn%3Aa%3E+%3Curn%3Ap%3E+1%7D")
            .body == "true\r\n");
  CHECK(http("POST", alone.url("/sparql"), {form}, "update=CLEAR+ALL&query=ASK%7B%7D").status == 400);
  CHECK(http("GET", alone.url("/sparql?update=CLEAR%20ALL")).status == 400);
  CHECK(http("POST", alone.url("/sparql"), {"Content-Type: text/plain"}, "ASK {}").status == 415);
  CHECK(http("DELETE", alone.url("/sparql")).status == 405);
  CHECK(http("GET", alone.url("/nowhere")).status == 404);
  CHECK(http("POST", alone.url("/status")).status == 405);
  CHECK(http("GET", alone.url("/health")).body == "ok\n");
}

TEST_CASE("the protocol's dataset replaces the query's") {
  const Alone alone;
  alone.update(
      "INSERT DATA { <urn:a> <urn:p> 0 GRAPH <urn:g> { <urn:a> <urn:p> 1 } GRAPH <urn:h> { <urn:a> <urn:p> 2 } }");
  const std::string ask = "SELECT%20?o%20WHERE%20%7B%20%3Curn%3Aa%3E%20%3Curn%3Ap%3E%20?o%20%7D";
  const std::vector<std::string> csv = {"Accept: text/csv"};
  CHECK(http("GET", alone.url("/sparql?query=" + ask), csv).body == "o\r\n0\r\n");
  CHECK(http("GET", alone.url("/sparql?default-graph-uri=urn:g&query=" + ask), csv).body == "o\r\n1\r\n");
  CHECK(http("POST", alone.url("/sparql?using-graph-uri=urn:h"), {"Content-Type: application/sparql-update"},
             "DELETE { GRAPH <urn:h> { ?s ?p ?o } } WHERE { ?s ?p ?o }")
            .status == 200);
  CHECK(http("GET", alone.url("/sparql?default-graph-uri=urn:h&query=" + ask), csv).body == "o\r\n");
  CHECK(http("GET", alone.url("/sparql?default-graph-uri=urn:g&query=" + ask), csv).body == "o\r\n1\r\n");
}

TEST_CASE("a malformed query is 400 with line, column and reason") {
  const Alone alone;
  const auto answer = alone.query("SELECT ?x\nWHERE { ?x ?y }", "*/*");
  CHECK(answer.status == 400);
  CHECK_THAT(answer.body, StartsWith("line 2, column "));
  CHECK_THAT(answer.body, Contains("expected"));
  const auto update = http("POST", alone.url("/sparql"), {"Content-Type: application/sparql-update"}, "INSERT DATA {");
  CHECK(update.status == 400);
  CHECK_THAT(update.body, StartsWith("line 1, column "));
}

TEST_CASE("an update that fails halfway leaves nothing") {
  const Alone alone;
  const auto answer = http("POST", alone.url("/sparql"), {"Content-Type: application/sparql-update"},
                           "INSERT DATA { <urn:a> <urn:p> 1 } ; LOAD <http://127.0.0.1:1/x>");
  CHECK(answer.status >= 400);
  CHECK(alone.query("ASK { ?s ?p ?o }", "text/csv").body == "false\r\n");
}

TEST_CASE("a site keeps its limits of time and of size") {
  const TemporaryDirectory files;
  const auto config = files.file("limits.toml", "[limits]\nquery_time_ms = 100\nupload_mb = 1\n");
  init(files.path("ams"), "ams", {"--config", config});
  const ServedSite site(files.path("ams"));
  const std::vector<std::string> triples = {"Content-Type: application/n-triples"};
  std::string document;
  for (int i = 0; i < 2000; ++i) document += "<urn:s" + std::to_string(i) + "> <urn:p> \"x\" .\n";
  CHECK(http("POST", site.url() + "/data", triples, document).status == 200);
  CHECK(http("POST", site.url() + "/data", triples, std::string((1 << 20) + 1, '#')).status == 413);

  const auto slow = http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-query"},
                         "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?a > ?d || ?g > ?a) }");
  CHECK(slow.status == 504);
  CHECK(http("GET", site.url() + "/health").status == 200);
}

TEST_CASE("data goes in and out as documents, a graph at a time if asked") {
  const Alone alone;
  const std::vector<std::string> triples = {"Content-Type: application/n-triples", "Accept: application/n-triples"};
  CHECK(http("POST", alone.url("/data"), triples, "<urn:a> <urn:p> \"1\" .\n").status == 200);
  CHECK(http("POST", alone.url("/data?graph=urn:g"), triples, "<urn:b> <urn:p> \"2\" .\n").status == 201);
  CHECK(http("GET", alone.url("/data"), {"Accept: application/n-quads"}).body ==
        "<urn:a> <urn:p> \"1\" .\n<urn:b> <urn:p> \"2\" <urn:g> .\n");
  CHECK(http("GET", alone.url("/data?default"), triples).body == "<urn:a> <urn:p> \"1\" .\n");
  CHECK(http("PUT", alone.url("/data?graph=urn:g"), triples, "<urn:c> <urn:p> \"3\" .\n").status == 200);
  CHECK(http("GET", alone.url("/data?graph=urn:g"), triples).body == "<urn:c> <urn:p> \"3\" .\n");
  CHECK(http("DELETE", alone.url("/data?graph=urn:g")).status == 200);
  CHECK(http("GET", alone.url("/data?graph=urn:g")).status == 404);

  const auto bad = http("POST", alone.url("/data"), triples, "<urn:x> <urn:p> \"1\" .\n<urn:x> oops\n");
  CHECK(bad.status == 400);
  CHECK_THAT(bad.body, Contains("2:"));
  CHECK_THAT(http("GET", alone.url("/data"), triples).body, !Contains("urn:x"));
  CHECK(http("POST", alone.url("/data"), {"Content-Type: text/html"}, "").status == 415);
  CHECK(http("PUT", alone.url("/data"), triples, "").status == 400);
  CHECK(http("POST", alone.url("/data?graph=relative"), triples, "").status == 400);
  CHECK(http("POST", alone.url("/data?grpah=urn:g"), triples, "").status == 400);
}

TEST_CASE("files are loaded into a running site as one transaction") {
  const Alone alone;
  const auto good = alone.files.file("good.ttl", "<urn:a> <urn:p> 1, 2 .\n");
  const auto bad = alone.files.file("bad.nt", "<urn:a> <urn:p> <urn:c> .\n\n<urn:a> .\n");
  const auto failed = run_quadrille({"load", alone.site->url(), good, bad});
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Contains("bad.nt:3:"));
  CHECK(alone.query("ASK { ?s ?p ?o }", "text/csv").body == "false\r\n");
  const auto loaded = run_quadrille({"load", alone.site->url(), good, "--graph", "urn:g"});
  INFO(loaded.err);
  CHECK(loaded.status == 0);
  CHECK_THAT(loaded.out, StartsWith("loaded 2 new quads"));
  CHECK(run_quadrille({"query", alone.site->url(), "ASK { GRAPH <urn:g> { <urn:a> <urn:p> 2 } }", "--results", "csv"})
            .out == "true\r\n");
  CHECK(run_quadrille({"load", alone.site->url(), "-", "--format", "nt"}, "<urn:z> <urn:p> <urn:b> .\n").status == 0);
  CHECK_THAT(run_quadrille({"dump", alone.site->url()}).out, Contains("<urn:z> <urn:p> <urn:b> .\n"));
}

TEST_CASE("a site says what it is and what it holds") {
  const Alone alone;
  alone.update("INSERT DATA { <urn:a> <urn:p> 1, 2 }");
  const auto answer = http("GET", alone.url("/status?digest=true"));
  CHECK(answer.content_type == "application/json");
  const auto status = Json::parse(answer.body);
  CHECK(status["site"] == "ams");
  CHECK(status["cluster"] == "quadrille");
  CHECK(status["quads"] == 2);
  CHECK(status["digest"] == Json::parse(http("GET", alone.url("/digest")).body)["digest"]);
  CHECK(Json::parse(http("GET", alone.url("/conflicts")).body) == Json::array());
  const auto shown = run_quadrille({"status", alone.site->url()});
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK_THAT(shown.out, Contains("quads      2"));
  CHECK(run_quadrille({"conflicts", alone.site->url()}).out == "no conflicts\n");
}

TEST_CASE("HEAD says what GET would, without the body") {
  const Alone alone;
  alone.update("INSERT DATA { <urn:a> <urn:p> 1 }");
  for (const std::string path : {"/health", "/data", "/sparql", "/sparql?query=ASK%7B%7D", "/policy"}) {
    CAPTURE(path);
    const auto head = http("HEAD", alone.url(path));
    const auto get = http("GET", alone.url(path));
    CHECK(head.status == 200);
    CHECK(head.body.empty());
    CHECK(head.content_type == get.content_type);
    CHECK(head.header("content-length") == std::to_string(get.body.size()));
  }
}

TEST_CASE("a long answer arrives whole") {
  const Alone alone;
  std::string triples;
  for (int i = 0; i < 60'000; ++i) triples += "<urn:s" + std::to_string(i) + "> <urn:p> \"a value of some length\" .\n";
  REQUIRE(http("POST", alone.url("/data"), {"Content-Type: application/n-triples"}, triples).status == 200);
  const auto rows = alone.query("SELECT * WHERE { ?s ?p ?o }", "text/csv").body;
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 60'001);
  const auto dump = http("GET", alone.url("/data"), {"Accept: application/n-triples"}).body;
  CHECK(std::count(dump.begin(), dump.end(), '\n') == 60'000);
}

TEST_CASE("clients at once are all answered, and their updates all kept") {
  const Alone alone;
  std::vector<std::thread> clients;
  std::atomic<int> failed{0};
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 25; ++i) {
        const auto name = std::to_string(client) + "-" + std::to_string(i);
        const auto update = http("POST", alone.url("/sparql"), {"Content-Type: application/sparql-update"},
                                 "INSERT DATA { <urn:" + name + "> <urn:p> 1 }");
        const auto answer =
            http("POST", alone.url("/sparql"), {"Content-Type: application/sparql-query", "Accept: text/csv"},
                 "ASK { <urn:" + name + "> <urn:p> 1 }");
        if (update.status != 200 || answer.body != "true\r\n") ++failed;
      }
    });
  }
  for (auto& client : clients) client.join();
  CHECK(failed == 0);
  CHECK(Json::parse(http("GET", alone.url("/status")).body)["quads"] == 200);
}

TEST_CASE("a site that is told to stop ends cleanly and keeps everything") {
  Alone alone;
  alone.update("INSERT DATA { <urn:a> <urn:p> 1 }");
  CHECK(alone.site->stop_politely() == 0);
  CHECK(run_quadrille({"verify", alone.files.path("ams")}).status == 0);
  CHECK_THAT(run_quadrille({"dump", alone.files.path("ams")}).out, Contains("<urn:a>"));
}

TEST_CASE("a site stops although clients take nothing of their answers") {
  Alone alone;
  const std::string value(1000, 'x');
  std::string triples;
  for (int i = 0; i < 40'000; ++i) triples += "<urn:s" + std::to_string(i) + "> <urn:p> \"" + value + "\" .\n";
  REQUIRE(http("POST", alone.url("/data"), {"Content-Type: application/n-triples"}, triples).status == 200);
  const DeafClient one(alone.site->http(), "GET /data HTTP/1.1\r\nHost: x\r\n\r\n");
  const DeafClient other(alone.site->http(), "GET /data HTTP/1.1\r\nHost: x\r\n\r\n");
  REQUIRE(eventually([&] { return one.is_answered() && other.is_answered(); }));
  CHECK(alone.site->stop_politely() == 0);
}

TEST_CASE("a site stops although an update takes long and a load waits behind it") {
  Alone alone;
  alone.update("INSERT { ?s <urn:p> ?o } WHERE { " + numbers("?s", "urn:", 60) + numbers("?o", "urn:", 60) + "}");
  const DeafClient client(alone.site->http(),
                          posted("update", "DELETE { ?a <urn:p> ?b } WHERE { " + cross_product + "}"));
  sleep_a_little();
  const DeafClient load(alone.site->http(), document_sent("POST", "/data", large_document("<urn:loaded>")));
  const DeafClient replacement(alone.site->http(), document_sent("PUT", "/data?default", large_document("<urn:put>")));
  sleep_a_little();
  CHECK(alone.site->stop_politely() == 0);
  CHECK(run_quadrille({"verify", alone.files.path("ams")}).status == 0);
  const auto count = [&](const std::string& predicate) {
    const auto query = "SELECT (COUNT(*) AS ?n) { ?s " + predicate + " ?o }";
    return run_quadrille({"query", alone.files.path("ams"), query, "--results", "csv"}).out;
  };
  CHECK(count("<urn:p>") == "n\r\n3600\r\n");
  CHECK(count("<urn:loaded>") == "n\r\n0\r\n");
  CHECK(count("<urn:put>") == "n\r\n0\r\n");
}

TEST_CASE("loads that wait for the writer take no thread from queries") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", {"--config", files.file("one.toml", "[limits]\nquery_threads = 1\n")});
  const ServedSite site(files.path("ams"));
  const auto send = [&](const std::string& what, const std::string& text) {
    return http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-" + what, "Accept: text/csv"}, text);
  };
  REQUIRE(
      send("update", "INSERT { ?s <urn:p> ?o } WHERE { " + numbers("?s", "urn:", 60) + numbers("?o", "urn:", 60) + "}")
          .status == 200);
  const DeafClient update(site.http(), posted("update", "DELETE { ?a <urn:p> ?b } WHERE { " + cross_product + "}"));
  sleep_a_little();
  const DeafClient load(site.http(), document_sent("POST", "/data", large_document("<urn:loaded>")));
  const DeafClient replacement(site.http(), document_sent("PUT", "/data?default", large_document("<urn:put>")));
  for (int i = 0; i < 10; ++i) sleep_a_little();
  CHECK(send("query", "ASK { ?s <urn:p> ?o }").body == "true\r\n");
  CHECK_FALSE(update.is_answered());
  CHECK_FALSE(load.is_answered());
  CHECK_FALSE(replacement.is_answered());
}

TEST_CASE("a large document replaces a graph as a whole, or not at all") {
  const Alone alone;
  const std::vector<std::string> triples = {"Content-Type: application/n-triples", "Accept: text/csv"};
  alone.update("INSERT DATA { <urn:a> <urn:p> 1 GRAPH <urn:g> { <urn:a> <urn:p> 2 } }");
  const auto bad = http("PUT", alone.url("/data?graph=urn:g"), triples, large_document("<urn:q>") + "oops\n");
  CHECK(bad.status == 400);
  CHECK_THAT(bad.body, Contains(":" + std::to_string(large_document_lines + 1) + ":1:"));
  CHECK(alone.query("ASK { GRAPH <urn:g> { <urn:a> <urn:p> 2 } }", "text/csv").body == "true\r\n");
  CHECK(http("PUT", alone.url("/data?graph=urn:g"), triples, large_document("<urn:q>")).status == 200);
  CHECK(alone.query("SELECT (COUNT(*) AS ?n) { GRAPH <urn:g> { ?s ?p ?o } }", "text/csv").body ==
        "n\r\n" + std::to_string(large_document_lines) + "\r\n");
  CHECK(alone.query("ASK { <urn:a> <urn:p> 1 }", "text/csv").body == "true\r\n");
}

TEST_CASE("long queries keep no update waiting, and end when their clients go away") {
  const Alone alone;
  alone.update("INSERT { ?s <urn:p> ?o } WHERE { " + numbers("?s", "urn:", 60) + numbers("?o", "urn:", 60) + "}");
  std::vector<std::unique_ptr<DeafClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<DeafClient>(
        alone.site->http(), posted("query", "SELECT (COUNT(*) AS ?n) WHERE { " + cross_product + "}")));
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto is_soon = [&] { return std::chrono::steady_clock::now() - begun < std::chrono::seconds(40); };
  alone.update("INSERT DATA { <urn:a> <urn:p> 1 }");
  CHECK(http("GET", alone.url("/status")).status == 200);
  CHECK(is_soon());
  clients.clear();
  CHECK(alone.query("ASK { <urn:a> <urn:p> 1 }", "text/csv").body == "true\r\n");
  CHECK(is_soon());
}

TEST_CASE("a site killed under updates has all that it acknowledged, and none by half") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  std::vector<int> acknowledged;
  {
    ServedSite site(files.path("ams"));
    std::thread client([&] {
      for (int i = 0;; ++i) {
        const auto text = "INSERT DATA { <urn:" + std::to_string(i) + "> <urn:p> 1, 2, 3 }";
        const auto answer = http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-update"}, text);
        if (answer.status != 200) return;
        acknowledged.push_back(i);
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    site.kill_hard();
    client.join();
  }
  REQUIRE_FALSE(acknowledged.empty());
  const ServedSite again(files.path("ams"));
  const auto rows =
      http("POST", again.url() + "/sparql", {"Content-Type: application/sparql-query", "Accept: text/csv"},
           "SELECT ?s ?o WHERE { ?s <urn:p> ?o }");
  const auto count = static_cast<size_t>(std::count(rows.body.begin(), rows.body.end(), '\n')) - 1;
  CHECK(count % 3 == 0);
  CHECK(count / 3 >= acknowledged.size());
  CHECK(count / 3 <= acknowledged.size() + 1);
}
