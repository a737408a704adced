// What a client that carries version tokens is promised, over sites as processes.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::vector<std::string> both = {"--members", "ams,nyc"};

HttpAnswer query_at(const ServedSite& site, const std::string& text, std::vector<std::string> headers) {
  headers.insert(headers.end(), {"Content-Type: application/sparql-query", "Accept: text/csv"});
  return http("POST", site.url() + "/sparql", headers, text);
}

std::string wants(const std::string& token) { return "Quadrille-Version: " + token; }
std::string waits(int ms) { return "Quadrille-Wait-Ms: " + std::to_string(ms); }

void copy(const TemporaryDirectory& files, const std::string& from, const std::string& to) {
  std::filesystem::remove_all(files.path(to));
  std::filesystem::copy(files.path(from), files.path(to));
}

}  // namespace

TEST_CASE("who carries the version of an update to another site reads what was written, each time") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  for (int i = 0; i < 30; ++i) {
    const auto& writer = i % 2 == 0 ? ams : nyc;
    const auto& reader = i % 2 == 0 ? nyc : ams;
    const auto token = update(writer, "INSERT DATA { <urn:a> <urn:p> " + std::to_string(i) + " }");
    const auto read = query_at(reader, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", {wants(token), waits(20'000)});
    INFO(read.body);
    CHECK(read.status == 200);
    CHECK(read.body == "n\r\n" + std::to_string(i + 1) + "\r\n");
  }
}

TEST_CASE("who carries the version of each answer on never reads an older state, whichever site is asked") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      http("POST", ams.url() + "/sparql", {"Content-Type: application/sparql-update"},
           "INSERT DATA { <urn:a> <urn:p> " + std::to_string(i) + " }");
    }
  });
  std::string token;
  int most = 0;
  for (int i = 0; i < 200; ++i) {
    const auto read =
        query_at(i % 2 == 0 ? ams : nyc, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", {wants(token), waits(20'000)});
    INFO(read.body);
    REQUIRE(read.status == 200);
    const int count = std::stoi(read.body.substr(3));
    REQUIRE(count >= most);
    most = count;
    token = read.version;
  }
  writer.join();
  CHECK(most > 0);
}

TEST_CASE("an update waits for the version that it names, and then sees it") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  const auto written = update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  const auto copied =
      http("POST", nyc.url() + "/sparql", {"Content-Type: application/sparql-update", wants(written), waits(20'000)},
           "INSERT { ?s <urn:copy> ?o } WHERE { ?s <urn:p> ?o }");
  REQUIRE(copied.status == 200);
  // The command line, the same way back.
  const auto shown = run_quadrille({"query", ams.url(), "ASK { <urn:a> <urn:copy> 1 }", "--after", copied.version,
                                    "--wait", "20000", "--results", "csv"});
  CHECK(shown.out == "true\r\n");
  const auto again = run_quadrille({"update", nyc.url(), "INSERT DATA { <urn:b> <urn:p> 2 }", "--after", written});
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("inserted 1, deleted 0, version nyc."));
}

TEST_CASE("every answer carries a version, and every request but /health may name one") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  const ServedSite ams(files.path("ams"));
  const auto written = update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  CHECK_THAT(written, StartsWith("ams."));
  const std::string unknown = "nyc.0000000000000001:1";
  for (const std::string path : {"/status", "/digest", "/conflicts", "/policy", "/data", "/sparql?query=ASK%7B%7D"}) {
    CAPTURE(path);
    const auto answer = http("GET", ams.url() + path, {wants(written)});
    CHECK(answer.status == 200);
    CHECK(answer.version == written);
    const auto late = http("GET", ams.url() + path, {wants(written), wants(unknown), waits(1)});
    CHECK(late.status == 503);
    CHECK_THAT(late.body, Contains("lags behind nyc.0000000000000001 by 1 (it has 0 of 1)"));
  }
  CHECK(http("GET", ams.url() + "/health", {wants(unknown)}).status == 200);
  // An update that changes nothing answers with the version that it saw.
  const auto nothing = http("POST", ams.url() + "/sparql", {"Content-Type: application/sparql-update"},
                            "DELETE { ?s <urn:none> ?o } WHERE { ?s <urn:none> ?o }");
  CHECK(nothing.version == written);
}

