// SERVICE and LOAD between sites that are processes, and from servers that are none.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/replica/cli/processes.h"
#include "tests/support/raw_server.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;

namespace {

// Changes a line of a site's file, as an operator would.
void configure(const std::string& directory, const std::string& key, const std::string& value) {
  const std::string name = directory + "/site.toml";
  std::ifstream in(name);
  std::ostringstream text;
  for (std::string line; std::getline(in, line);)
    text << (line.starts_with(key + " = ") ? key + " = " + value : line) << "\n";
  in.close();
  std::ofstream(name) << text.str();
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

HttpAnswer query(const ServedSite& site, const std::string& text) {
  return http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-query", "Accept: text/csv"}, text);
}
HttpAnswer try_update(const ServedSite& site, const std::string& text) {
  return http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-update"}, text);
}
std::string rows(const ServedSite& site, const std::string& text) {
  const auto answer = query(site, text);
  return answer.status == 200 ? answer.body : std::to_string(answer.status) + " " + answer.body;
}
std::string count(const ServedSite& site) {
  return rows(site, "SELECT (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }");
}

// A site that asks, and one that answers. What the first may ask is what is given.
struct TwoSites {
  explicit TwoSites(const std::string& allowed = "THERE", const std::map<std::string, std::string>& more = {}) {
    init(files.path("nyc"), "nyc");
    there = std::make_unique<ServedSite>(files.path("nyc"));
    init(files.path("ams"), "ams");
    configure(files.path("ams"), "allow",
              allowed.empty() ? "[]" : "[" + quoted(allowed == "THERE" ? there->url() : allowed) + "]");
    for (const auto& [key, value] : more) configure(files.path("ams"), key, value);
    here = std::make_unique<ServedSite>(files.path("ams"));
  }
  std::string endpoint() const { return "<" + there->url() + "/sparql>"; }

  TemporaryDirectory files;
  std::unique_ptr<ServedSite> there;
  std::unique_ptr<ServedSite> here;
};

std::string numbered(int count, const std::string& property) {
  std::string text = "INSERT DATA { ";
  for (int i = 0; i < count; ++i)
    text += "<urn:s" + std::to_string(i) + "> " + property + " " + std::to_string(i) + " . ";
  return text + "}";
}

}  // namespace

TEST_CASE("one site asks another by SERVICE, and hands over what it has") {
  const TwoSites sites;
  REQUIRE(try_update(*sites.there, numbered(3000, "<urn:q>")).status == 200);
  REQUIRE(try_update(*sites.here, numbered(900, "<urn:p>")).status == 200);
  const std::string pattern = "?s <urn:p> ?o SERVICE " + sites.endpoint() + " { ?s <urn:q> ?q }";
  CHECK(rows(*sites.here, "SELECT (COUNT(*) AS ?n) (SUM(?q) AS ?sum) { " + pattern + " FILTER(?o = ?q) }") ==
        "n,sum\r\n900,404550\r\n");
  CHECK(rows(*sites.here, "SELECT ?q { VALUES ?s { <urn:s7> <urn:none> } SERVICE " + sites.endpoint() +
                              " { ?s <urn:q> ?q } }") == "q\r\n7\r\n");
  const auto plan = http("POST", sites.here->url() + "/sparql?profile=true", {"Content-Type: application/sparql-query"},
                         "SELECT * { " + pattern + " }");
  CHECK_THAT(plan.body, Contains("handing over ?s") && Contains("requests"));
  const auto local = run_quadrille({"query", sites.files.path("nyc"), "ASK {}"});
  CHECK(local.status == 1);  // it is being served
}

TEST_CASE("an endpoint that is not listed is refused, with the key that would allow it") {
  const TwoSites off("");
  const std::string asked = "SELECT * { SERVICE " + off.endpoint() + " { ?s ?p ?o } }";
  const auto refused = query(*off.here, asked);
  CHECK(refused.status == 403);
  CHECK_THAT(refused.body, Contains("SERVICE and LOAD are off here") && Contains("[federation] allow"));
  CHECK(rows(*off.here, "SELECT (COUNT(*) AS ?n) { SERVICE SILENT " + off.endpoint() + " { ?s ?p ?o } }") ==
        "n\r\n1\r\n");
  const auto load = try_update(*off.here, "LOAD <" + off.there->url() + "/data?default>");
  CHECK(load.status == 403);
  CHECK_THAT(load.body, Contains("[federation] allow"));

  const TwoSites star("*");
  const auto is_private = query(*star.here, "SELECT * { SERVICE " + star.endpoint() + " { ?s ?p ?o } }");
  CHECK(is_private.status == 403);
  CHECK_THAT(is_private.body, Contains("on this machine or in a private network"));
  CHECK(try_update(*star.here, "LOAD <" + star.there->url() + "/data?default>").status == 403);
}

TEST_CASE("an endpoint where nobody is fails the query, unless it is silent") {
  TwoSites sites;
  REQUIRE(try_update(*sites.here, numbered(2, "<urn:p>")).status == 200);
  sites.there->kill_hard();
  const std::string rest = sites.endpoint() + " { ?s <urn:q> ?q } }";
  const auto failed = query(*sites.here, "SELECT * { ?s <urn:p> ?o SERVICE " + rest);
  CHECK(failed.status == 503);
  CHECK_THAT(failed.body, Contains(sites.there->url()));
  CHECK(rows(*sites.here, "SELECT ?s ?q { ?s <urn:p> ?o SERVICE SILENT " + rest + " ORDER BY ?s") ==
        "s,q\r\nurn:s0,\r\nurn:s1,\r\n");
}

TEST_CASE("LOAD takes a document of another site, in its place in the update") {
  const TwoSites sites;
  REQUIRE(try_update(*sites.there, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 , 2 . _:x <urn:p> 3 } }").status ==
          200);
  const std::string document = "<" + sites.there->url() + "/data?graph=urn:g>";
  const auto done = try_update(*sites.here, "LOAD " + document + " INTO GRAPH <urn:copy> ; LOAD " + document +
                                                " ; DELETE WHERE { GRAPH <urn:copy> { ?s <urn:p> 2 } }");
  INFO(done.body);
  REQUIRE(done.status == 200);
  CHECK_THAT(done.body, Contains("\"inserted\":5") || Contains("\"inserted\": 5"));
  CHECK(rows(*sites.here, "SELECT ?o { GRAPH <urn:copy> { ?s ?p ?o } } ORDER BY ?o") == "o\r\n1\r\n3\r\n");
  CHECK(rows(*sites.here, "SELECT ?o { ?s ?p ?o } ORDER BY ?o") == "o\r\n1\r\n2\r\n3\r\n");
  CHECK(try_update(*sites.here, "LOAD " + document + " INTO GRAPH <urn:quadrille:conflicts>").status == 403);
}

