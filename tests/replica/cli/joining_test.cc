// Sites as processes that join a cluster, are evicted, backed up and restored.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> both = {"--members", "ams,nyc"};

Json status_of(const ServedSite& site) { return Json::parse(http("GET", site.url() + "/status").body); }

Json members_of(const ServedSite& site) { return status_of(site)["members"]; }

void check_done(const Finished& finished) {
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
}

bool are_equal(const std::vector<std::string>& urls) {
  std::vector<std::string> arguments = {"verify"};
  arguments.insert(arguments.end(), urls.begin(), urls.end());
  return run_quadrille(arguments).status == 0;
}

bool try_update(const ServedSite& site, const std::string& text) {
  return run_quadrille({"update", site.url(), text}).status == 0;
}

bool is_settled(const ServedSite& site) { return status_of(site)["window_cells"] == 0; }

}  // namespace

TEST_CASE("a site joins a running cluster, has all that was written, and all count it from then on") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 . <urn:a> <urn:q> 'one' }");
  check_done(run_quadrille({"init", files.path("lon"), "--site", "lon", "--from", ams.url()}));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 2 }");  // after the copy
  REQUIRE(eventually([&] { return members_of(nyc) == Json({"ams", "lon", "nyc"}); }));
  update(nyc, "DELETE DATA { <urn:a> <urn:p> 1 }");
  const ServedSite lon(files.path("lon"));
  CHECK(eventually([&] { return status_of(lon)["state"] == "member"; }));
  CHECK(eventually([&] { return ask(lon, "<urn:a> <urn:p> 2") && !ask(lon, "<urn:a> <urn:p> 1"); }));
  update(lon, "INSERT DATA { <urn:l> <urn:p> 3 }");
  CHECK(eventually([&] { return ask(nyc, "<urn:l> <urn:p> 3"); }));
  CHECK(are_equal({ams.url(), nyc.url(), lon.url()}));
  CHECK(eventually([&] { return is_settled(ams) && is_settled(nyc) && is_settled(lon); }));
}

TEST_CASE("a site that was alone gets a second one") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  const ServedSite ams(files.path("ams"));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  check_done(run_quadrille({"init", files.path("nyc"), "--site", "nyc", "--from", ams.url()}));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 2 }");
  const ServedSite nyc(files.path("nyc"));
  CHECK(eventually([&] { return ask(nyc, "<urn:a> <urn:p> 2"); }));
  update(nyc, "DELETE DATA { <urn:a> <urn:p> 1 }");
  CHECK(eventually([&] { return are_equal({ams.url(), nyc.url()}) && !ask(ams, "<urn:a> <urn:p> 1"); }));
}

TEST_CASE("a joining that broke off is taken up where it was, and one that is refused leaves nothing") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  const ServedSite ams(files.path("ams"));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  const auto refused = run_quadrille({"init", files.path("nyc2"), "--site", "nyc", "--from", ams.url()});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("there is a member 'nyc'"));
  CHECK(std::filesystem::is_empty(files.path("nyc2")));

  // As a call leaves it that was killed in the middle of the copy.
  const auto copy = Json::parse(http("POST", ams.url() + "/copies").body);
  const auto whole = http("GET", ams.url() + "/copies?copy=" + copy["copy"].get<std::string>()).body;
  REQUIRE(whole.size() == copy["bytes"]);
  std::filesystem::create_directory(files.path("lon"));
  std::ofstream(files.path("lon/copy.part"), std::ios::binary) << whole.substr(0, whole.size() / 2);
  Json note = copy;
  note["url"] = ams.url();
  std::ofstream(files.path("lon/copy.json")) << note.dump();
  check_done(run_quadrille({"init", files.path("lon"), "--site", "lon", "--from", ams.url()}));
  const auto gone = http("GET", ams.url() + "/copies?copy=" + copy["copy"].get<std::string>());
  CHECK(gone.status == 404);  // that copy was used, and given back
  check_done(run_quadrille({"verify", files.path("lon")}));
}