TEST_CASE("a malformed version or time is refused in one line") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  const ServedSite ams(files.path("ams"));
  const auto bad_token = http("GET", ams.url() + "/status", {wants("yesterday")});
  CHECK(bad_token.status == 400);
  CHECK_THAT(bad_token.body, Contains("yesterday") && Contains("expected SITE.INCARNATION:NUMBER:HASH"));
  for (const std::string ms : {"soon", "-1", "1.5", "99999999999999999999"}) {
    CAPTURE(ms);
    const auto bad_time = http("GET", ams.url() + "/status", {"Quadrille-Wait-Ms: " + ms});
    CHECK(bad_time.status == 400);
    CHECK_THAT(bad_time.body, Contains("expected a number of milliseconds"));
  }
  CHECK(run_quadrille({"query", ams.url(), "ASK {}", "--after", "yesterday"}).status == 2);
  CHECK(run_quadrille({"query", files.path("ams"), "ASK {}", "--after", "ams.0000000000000001:1"}).status == 2);
}

TEST_CASE("requests that wait for a version keep neither queries nor updates from their threads") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  init(files.path("nyc"), "nyc", both);
  const ServedSite ams(files.path("ams"));
  std::string token = update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
  {
    const ServedSite nyc(files.path("nyc"));
    token = update(nyc, "INSERT DATA { <urn:n> <urn:p> 2 }");
  }
  std::vector<std::thread> parked;
  std::vector<HttpAnswer> answers(40);  // as many as threads of all kinds, and more
  for (auto& answer : answers) {
    parked.emplace_back([&] { answer = query_at(ams, "ASK { <urn:n> <urn:p> 2 }", {wants(token), waits(30'000)}); });
  }
  for (int i = 0; i < 20; ++i) {
    CHECK(ask(ams, "<urn:a> <urn:p> 1"));
    update(ams, "INSERT DATA { <urn:a> <urn:p> " + std::to_string(i) + " }");
  }
  const ServedSite nyc(files.path("nyc"), {"--peer", ams.sync()});
  for (auto& thread : parked) thread.join();
  for (const auto& answer : answers) CHECK(answer.body == "true\r\n");
}

TEST_CASE("a site that stops tells those who wait for a version, and does not wait for them") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  ServedSite ams(files.path("ams"));
  HttpAnswer answer;
  std::thread parked([&] { answer = query_at(ams, "ASK {}", {wants("nyc.0000000000000001:1"), waits(60'000)}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK(ams.stop_politely() == 0);
  parked.join();
  CHECK(answer.status == 503);
}

TEST_CASE("with relaxed durability a version that was answered early is waited for until it can be read") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", {"--config", files.file("relaxed.toml", "[site]\ndurability = \"relaxed\"\n")});
  const ServedSite ams(files.path("ams"));
  for (int i = 0; i < 50; ++i) {
    const auto token = update(ams, "INSERT DATA { <urn:a> <urn:p> " + std::to_string(i) + " }");
    const auto read = query_at(ams, "ASK { <urn:a> <urn:p> " + std::to_string(i) + " }", {wants(token)});
    INFO(read.body);
    REQUIRE(read.body == "true\r\n");
  }
}

TEST_CASE("the version of an update that a crash undid is refused at once, also when another has its number") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams", both);
  std::string kept;
  {
    ServedSite ams(files.path("ams"));
    kept = update(ams, "INSERT DATA { <urn:a> <urn:p> 1 }");
    ams.stop_politely();
  }
  copy(files, "ams", "before");
  std::string undone;
  {
    ServedSite ams(files.path("ams"));
    undone = update(ams, "INSERT DATA { <urn:a> <urn:p> 2 }");
    ams.kill_hard();
  }
  copy(files, "before", "ams");
  const ServedSite ams(files.path("ams"));
  const auto refused = query_at(ams, "ASK {}", {wants(undone), waits(60'000)});
  CHECK(refused.status == 409);
  CHECK_THAT(refused.body, Contains(undone.substr(0, undone.rfind(':')) + " is undone"));
  update(ams, "INSERT DATA { <urn:a> <urn:p> 3 }");
  const auto replaced = query_at(ams, "ASK {}", {wants(undone), waits(60'000)});
  CHECK(replaced.status == 409);
  CHECK_THAT(replaced.body, Contains("another changeset has its number"));
  CHECK(query_at(ams, "ASK {}", {wants(kept)}).status == 200);
  CHECK(run_quadrille({"query", ams.url(), "ASK {}", "--after", undone}).status == 1);
}
