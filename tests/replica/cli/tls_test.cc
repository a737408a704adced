// Sites as processes that talk by TLS, or do not.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replica/cli/processes.h"
#include "tests/support/certificates.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// Two sites of one cluster, each with a certificate of its own.
struct Pair {
  TemporaryDirectory files;
  CertificateAuthority ca{files.path(""), "ca"};

  Pair() {
    make("ams", ca);
    make("nyc", ca);
  }
  void make(const std::string& site, CertificateAuthority& issuer) {
    issuer.issue(site);
    // Names are relative to the file that they stand in.
    const auto config = files.file(site + ".toml", "[sync.tls]\ncertificate = \"" + site + ".crt\"\nkey = \"" + site +
                                                       ".key\"\nca = \"ca.crt\"\n");
    std::filesystem::remove_all(files.path(site));
    init(files.path(site), site, {"--members", "ams,nyc", "--config", config});
  }
};

Json status_of(const ServedSite& site) { return Json::parse(http("GET", site.url() + "/status").body); }

bool tells(const ServedSite& site, const std::string& text) {
  const auto status = status_of(site);
  for (const auto& line : status["trouble"]) {
    if (line["text"].get<std::string>().find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("two sites with certificates of one CA replicate to each other, and say until when they are good") {
  Pair pair;
  const ServedSite ams(pair.files.path("ams"));
  const ServedSite nyc(pair.files.path("nyc"), {"--peer", ams.sync()});
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  update(nyc, "INSERT DATA { <urn:n> <urn:p> 2 }");
  CHECK(eventually([&] { return ask(nyc, "<urn:a> <urn:p> 1"); }));
  CHECK(eventually([&] { return ask(ams, "<urn:n> <urn:p> 2"); }));
  CHECK(status_of(ams)["tls"]["certificate_end"].get<std::string>().size() == 20);
  const auto shown = run_quadrille({"status", ams.url()});
  CHECK_THAT(shown.out, Contains("this site's certificate ends 20") && Contains("trouble    none"));
}

TEST_CASE("a site whose certificate is of another CA is refused, and both logs and both statuses say so") {
  Pair pair;
  CertificateAuthority other(pair.files.path(""), "other-ca");
  pair.make("nyc", other);
  ServedSite ams(pair.files.path("ams"));
  ServedSite nyc(pair.files.path("nyc"), {"--peer", ams.sync()});
  update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  const std::string at_ams = "a caller from 127.0.0.1: its certificate is refused: ";
  CHECK(eventually([&] { return ams.trace().find(at_ams) != std::string::npos; }));
  CHECK(tells(ams, at_ams));
  CHECK(eventually(
      [&] { return nyc.trace().find(ams.sync() + ": it refuses this site: unknown CA") != std::string::npos; }));
  CHECK(status_of(nyc)["peers"][0]["trouble"] == "it refuses this site: unknown CA; its own log says more");
  CHECK_FALSE(ask(nyc, "<urn:a> <urn:p> 1"));
  CHECK_THAT(run_quadrille({"status", ams.url()}).out, Contains(at_ams));
}

TEST_CASE("a site without TLS and one with it do not talk, and both say why") {
  Pair pair;
  const auto plain = pair.files.path("plain");
  init(plain, "nyc", {"--members", "ams,nyc"});
  ServedSite ams(pair.files.path("ams"));
  ServedSite nyc(plain, {"--peer", ams.sync()});
  CHECK(eventually([&] { return tells(ams, "a caller from 127.0.0.1: it does not speak TLS"); }));
  CHECK(eventually([&] { return tells(nyc, "it speaks TLS, and this site does not"); }));
  CHECK_THAT(status_of(nyc)["peers"][0]["trouble"].get<std::string>(), Contains("it speaks TLS"));
  CHECK_THAT(run_quadrille({"status", nyc.url()}).out, Contains("not encrypted"));
  // And the other way round.
  init(pair.files.path("plain-2"), "nyc", {"--members", "ams,nyc"});
  ServedSite called(pair.files.path("plain-2"));
  ams.stop_politely();
  ServedSite calling(pair.files.path("ams"), {"--peer", called.sync()});
  CHECK(eventually([&] { return tells(called, "it speaks TLS, and this site does not"); }));
  CHECK(eventually([&] { return tells(calling, "speak TLS"); }));
}

TEST_CASE("a renewed certificate is taken up without a restart") {
  Pair pair;
  const ServedSite ams(pair.files.path("ams"));
  const auto before = status_of(ams)["tls"]["certificate_end"].get<std::string>();
  {
    const ServedSite nyc(pair.files.path("nyc"), {"--peer", ams.sync()});
    update(nyc, "INSERT DATA { <urn:n> <urn:p> 1 }");
    CHECK(eventually([&] { return ask(ams, "<urn:n> <urn:p> 1"); }));
    pair.ca.issue("ams", {{"ams"}, -3600, 30 * 24 * 3600});
    update(nyc, "INSERT DATA { <urn:n> <urn:p> 2 }");  // over the connection that stands
    CHECK(eventually([&] { return ask(ams, "<urn:n> <urn:p> 2"); }));
  }
  const ServedSite nyc(pair.files.path("nyc"), {"--peer", ams.sync()});
  update(nyc, "INSERT DATA { <urn:n> <urn:p> 3 }");
  CHECK(eventually([&] { return ask(ams, "<urn:n> <urn:p> 3"); }));
  CHECK(status_of(ams)["tls"]["certificate_end"].get<std::string>() > before);
  CHECK(tells(ams, "certificates have changed and are read again"));
}

TEST_CASE("without TLS a site listens beyond its machine only where the configuration says so") {
  Pair pair;
  const auto plain = pair.files.path("plain");
  init(plain, "ams");
  const auto refused = run_quadrille({"serve", plain, "--http", "127.0.0.1:0", "--sync", "0.0.0.0:0"});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("would not be encrypted; expected [sync.tls], or allow_plain = true in [sync]"));
  const auto allowed = pair.files.path("allowed");
  init(allowed, "ams", {"--config", pair.files.file("allowed.toml", "[sync]\nallow_plain = true\n")});
  CHECK_THAT(ServedSite(allowed, {"--sync", "0.0.0.0:0"}).sync(), Contains("0.0.0.0:"));
  CHECK_THAT(ServedSite(pair.files.path("ams"), {"--sync", "0.0.0.0:0"}).sync(), Contains("0.0.0.0:"));
}

TEST_CASE("a site whose certificate cannot be used does not start, and says what is wrong") {
  Pair pair;
  pair.ca.issue("ams", {{"nyc"}});
  const auto refused =
      run_quadrille({"serve", pair.files.path("ams"), "--http", "127.0.0.1:0", "--sync", "127.0.0.1:0"});
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Contains("ams.crt: it does not name this site, ams"));
}

TEST_CASE("a site joins by TLS, and an evicted one is told so by TLS") {
  Pair pair;
  pair.ca.issue("lon");
  const ServedSite ams(pair.files.path("ams"));
  const auto config =
      pair.files.file("lon.toml", "[sync.tls]\ncertificate = \"lon.crt\"\nkey = \"lon.key\"\nca = \"ca.crt\"\n");
  const auto joined =
      run_quadrille({"init", pair.files.path("lon"), "--site", "lon", "--from", ams.url(), "--config", config});
  INFO(joined.err);
  REQUIRE(joined.status == 0);
  const ServedSite lon(pair.files.path("lon"));
  CHECK(eventually([&] { return status_of(lon)["state"] == "member"; }));
  update(lon, "INSERT DATA { <urn:l> <urn:p> 1 }");
  CHECK(eventually([&] { return ask(ams, "<urn:l> <urn:p> 1"); }));
  run_quadrille({"member", "evict", ams.url(), "lon", "--wait", "1"});  // nyc does not answer
  CHECK(eventually([&] { return status_of(lon)["state"] == "evicted"; }));
}
