// A site as a process whose clock is wrong. The program knows no way to be told another time: libfaketime, loaded by
// the test alone, shows it one.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

constexpr const char* fake_time = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

// What is started while this lives has another date; its timers run as ever.
class WrongDate {
 public:
  explicit WrongDate(const std::string& offset) {
    setenv("LD_PRELOAD", fake_time, 1);
    setenv("FAKETIME", offset.c_str(), 1);
    setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1", 1);
  }
  ~WrongDate() {
    for (const char* name : {"LD_PRELOAD", "FAKETIME", "FAKETIME_DONT_FAKE_MONOTONIC"}) unsetenv(name);
  }
  WrongDate(const WrongDate&) = delete;
  WrongDate& operator=(const WrongDate&) = delete;
};

Json status_of(const ServedSite& site) { return Json::parse(http("GET", site.url() + "/status").body); }

std::string clock_of(const ServedSite& site) { return status_of(site)["clock"]["state"]; }

void check_done(const Finished& finished) {
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
}

}  // namespace

TEST_CASE("a site that wrote with a clock 75 years ahead is told, refuses updates, and comes back with what it wrote") {
  if (!std::filesystem::exists(fake_time)) {
    WARN("skipped: there is no " << fake_time);
    return;
  }
  const TemporaryDirectory files;
  const std::vector<std::string> members = {"--members", "ams,nyc,sgp"};
  for (const char* site : {"ams", "nyc", "sgp"}) init(files.path(site), site, members);
  const ServedSite ams(files.path("ams"));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  {
    const WrongDate wrong("+27400d");
    check_done(run_quadrille({"update", files.path("sgp"), "INSERT DATA { <urn:s> <urn:p> _:of2100 }"}));
    ServedSite sgp(files.path("sgp"), {"--peer", ams.sync(), "--peer", nyc.sync()});
    REQUIRE(eventually([&] { return clock_of(sgp) == "ahead"; }));
    const auto refused = http("POST", sgp.url() + "/sparql", {"Content-Type: application/sparql-update"},
                              "INSERT DATA { <urn:s> <urn:p> 2 }");
    CHECK(refused.status == 503);
    CHECK_THAT(refused.body, Contains("further ahead of that of ") && Contains(" days)"));
    CHECK(eventually([&] { return ask(sgp, "<urn:a> <urn:p> 1"); }));
    const auto shown = run_quadrille({"status", sgp.url()});
    CHECK_THAT(shown.out, Contains("clock      ahead: the clock of this site is further ahead"));
    CHECK(eventually([&] { return status_of(ams)["clock"]["held_back"].size() == 1; }));
    CHECK(sgp.stop_politely() == 0);
  }
  const ServedSite sgp(files.path("sgp"), {"--peer", ams.sync(), "--peer", nyc.sync()});
  REQUIRE(eventually([&] { return clock_of(sgp) == "ahead"; }));
  CHECK_THAT(status_of(sgp)["clock"]["text"].get<std::string>(), Contains("has stamped changes up to 21"));
  CHECK_FALSE(ask(ams, "<urn:s> <urn:p> ?x"));
  CHECK(clock_of(ams) == "agreed");
  update(nyc, "DELETE DATA { <urn:a> <urn:p> 1 }");
  CHECK(eventually([&] { return !ask(ams, "<urn:a> <urn:p> 1"); }));
  check_done(run_quadrille({"member", "evict", ams.url(), "sgp"}));
}

TEST_CASE("what an evicted site wrote that nobody has is written again by its next life, once") {
  const TemporaryDirectory files;
  const std::vector<std::string> both = {"--members", "ams,nyc"};
  init(files.path("ams"), "ams", both);
  init(files.path("before"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  {
    ServedSite before(files.path("before"), {"--peer", ams.sync()});
    update(before, "INSERT DATA { <urn:n> <urn:p> 1 }");
    REQUIRE(eventually([&] { return ask(ams, "<urn:n> <urn:p> 1"); }));
    CHECK(before.stop_politely() == 0);
  }
  check_done(run_quadrille({"update", files.path("before"), "INSERT DATA { <urn:n> <urn:p> [ <urn:q> 2 ] }"}));
  const auto too_early = run_quadrille({"reissue", files.path("before"), files.path("before")});
  CHECK(too_early.status == 1);
  check_done(run_quadrille({"member", "evict", ams.url(), "nyc"}));
  check_done(run_quadrille({"init", files.path("nyc"), "--site", "nyc", "--from", ams.url()}));
  {
    ServedSite nyc(files.path("nyc"));
    CHECK(eventually([&] { return status_of(nyc)["state"] == "member"; }));
    CHECK(nyc.stop_politely() == 0);
  }
  const auto issued = run_quadrille({"reissue", files.path("before"), files.path("nyc")});
  INFO(issued.out << issued.err);
  CHECK(issued.status == 0);
  CHECK_THAT(issued.out, Contains("issued again 2 operations of 1 transactions"));
  const auto twice = run_quadrille({"reissue", files.path("before"), files.path("nyc")});
  CHECK(twice.status == 1);
  CHECK_THAT(twice.err, Contains("already"));
  const ServedSite nyc(files.path("nyc"));
  CHECK(eventually([&] { return ask(ams, "<urn:n> <urn:p> ?x . ?x <urn:q> 2"); }));
}
