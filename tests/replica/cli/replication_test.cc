// Sites as processes that replicate to each other.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> both = {"--members", "ams,nyc"};

}  // namespace

TEST_CASE("what is written at one site is read at the other, both ways") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  update(nyc, "INSERT DATA { GRAPH <urn:g> { <urn:n> <urn:p> 2 } }");
  CHECK(eventually([&] { return ask(nyc, "<urn:a> <urn:p> 1"); }));
  CHECK(eventually([&] { return ask(ams, "GRAPH <urn:g> { <urn:n> <urn:p> 2 }"); }));
  const auto compared = run_quadrille({"verify", ams.url(), nyc.url()});
  INFO(compared.err);
  CHECK(compared.status == 0);
  CHECK_THAT(compared.out, Contains("equal: 2 sites hold the same 2 quads"));
}

TEST_CASE("a site answers queries and updates while its peer is away, and catches up") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  std::string nyc_url;
  {
    const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
    update(nyc, "INSERT DATA { <urn:n> <urn:p> 1 }");
    REQUIRE(eventually([&] { return ask(ams, "<urn:n> <urn:p> 1"); }));
  }
  update(ams, "INSERT DATA { <urn:a> <urn:p> 2 }");
  CHECK(ask(ams, "<urn:a> <urn:p> 2"));
  const auto status = Json::parse(http("GET", ams.url() + "/status").body);
  CHECK(status["waiting_for"] == Json::array({"nyc"}));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  CHECK(eventually([&] { return ask(nyc, "<urn:a> <urn:p> 2"); }));
}

TEST_CASE("a conflict is decided the same at both sites, and listed") {
  const TemporaryDirectory files;
  const auto config = files.file(
      "policies.toml", "[[policy]]\nproperty = \"urn:name\"\ncells = \"value\"\npolicy = \"last-writer-wins\"\n");
  auto arguments = both;
  arguments.insert(arguments.end(), {"--config", config});
  init(files.path("ams"), "ams", arguments);
  init(files.path("nyc"), "nyc", arguments);
  const ServedSite ams(files.path("ams"));
  {
    const ServedSite nyc(files.path("nyc"));  // knows nobody: cut off
    update(ams, "INSERT DATA { <urn:x> <urn:name> \"Anna\" }");
    update(nyc, "INSERT DATA { <urn:x> <urn:name> \"Nora\" }");
  }
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  CHECK(eventually([&] { return run_quadrille({"verify", ams.url(), nyc.url()}).status == 0; }));
  CHECK(ask(ams, "<urn:x> <urn:name> \"Nora\""));
  CHECK_FALSE(ask(ams, "<urn:x> <urn:name> \"Anna\""));
  const auto records = Json::parse(http("GET", ams.url() + "/conflicts").body);
  REQUIRE(records.size() == 1);
  CHECK(records[0]["policy"] == "last-writer-wins");
  CHECK(records[0]["chosen"][0]["object"] == "\"Nora\"");
  const auto shown = run_quadrille({"conflicts", nyc.url()});
  CHECK_THAT(shown.out, Contains("last-writer-wins chose \"Nora\""));
}

TEST_CASE("a peer of another cluster is refused, and both go on") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", {"--members", "ams,nyc", "--cluster", "one"});
  init(files.path("nyc"), "nyc", {"--members", "ams,nyc", "--cluster", "two"});
  ServedSite ams(files.path("ams"));
  ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  CHECK(eventually([&] { return nyc.trace().find("cluster") != std::string::npos; }));
  CHECK(eventually([&] { return ams.trace().find("cluster") != std::string::npos; }));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  update(nyc, "INSERT DATA { <urn:n> <urn:p> 1 }");
  CHECK_FALSE(ask(nyc, "<urn:a> <urn:p> 1"));
}