TEST_CASE("a document that is malformed, or not there, leaves nothing of the update") {
  const RawServer bad(RawServer::response("text/turtle", "<urn:a> <urn:p> 1 .\n<urn:a> <urn:p> oops .\n"));
  const TwoSites sites(bad.url());
  const auto malformed = try_update(*sites.here, "INSERT DATA { <urn:x> <urn:y> 1 } ; LOAD <" + bad.url("/doc") + ">");
  CHECK(malformed.status == 400);
  CHECK_THAT(malformed.body, Contains(bad.url("/doc") + ":2:"));
  CHECK(count(*sites.here) == "n\r\n0\r\n");
  const std::string gone = RawServer(std::string()).url();
  CHECK(try_update(*sites.here, "INSERT DATA { <urn:x> <urn:y> 1 } ; LOAD <" + gone + ">").status == 403);
  CHECK(count(*sites.here) == "n\r\n0\r\n");
  CHECK(try_update(*sites.here, "INSERT DATA { <urn:x> <urn:y> 1 } ; LOAD SILENT <" + bad.url("/doc") + ">").status ==
        200);
  CHECK(count(*sites.here) == "n\r\n1\r\n");
}

TEST_CASE("SERVICE in an update is asked before it, and all of it is one transaction") {
  const TwoSites sites;
  REQUIRE(try_update(*sites.there, numbered(1000, "<urn:q>")).status == 200);
  REQUIRE(try_update(*sites.here, numbered(700, "<urn:p>")).status == 200);
  const auto done =
      try_update(*sites.here, "DELETE { ?s <urn:p> ?o } INSERT { ?s <urn:r> ?q } WHERE { ?s <urn:p> ?o SERVICE " +
                                  sites.endpoint() +
                                  " { ?s <urn:q> ?q } FILTER(?q < 650) } ; INSERT { <urn:n> <urn:is> ?n } WHERE "
                                  "{ { SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?o FILTER EXISTS { SERVICE " +
                                  sites.endpoint() + " { ?s <urn:q> ?q } } } } }");
  INFO(done.body);
  REQUIRE(done.status == 200);
  CHECK(rows(*sites.here, "SELECT (COUNT(*) AS ?n) { ?s <urn:r> ?q }") == "n\r\n650\r\n");
  CHECK(rows(*sites.here, "SELECT ?n { <urn:n> <urn:is> ?n }") == "n\r\n50\r\n");
  const auto variable = try_update(*sites.here, "INSERT { ?s ?p ?o } WHERE { ?x <urn:at> ?e SERVICE ?e { ?s ?p ?o } }");
  CHECK(variable.status == 403);
  CHECK_THAT(variable.body, Contains("SERVICE ?e in an update"));
  CHECK(try_update(*sites.here, "INSERT { ?s <urn:t> 1 } WHERE { ?s <urn:p> ?o SERVICE SILENT <" + sites.there->url() +
                                    "/nothing> { ?s <urn:q> ?q } }")
            .status == 200);
  CHECK(rows(*sites.here, "SELECT (COUNT(*) AS ?n) { ?s <urn:t> 1 }") == "n\r\n50\r\n");
}

