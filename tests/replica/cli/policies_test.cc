// Policies that a site loads from files.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;

namespace {

std::string plugin(const std::string& name) { return QUADRILLE_PLUGINS "/plugin_" + name + ".so"; }

// A configuration by which `policy` decides <urn:v>.
std::string config_with(const std::string& load, const std::string& policy) {
  return "[policies]\nload = [" + load + "]\n[[policy]]\nproperty = \"urn:v\"\ncells = \"value\"\npolicy = \"" +
         policy + "\"\n";
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string value_at(const ServedSite& site) {
  return http("POST", site.url() + "/sparql", {"Content-Type: application/sparql-query", "Accept: text/csv"},
              "SELECT ?v WHERE { <urn:a> <urn:v> ?v }")
      .body;
}

// A sanitizer has a last word of its own for bad addresses.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QUADRILLE_TEST_IS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(QUADRILLE_TEST_IS_SANITIZED)
const std::vector<std::string> crashes{"abort"};
#else
const std::vector<std::string> crashes{"address", "abort", "recursion"};
#endif

// Makes both sites of one cluster, lets them write <urn:v> against each other, and restarts the second so that it
// meets the first.
struct TwoSites {
  TwoSites(const std::string& library, const std::string& policy, const std::string& value) {
    const auto config = files.file("both.toml", config_with(quoted(plugin(library)), policy));
    for (const std::string name : {"ams", "nyc"}) {
      init(files.path(name), name, {"--members", "ams,nyc", "--config", config});
    }
    ams = std::make_unique<ServedSite>(files.path("ams"));
    update(*ams, "INSERT DATA { <urn:a> <urn:v> " + quoted(value) + " }");
    {
      const ServedSite alone(files.path("nyc"));
      update(alone, "INSERT DATA { <urn:a> <urn:v> \"\" }");
    }
    nyc = std::make_unique<ServedSite>(files.path("nyc"), std::vector<std::string>{"--peer", ams->sync()});
  }

  TemporaryDirectory files;
  std::unique_ptr<ServedSite> ams;
  std::unique_ptr<ServedSite> nyc;
};

}  // namespace

TEST_CASE("a policy from a shared library decides between sites") {
  const TwoSites sites("longest_text", "longest-text", "the long one");
  CHECK(eventually([&] { return value_at(*sites.nyc) == "v\r\nthe long one\r\n"; }));
  CHECK(eventually([&] { return value_at(*sites.ams) == "v\r\nthe long one\r\n"; }));
}

TEST_CASE("status tells how often a policy failed, when last and why") {
  const TwoSites sites("longest_text", "longest-text(9)", "the long one");
  const auto failures = [&] {
    const auto status = nlohmann::json::parse(http("GET", sites.nyc->url() + "/status").body);
    return status.at("policies").at(0).at("failures").get<int>();
  };
  REQUIRE(eventually([&] { return failures() > 0; }));
  const auto json = nlohmann::json::parse(http("GET", sites.nyc->url() + "/status").body).at("policies").at(0);
  CHECK(json.at("policy") == "longest-text");
  CHECK(json.at("last_failure").at("why") == "a text is too short");
  CHECK(json.at("last_failure").at("time").get<std::string>().starts_with("20"));
  CHECK(json.at("overruns") == 0);
  CHECK_FALSE(json.contains("last_overrun"));
  const auto shown = run_quadrille({"status", sites.nyc->url()}).out;
  CHECK_THAT(shown, Contains("longest-text") && Contains("; a text is too short\n"));
  CHECK_THAT(shown, Contains("took too long 0 times;"));
}

TEST_CASE("a policy that crashes stops the site, and the last word names policy and cell") {
  for (const std::string& how : crashes) {
    const TwoSites sites("crashes", "crashes", how);
    const std::string expected =
        "quadrille: the site stops, for it crashed in policy 'crashes' on the cell <urn:a> <urn:v>\n";
    INFO(how);
    CHECK(eventually([&] { return sites.nyc->trace().find(expected) != std::string::npos; }));
  }
}

TEST_CASE("a policy without memory stops the site, and the last word names policy and cell") {
  const TwoSites sites("crashes", "crashes", "memory");
  CHECK(eventually([&] {
    return sites.nyc->trace().find("no memory for policy 'crashes' on the cell <urn:a> <urn:v>") != std::string::npos;
  }));
}

TEST_CASE("all commands on a directory load the policies that its site.toml names") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  std::filesystem::copy_file(plugin("longest_text"), files.path("longest.so"));
  init(site, "ams", {"--config", files.file("init.toml", config_with("\"longest.so\"", "longest-text(3)"))});
  CHECK(run_quadrille({"update", site, "INSERT DATA { <urn:a> <urn:v> \"x\" }"}).status == 0);
  CHECK(run_quadrille({"load", site, files.file("b.nt", "<urn:b> <urn:v> \"y\" .\n")}).status == 0);
  CHECK(run_quadrille({"query", site, "ASK { <urn:b> ?p ?o }", "--results", "csv"}).out == "true\r\n");
  CHECK(run_quadrille({"verify", site}).status == 0);
  const ServedSite served(site);
  CHECK(value_at(served) == "v\r\nx\r\n");
}

TEST_CASE("a store whose policy is not loaded says which, and where it is to be named") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams", {"--config", files.file("init.toml", config_with(quoted(plugin("longest_text")), "longest-text"))});
  std::ofstream(site + "/site.toml") << "[site]\nname = \"ams\"\n";
  const auto asked = run_quadrille({"query", site, "ASK {}"});
  CHECK(asked.status == 1);
  CHECK_THAT(asked.err, Contains("there is no policy 'longest-text'"));
  CHECK_THAT(asked.err, Contains("one of your own is loaded by [policies] load = [\"FILE.so\"] in " + site));
}

TEST_CASE("a policy that cannot be loaded is told by the line that names it") {
  const TemporaryDirectory files;
  const auto trouble = [&](const std::string& load) {
    const auto config = files.file("init.toml", "[policies]\nload = [" + load + "]\n");
    return run_quadrille({"init", files.path("ams"), "--site", "ams", "--config", config}).err;
  };
  CHECK_THAT(trouble("\"none.so\""), Contains("init.toml:2: [policies] load: " + files.path("none.so")));
  CHECK_THAT(trouble(quoted(plugin("built_in_name"))), Contains("its name is 'sum', which is a built-in policy's"));
  const auto twice = quoted(plugin("earliest"));
  CHECK_THAT(trouble(twice + ", " + twice), Contains("there are two policies of the name 'earliest'"));
  CHECK_THAT(trouble("\"policy.dll\""), Contains("expected a policy in a file with the extension"));
}
