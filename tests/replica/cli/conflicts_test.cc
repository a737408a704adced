// Conflicts as people see them: listed, filtered, and taken back.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

namespace {

// Two sites that wrote, apart: <urn:x> <urn:name>, <urn:phone> and a quad that one deleted, and `more` names; then they
// met. With a `setting` beside the policies that may not have been noticed yet.
class MetAgain {
 public:
  explicit MetAgain(int more = 0, const std::string& setting = {}) {
    const auto config = files.file("both.toml", setting + R"(
[[policy]]
property = "urn:name"
cells = "value"
policy = "last-writer-wins"
[[policy]]
property = "urn:phone"
cells = "value"
policy = "keep-all"
)");
    for (const std::string name : {"ams", "nyc"}) {
      init(files.path(name), name, {"--members", "ams,nyc", "--config", config});
    }
    ams = std::make_unique<ServedSite>(files.path("ams"));
    update(*ams, "INSERT DATA { <urn:x> <urn:name> \"Anna\" ; <urn:phone> 1 . <urn:x> <urn:likes> <urn:y> }");
    update(*ams, names(more, "Anna"));
    {
      const ServedSite alone(files.path("nyc"));
      update(alone,
             "INSERT DATA { <urn:x> <urn:name> \"Nora\" ; <urn:phone> 2 } ; "
             "DELETE DATA { <urn:x> <urn:likes> <urn:y> }");
      update(alone, names(more, "Nora"));
    }
    nyc = std::make_unique<ServedSite>(files.path("nyc"), std::vector<std::string>{"--peer", ams->sync()});
    if (!setting.empty()) return;
    const auto count = static_cast<size_t>(3 + more);
    REQUIRE(eventually([&] { return list(*nyc, "").size() == count; }));
    REQUIRE(eventually([&] { return more > 0 || list(*ams, "").size() == count; }));
  }
  static std::string names(int count, const std::string& name) {
    std::string text = "INSERT DATA {";
    for (int i = 0; i < count; ++i) text += " <urn:n" + std::to_string(i) + "> <urn:name> \"" + name + "\" .";
    return text + " }";
  }
  static Json list(const ServedSite& site, const std::string& filter) {
    return Json::parse(http("GET", site.url() + "/conflicts" + filter).body);
  }
  // The id of the conflict about a property.
  std::string id_of(const std::string& property) const {
    return list(*ams, "?property=" + property).at(0).at("id").get<std::string>();
  }

  TemporaryDirectory files;
  std::unique_ptr<ServedSite> ams;
  std::unique_ptr<ServedSite> nyc;
};

// docs/policies.md has these lines.
const std::string prefix = "PREFIX q: <urn:quadrille:vocabulary#> ";
std::string write_again(const std::string& id, const std::string& site) {
  return prefix + "INSERT { ?s ?p ?o } WHERE { GRAPH <urn:quadrille:conflicts> { <urn:quadrille:conflict:" + id +
         "> q:subject ?s ; q:property ?p ; q:candidate [ q:site \"" + site + "\" ; q:left ?o ] } }";
}
std::string delete_again(const std::string& id) {
  return prefix + "DELETE { ?s ?p ?o } WHERE { GRAPH <urn:quadrille:conflicts> { <urn:quadrille:conflict:" + id +
         "> q:subject ?s ; q:property ?p ; q:chosen ?o } }";
}

}  // namespace

TEST_CASE("conflicts are listed with what each site left, what was chosen, and whether somebody must still choose") {
  const MetAgain sites;
  const auto shown = run_quadrille({"conflicts", sites.nyc->url(), "--property", "urn:phone"});
  CHECK(shown.status == 0);
  CHECK_THAT(shown.out, Contains("<urn:x> <urn:phone>"));
  CHECK_THAT(shown.out, Contains(":1 left \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"));
  CHECK_THAT(shown.out, Contains("keep-all chose") && Contains("(open: somebody is to write one)"));
  CHECK_THAT(run_quadrille({"conflicts", sites.ams->url()}).out, Contains("last-writer-wins chose \"Nora\""));
}

TEST_CASE("conflicts are filtered by time, property, policy and standing, over HTTP as on the command line") {
  const MetAgain sites;
  const auto& ams = *sites.ams;
  const auto count = [&](const std::string& filter) { return MetAgain::list(ams, filter).size(); };
  CHECK(count("?policy=keep-all") == 1);
  CHECK(count("?policy=sum") == 0);
  CHECK(count("?property=urn:likes") == 1);
  CHECK(count("?property=%3Curn:likes%3E&policy=add-wins") == 1);
  CHECK(count("?open=true") == 1);
  CHECK(count("?open=false") == 2);
  CHECK(count("?limit=2") == 2);
  CHECK(count("?since=2000-01-01") == 3);
  CHECK(count("?since=9000-01-01T00:00:00Z") == 0);
  CHECK(count("?until=2000-01-01") == 0);
  CHECK(count("?provisional=true") + count("?provisional=false") == 3);
  CHECK(eventually([&] { return count("?provisional=false") == 3; }));

  const auto json = Json::parse(run_quadrille({"conflicts", ams.url(), "--results", "json", "--open"}).out);
  CHECK(json == MetAgain::list(ams, "?open=true"));
  CHECK(run_quadrille({"conflicts", ams.url(), "--provisional"}).out == "no conflicts\n");
  CHECK(
      Json::parse(run_quadrille({"conflicts", ams.url(), "--results", "json", "--final", "--limit", "1"}).out).size() ==
      1);
}

