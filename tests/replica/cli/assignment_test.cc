// Which policies decide: shown, and changed while sites run.
#include <catch2/catch.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;

namespace {

const char* const maximum = "[[policy]]\nproperty = \"urn:v\"\ncells = \"value\"\npolicy = \"max\"\n";

std::string values_at(const ServedSite& site) {
  return http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-query", "Accept: text/csv"},
              "SELECT ?v WHERE { <urn:a> <urn:v> ?v } ORDER BY ?v")
      .body;
}

}  // namespace

TEST_CASE("an assignment made at one site comes into force at the other, and survives its restart") {
  const TemporaryDirectory files;
  const auto file = files.file("policies.toml", maximum);
  for (const std::string name : {"ams", "nyc"}) init(files.path(name), name, {"--members", "ams,nyc"});
  const ServedSite ams(files.path("ams"));
  const auto assigned = run_quadrille({"policy", "assign", ams.url(), file});
  INFO(assigned.err);
  REQUIRE(assigned.status == 0);
  CHECK_THAT(assigned.out, Contains("assigned, version ams."));
  update(ams, "INSERT DATA { <urn:a> <urn:v> 5 }");
  {
    const ServedSite alone(files.path("nyc"));  // which knows nothing of it
    update(alone, "INSERT DATA { <urn:a> <urn:v> 7, 8 }");
  }
  ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  // What was written under quad cells comes first, the newer cells over it.
  CHECK(eventually([&] { return values_at(nyc) == "v\r\n5\r\n" && values_at(ams) == "v\r\n5\r\n"; }));
  CHECK_THAT(run_quadrille({"policy", "list", nyc.url()}).out, Contains("urn:v") && Contains("max"));
  CHECK(nyc.stop_politely() == 0);
  CHECK_THAT(run_quadrille({"policy", "list", files.path("nyc")}).out, Contains("urn:v") && Contains("max"));
  const ServedSite again(files.path("nyc"));
  CHECK(values_at(again) == "v\r\n5\r\n");
}

TEST_CASE("an assignment that cannot be is refused in one line, and the one in force stays") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  const ServedSite ams(files.path("ams"));
  const auto wrong = files.file("wrong.toml", "[[policy]]\nproperty = \"urn:v\"\npolicy = \"maximum\"\n");
  const auto refused = run_quadrille({"policy", "assign", ams.url(), wrong});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("unknown policy \"maximum\""));
  const auto misspelt = files.file("misspelt.toml", "default_polcy = \"delete-wins\"\n");
  CHECK_THAT(run_quadrille({"policy", "assign", ams.url(), misspelt}).err, Contains("default_polcy"));
  CHECK_THAT(run_quadrille({"policy", "list", ams.url()}).out, Contains("number initial") && Contains("add-wins"));
  CHECK(run_quadrille({"policy", "assign", ams.url()}).status == 2);
}

TEST_CASE("where too many assignments still count, another is refused, and it is said who has not confirmed them") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", {"--members", "ams,nyc"});
  const ServedSite ams(files.path("ams"));
  HttpAnswer answer;
  for (int i = 0; i < 200 && answer.status != 503; ++i) {
    answer = http("POST", ams.url() + "/policy", {}, maximum);
  }
  CHECK_THAT(answer.body, Contains("128 policy assignments still count") && Contains("(waiting for nyc)"));
  CHECK(http("POST", ams.url() + "/policy", {}, maximum).status == answer.status);
}

TEST_CASE("policies are assigned in a directory that is not served, too") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  CHECK(run_quadrille({"policy", "assign", site, files.file("policies.toml", maximum)}).status == 0);
  CHECK(run_quadrille({"update", site, "INSERT DATA { <urn:a> <urn:v> 1, 2 }"}).status == 1);
  CHECK_THAT(run_quadrille({"policy", "list", site, "--json"}).out, Contains("\"policy\": \"max\""));
}

TEST_CASE("a burst of conflicts is seen by the next query that asks for them") {
  const TemporaryDirectory files;
  const auto many = [&](const std::string& operation) {
    std::string text = operation + " DATA {\n";
    for (int i = 0; i < 300; ++i) text += "<urn:s" + std::to_string(i) + "> <urn:p> <urn:o> .\n";
    return text + "}";
  };
  for (const std::string name : {"ams", "nyc"}) init(files.path(name), name, {"--members", "ams,nyc"});
  const ServedSite ams(files.path("ams"));
  update(ams, many("INSERT"));
  {
    const ServedSite alone(files.path("nyc"));
    update(alone, many("DELETE"));
  }
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  CHECK(eventually([&] {
    return http("POST", nyc.url() + "/sparql", {"Content-Type: application/sparql-query", "Accept: text/csv"},
                "PREFIX q: <urn:quadrille:vocabulary#> SELECT (COUNT(?c) AS ?n) "
                "{ GRAPH <urn:quadrille:conflicts> { ?c a q:Conflict } }")
               .body == "n\r\n300\r\n";
  }));
}