TEST_CASE("a member that is evicted is told, takes no updates, and is waited for no more") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  {
    const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
    update(nyc, "INSERT DATA { <urn:n> <urn:p> 1 }");
    REQUIRE(eventually([&] { return ask(ams, "<urn:n> <urn:p> 1"); }));
  }
  update(ams, "INSERT DATA { <urn:a> <urn:p> 2 }");
  CHECK_FALSE(is_settled(ams));
  const auto unknown = run_quadrille({"member", "evict", ams.url(), "sgp"});
  CHECK_THAT(unknown.out + unknown.err, Contains("sgp"));
  check_done(run_quadrille({"member", "evict", ams.url(), "nyc"}));
  CHECK(members_of(ams) == Json({"ams"}));
  CHECK(eventually([&] { return is_settled(ams); }));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  CHECK(eventually([&] { return status_of(nyc)["state"] == "evicted"; }));
  CHECK_FALSE(try_update(nyc, "INSERT DATA { <urn:n> <urn:p> 3 }"));
  CHECK(ask(nyc, "<urn:n> <urn:p> 1"));  // it still answers
  // Under its name, in another life.
  check_done(run_quadrille({"init", files.path("nyc2"), "--site", "nyc", "--from", ams.url()}));
  const ServedSite again(files.path("nyc2"));
  CHECK(eventually([&] { return try_update(again, "INSERT DATA { <urn:n> <urn:p> 4 }"); }));
  CHECK(eventually([&] { return ask(ams, "<urn:n> <urn:p> 4"); }));
}

TEST_CASE("a site is restored from its backup: its old life is evicted, and it has what the others have of that") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  {
    const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
    update(nyc, "INSERT DATA { <urn:n> <urn:p> 1 }");
    check_done(run_quadrille({"backup", nyc.url(), files.path("nyc.backup")}));
    CHECK(run_quadrille({"backup", nyc.url(), files.path("nyc.backup")}).status == 1);  // it is there already
    update(nyc, "INSERT DATA { <urn:n> <urn:p> 2 }");                                   // after the backup
    REQUIRE(eventually([&] { return ask(ams, "<urn:n> <urn:p> 2"); }));
  }
  const auto refused = run_quadrille({"restore", files.path("nyc.backup"), files.path("nyc2")});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("--join") && Contains("ams"));
  check_done(run_quadrille({"restore", files.path("nyc.backup"), files.path("nyc2"), "--join", ams.url()}));
  const ServedSite nyc(files.path("nyc2"));
  CHECK(eventually([&] { return ask(nyc, "<urn:n> <urn:p> 2"); }));
  update(nyc, "DELETE DATA { <urn:n> <urn:p> 1 }");
  CHECK(eventually([&] { return are_equal({ams.url(), nyc.url()}) && !ask(ams, "<urn:n> <urn:p> 1"); }));
  CHECK(eventually([&] { return is_settled(ams) && is_settled(nyc); }));
}

TEST_CASE("a backup alone begins a cluster of its own, and a damaged one is refused") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  {
    const ServedSite ams(files.path("ams"));
    update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
    check_done(run_quadrille({"backup", ams.url(), files.path("ams.backup")}));
  }
  check_done(run_quadrille({"restore", files.path("ams.backup"), files.path("new"), "--alone"}));
  check_done(run_quadrille({"update", files.path("new"), "INSERT DATA { <urn:a> <urn:p> 2 }"}));
  const ServedSite site(files.path("new"));
  CHECK(members_of(site) == Json({"ams"}));
  CHECK(eventually([&] { return is_settled(site); }));
  update(site, "INSERT DATA { <urn:a> <urn:p> 3 }");
  CHECK(eventually([&] { return is_settled(site); }));
  CHECK(ask(site, "<urn:a> <urn:p> 1, 2, 3"));

  std::fstream damaged(files.path("ams.backup"), std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(20'000);
  damaged.put('x');
  damaged.put('y');
  damaged.close();
  const auto refused = run_quadrille({"restore", files.path("ams.backup"), files.path("newer"), "--alone"});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("damaged"));
  CHECK_FALSE(std::filesystem::exists(files.path("newer")));
}
