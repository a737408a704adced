// Running sites compared quad by quad, and put right, by the program itself.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// ams and nyc, with some quads that both have and that are folded.
class TwoSites {
 public:
  TwoSites() {
    init(files_.path("ams"), "ams", {"--members", "ams,nyc"});
    init(files_.path("nyc"), "nyc", {"--members", "ams,nyc"});
    serve();
    update(*ams,
           "INSERT { ?s <urn:p> ?o } WHERE { VALUES ?a {1 2 3 4 5 6 7 8 9 10} VALUES ?o {1 2 3 4 5 6 7 8 9 10} "
           "BIND(IRI(CONCAT('urn:s', STR(?a))) AS ?s) }");
    update(*ams, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> _:b . _:b <urn:q> \"\"\"two\nlines\"\"\"@en } }");
    REQUIRE(eventually([&] { return window_cells(*ams) == 0 && window_cells(*nyc) == 0 && quads(*nyc) == 102; }));
  }
  void serve() {
    ams = std::make_unique<ServedSite>(files_.path("ams"));
    nyc = std::make_unique<ServedSite>(files_.path("nyc"), std::vector<std::string>{"--peer", ams->sync()});
  }
  void corrupt_nyc(std::vector<std::string> how) {
    REQUIRE(nyc->stop_politely() == 0);
    how.insert(how.begin(), files_.path("nyc"));
    const auto done = run_program(QUADRILLE_CORRUPT, how);
    INFO(done.err);
    REQUIRE(done.status == 0);
    nyc = std::make_unique<ServedSite>(files_.path("nyc"), std::vector<std::string>{"--peer", ams->sync()});
  }
  Finished verify(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"verify", ams->url(), nyc->url()});
    return run_quadrille(more);
  }
  Finished repair() { return verify({"--repair", "--from", ams->url()}); }
  static uint64_t window_cells(const ServedSite& site) {
    return Json::parse(http("GET", site.url() + "/status").body)["window_cells"].get<uint64_t>();
  }
  static uint64_t quads(const ServedSite& site) {
    return Json::parse(http("GET", site.url() + "/status").body)["quads"].get<uint64_t>();
  }
  std::string directory_of_nyc() const { return files_.path("nyc"); }

  std::unique_ptr<ServedSite> ams, nyc;

 private:
  TemporaryDirectory files_;
};

}  // namespace

TEST_CASE("running sites that hold the same are equal, also while they are written to") {
  TwoSites sites;
  for (int i = 0; i < 5; ++i) {
    update(*sites.ams, "INSERT DATA { <urn:w> <urn:p> " + std::to_string(i) + " }");
    update(*sites.nyc, "DELETE DATA { <urn:s1> <urn:p> " + std::to_string(i) + " }");
    const auto verified = sites.verify();
    INFO(verified.out << verified.err);
    CHECK(verified.status == 0);
    CHECK_THAT(verified.out, Contains("equal: 2 sites hold the same"));
  }
}

TEST_CASE("quads that one site lost or made up are named, and put right from another one, without a changeset") {
  TwoSites sites;
  std::vector<std::string> hidden;
  SECTION("as after a fault in reconciliation") {}
  SECTION("as after a lost write") { hidden = {"--hidden"}; }
  std::vector<std::string> how = {"--erase", "7", "--insert", "3"};
  how.insert(how.end(), hidden.begin(), hidden.end());
  sites.corrupt_nyc(how);
  const auto found = sites.verify();
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  CHECK_THAT(found.out, Contains("differ in 10 quads"));
  CHECK_THAT(found.out, Contains("<urn:corrupt:1:0> <urn:corrupt> \"made up\" ."));
  CHECK((found.out.find("what it keeps of the number and digests") != std::string::npos) == !hidden.empty());
  const std::string version = http("GET", sites.nyc->url() + "/status").version;

  const auto repaired = sites.repair();
  INFO(repaired.out << repaired.err);
  CHECK(repaired.status == 0);
  CHECK_THAT(repaired.out, Contains("7 quads inserted, 3 erased"));
  CHECK(sites.verify().status == 0);
  CHECK(http("GET", sites.nyc->url() + "/status").version == version);
  CHECK(sites.nyc->stop_politely() == 0);
  const auto sound = run_quadrille({"verify", sites.directory_of_nyc()});
  INFO(sound.out);
  CHECK(sound.status == 0);
}

TEST_CASE("a site that cannot get what the others have is named, and nothing is said of the quads") {
  TwoSites sites;
  REQUIRE(sites.nyc->stop_politely() == 0);
  update(*sites.ams, "INSERT DATA { <urn:w> <urn:p> 1 }");
  const ServedSite alone(sites.directory_of_nyc());
  const auto verified = run_quadrille({"verify", sites.ams->url(), alone.url(), "--wait", "1"});
  CHECK(verified.status == 1);
  CHECK_THAT(verified.err, Contains("ams"));
}

TEST_CASE("comparisons refuse what makes no sense, in one line") {
  TwoSites sites;
  const std::string url = sites.ams->url() + "/comparisons";
  CHECK(http("GET", url).status == 404);
  CHECK(http("GET", url + "?comparison=12").status == 404);
  CHECK(http("PUT", url).status == 405);
  const auto opened = Json::parse(http("POST", url).body);
  const std::string one = url + "?comparison=" + opened["comparison"].get<std::string>();
  CHECK(http("GET", one).status == 400);
  CHECK(http("GET", one + "&sketch=0&count=10").status == 400);  // no cut yet
  CHECK(http("GET", one + "&cut=nonsense").status == 400);
  CHECK(http("GET", one + "&cut=" + opened["version"].get<std::string>()).status == 200);
  CHECK(http("GET", one + "&sketch=0&count=1000000000").status == 400);
  CHECK(http("GET", one + "&part=3&parts=2").status == 400);
  CHECK(http("GET", one + "&part=0&parts=0").status == 400);
  const std::vector<std::string> octets = {"Content-Type: application/octet-stream"};
  CHECK(http("POST", one + "&quads=", octets, "1234567").status == 400);
  CHECK(http("POST", one + "&repair=", octets, "+\xff\xff\xff\xff\xff\xff").status == 400);
  CHECK(http("DELETE", one).status == 200);
  CHECK(http("DELETE", one).status == 404);
  for (int i = 0; i < 4; ++i) CHECK(http("POST", url).status == 200);
  CHECK(http("POST", url).status == 503);
}