TEST_CASE("an update that reads the graph of conflicts finds all that were decided before it") {
  constexpr int conflicts = 2'000;
  MetAgain sites(conflicts);
  const std::string note =
      "PREFIX q: <urn:quadrille:vocabulary#> INSERT { GRAPH <urn:seen> { ?c <urn:of> ?s } } WHERE { GRAPH "
      "<urn:quadrille:conflicts> { ?c q:subject ?s } }";
  const auto noted = run_quadrille({"update", sites.nyc->url(), note}).out;
  CHECK_THAT(noted, StartsWith("inserted " + std::to_string(conflicts + 3) + ","));
}

TEST_CASE("a site keeps as many final conflict records as its file says") {
  const MetAgain sites(20, "[conflicts]\nkeep_max = 2\n");
  CHECK(eventually([&] { return MetAgain::list(*sites.ams, "").size() == 2; }));
  CHECK(MetAgain::list(*sites.ams, "?provisional=true").empty());
}

TEST_CASE("conflicts of a site that is not being served are read from its directory") {
  MetAgain sites;
  CHECK(sites.nyc->stop_politely() == 0);
  const auto shown = run_quadrille({"conflicts", sites.files.path("nyc"), "--policy", "last-writer-wins"});
  CHECK(shown.status == 0);
  CHECK_THAT(shown.out, Contains("last-writer-wins chose \"Nora\""));
}

TEST_CASE("a filter that makes no sense is refused with one line that says what was expected") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  const ServedSite ams(files.path("ams"));
  const auto refused = [&](const std::string& query) {
    const auto answer = http("GET", ams.url() + "/conflicts?" + query);
    CHECK(answer.status == 400);
    return answer.body;
  };
  CHECK(refused("since=yesterday") ==
        "since: 'yesterday'; expected a time such as 2026-12-01T09:30:00Z or 2026-12-01\n");
  CHECK(refused("limit=0") == "limit: '0'; expected a whole number from 1 on\n");
  CHECK(refused("limit=-1") == "limit: '-1'; expected a whole number from 1 on\n");
  CHECK(refused("property=name") == "property: 'name'; expected an absolute IRI\n");
  CHECK(refused("provisional=perhaps") == "provisional: 'perhaps'; expected true or false\n");
  CHECK(refused("policy=") == "policy: ''; expected the name of a policy\n");
  CHECK(refused("limit=1&limit=2") == "limit: given 2 times; expected once\n");
  CHECK_THAT(refused("color=red"), StartsWith("'color' is no parameter of conflicts; expected since, until"));

  const auto wrong = run_quadrille({"conflicts", ams.url(), "--since", "yesterday"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("--since: 'yesterday'; expected a time"));
  CHECK(run_quadrille({"conflicts", ams.url(), "--results", "xml"}).status == 2);
  CHECK(run_quadrille({"conflicts", ams.url(), "--final", "--provisional"}).status == 2);
}

TEST_CASE("take it back: an ordinary update writes the losing candidate again, for values, quads, and what is open") {
  const MetAgain sites;
  const auto& ams = *sites.ams;
  const auto& nyc = *sites.nyc;
  const auto shows = [&](const std::string& property) {  // the local graph, which is brought up to date after a write
    return ask(ams, "GRAPH <urn:quadrille:conflicts> { <urn:quadrille:conflict:" + sites.id_of(property) + "> ?p ?o }");
  };
  for (const char* property : {"urn:name", "urn:likes", "urn:phone"}) {
    REQUIRE(eventually([&] { return shows(property); }));
  }
  REQUIRE(ask(ams, "<urn:x> <urn:name> \"Nora\""));
  update(ams, write_again(sites.id_of("urn:name"), "ams"));
  CHECK(ask(ams, "<urn:x> <urn:name> \"Anna\" FILTER NOT EXISTS { <urn:x> <urn:name> \"Nora\" }"));

  REQUIRE(ask(ams, "<urn:x> <urn:likes> <urn:y>"));  // add-wins
  update(ams, delete_again(sites.id_of("urn:likes")));
  CHECK_FALSE(ask(ams, "<urn:x> <urn:likes> <urn:y>"));
  update(ams, write_again(sites.id_of("urn:likes"), "ams"));
  CHECK(ask(ams, "<urn:x> <urn:likes> <urn:y>"));

  CHECK(ask(ams, "<urn:x> <urn:phone> 1, 2"));
  update(ams, write_again(sites.id_of("urn:phone"), "nyc"));
  CHECK(ask(ams, "<urn:x> <urn:phone> 2 FILTER NOT EXISTS { <urn:x> <urn:phone> 1 }"));
  CHECK(MetAgain::list(ams, "?open=true").empty());
  CHECK(eventually([&] { return ask(nyc, "<urn:x> <urn:name> \"Anna\" . <urn:x> <urn:phone> 2"); }));
  CHECK(eventually([&] { return MetAgain::list(nyc, "?open=true").empty(); }));
}