TEST_CASE("the writer goes on while an update waits for a document") {
  const RawServer mute([](const RawServer::Connection& connection) { connection.wait_for_close(); });
  const TwoSites sites(mute.url(), {{"query_time_ms", "3000"}});
  std::thread waiting([&] {
    const auto late = try_update(*sites.here, "LOAD <" + mute.url() + ">");
    CHECK(late.status == 504);
    CHECK_THAT(late.body, Contains("no answer within the time limit"));
  });
  CHECK(eventually([&] { return mute.connections() == 1; }));
  CHECK(try_update(*sites.here, "INSERT DATA { <urn:x> <urn:y> 1 }").status == 200);
  CHECK(count(*sites.here) == "n\r\n1\r\n");
  waiting.join();
}

TEST_CASE("an endpoint that never answers is left when the client goes") {
  const RawServer mute([](const RawServer::Connection& connection) { connection.wait_for_close(); });
  const TwoSites sites(mute.url(), {{"query_threads", "1"}});
  const std::string text = "SELECT * { SERVICE <" + mute.url() + "> { ?s ?p ?o } }";
  {
    const DeafClient client(sites.here->http(),
                            "POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\n"
                            "Content-Length: " +
                                std::to_string(text.size()) + "\r\n\r\n" + text);
    CHECK(eventually([&] { return mute.connections() == 1; }));
  }
  CHECK(rows(*sites.here, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") ==
        "n\r\n0\r\n");  // long before the limit of a minute
}

TEST_CASE("an endpoint that never ends, or answers nonsense, is an error and no more") {
  const RawServer endless([](const RawServer::Connection& connection) {
    connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n\r\n{\"results\":{\"bindings\":[{}");
    while (connection.send(",{\"s\":{\"type\":\"literal\",\"value\":\"again and again\"}}")) {
    }
  });
  TwoSites sites(endless.url(), {{"answer_mb", "2"}});
  const auto asked = [&](const std::string& url) {
    return query(*sites.here, "SELECT * { SERVICE <" + url + "> { ?s ?p ?o } }");
  };
  const auto too_long = asked(endless.url());
  CHECK(too_long.status == 503);
  CHECK_THAT(too_long.body, Contains("longer than 2 MB"));
  const RawServer html(RawServer::response("text/html", "<html>"));
  TwoSites other(html.url());
  const auto nonsense = query(*other.here, "SELECT * { SERVICE <" + html.url() + "> { ?s ?p ?o } }");
  CHECK(nonsense.status == 503);
  CHECK_THAT(nonsense.body, Contains("Content-Type \"text/html\""));
  CHECK(query(*other.here, "ASK {}").status == 200);
}

TEST_CASE("a directory is asked for what its own file allows") {
  const RawServer server(RawServer::response("application/n-triples", "<urn:a> <urn:b> <urn:c> .\n"));
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  const std::string load = "LOAD <" + server.url("/doc") + ">";
  const auto off = run_quadrille({"update", files.path("ams"), load});
  CHECK(off.status == 1);
  CHECK_THAT(off.err, Contains("[federation] allow"));
  configure(files.path("ams"), "allow", "[" + quoted(server.url("/doc")) + "]");
  CHECK_THAT(run_quadrille({"update", files.path("ams"), load}).out, Contains("inserted 1"));
  CHECK_THAT(run_quadrille({"query", files.path("ams"), "SELECT * { ?s ?p ?o }"}).out, Contains("urn:c"));
}
