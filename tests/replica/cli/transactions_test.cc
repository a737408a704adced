// What transactions of a served site promise: to many clients at once, on a full disk, and to who reads for long.
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;

namespace {

struct Served {
  // `setting`, as init writes it into site.toml, is replaced.
  explicit Served(const std::string& setting = {}, const std::string& replacement = {}) {
    init(files.path("ams"), "ams");
    if (!setting.empty()) change_setting(setting, replacement);
    site = std::make_unique<ServedSite>(files.path("ams"));
  }
  void change_setting(const std::string& from, const std::string& to) const {
    std::stringstream text;
    text << std::ifstream(files.path("ams/site.toml")).rdbuf();
    std::string config = text.str();
    REQUIRE_THAT(config, Contains(from));
    config.replace(config.find(from), from.size(), to);
    std::ofstream(files.path("ams/site.toml")) << config;
  }
  HttpAnswer update(const std::string& text) const {
    return http("POST", site->url() + "/sparql", {"Content-Type: application/sparql-update"}, text);
  }
  // As CSV without its first line.
  std::string query(const std::string& text) const {
    const auto answer =
        http("POST", site->url() + "/sparql", {"Content-Type: application/sparql-query", "Accept: text/csv"}, text);
    CHECK(answer.status == 200);
    return answer.body.substr(answer.body.find('\n') + 1);
  }
  uint64_t file_bytes() const { return std::filesystem::file_size(files.path("ams/data.mdb")); }

  TemporaryDirectory files;
  std::unique_ptr<ServedSite> site;
};

// Runs `work(number)` on so many threads at once.
template <class Work>
void at_once(int count, const Work& work) {
  std::vector<std::thread> threads;
  for (int number = 0; number < count; ++number) threads.emplace_back([&work, number] { work(number); });
  for (auto& thread : threads) thread.join();
}

std::string account(int number) { return "<urn:account:" + std::to_string(number) + ">"; }

std::string transfer(int from, int to, int amount) {
  return "DELETE { " + account(from) + " <urn:balance> ?a . " + account(to) + " <urn:balance> ?b } INSERT { " +
         account(from) + " <urn:balance> ?less . " + account(to) + " <urn:balance> ?more } WHERE { " + account(from) +
         " <urn:balance> ?a . " + account(to) + " <urn:balance> ?b BIND(?a - " + std::to_string(amount) +
         " AS ?less) BIND(?b + " + std::to_string(amount) + " AS ?more) }";
}

}  // namespace

TEST_CASE("transfers between accounts at once keep the total, and no reader misses a balance") {
  const Served served;
  constexpr int accounts = 6;
  std::string opening;
  for (int i = 0; i < accounts; ++i) opening += account(i) + " <urn:balance> 100 . ";
  REQUIRE(served.update("INSERT DATA { " + opening + "}").status == 200);
  const std::string total = "SELECT (SUM(?a) AS ?total) (COUNT(*) AS ?count) { ?s <urn:balance> ?a }";

  std::atomic<bool> writing = true;
  std::atomic<int> refused = 0;
  std::vector<std::string> wrong;
  std::thread reader([&] {
    while (writing) {
      if (const auto seen = served.query(total); seen != "600,6\r\n") wrong.push_back(seen);
    }
  });
  at_once(8, [&](int number) {
    for (int i = 0; i < 25; ++i) {
      const int from = (number + i) % accounts;
      const int to = (from + 1 + i % (accounts - 1)) % accounts;
      if (served.update(transfer(from, to, 1 + number)).status != 200) ++refused;
    }
  });
  writing = false;
  reader.join();
  CHECK(refused == 0);
  CHECK(wrong == std::vector<std::string>{});
  CHECK(served.query(total) == "600,6\r\n");
  // Money has moved: the total is not kept by doing nothing.
  CHECK(served.query("SELECT ?a { ?s <urn:balance> ?a } ORDER BY ?a LIMIT 1") != "100\r\n");
}

TEST_CASE("sixteen writers over the same quads all succeed, one after another") {
  const Served served;
  std::atomic<int> succeeded = 0;
  at_once(16, [&](int number) {
    for (int i = 0; i < 20; ++i) {
      // Whoever comes last leaves its own: one quad for each subject.
      const std::string subject = "<urn:s" + std::to_string(i % 3) + ">";
      const std::string text = "DELETE WHERE { " + subject + " <urn:owner> ?o } ; INSERT DATA { " + subject +
                               " <urn:owner> " + std::to_string(number) + " }";
      if (served.update(text).status == 200) ++succeeded;
    }
  });
  CHECK(succeeded == 16 * 20);
  CHECK(served.query("SELECT (COUNT(*) AS ?n) { ?s <urn:owner> ?o }") == "3\r\n");
}

TEST_CASE("with relaxed durability a crash undoes the last updates at most, each as a whole") {
  Served served("durability = \"full\"", "durability = \"relaxed\"");
  std::atomic<int> acknowledged = 0;
  std::thread client([&] {
    for (int i = 0;; ++i) {
      const auto text =
          "INSERT DATA { <urn:" + std::to_string(i) + "> <urn:p> 1, 2, 3 ; <urn:n> " + std::to_string(i) + " }";
      if (served.update(text).status != 200) return;
      acknowledged = i + 1;
    }
  });
  REQUIRE(eventually([&] { return acknowledged > 200; }));
  served.site->kill_hard();
  client.join();

  served.site = std::make_unique<ServedSite>(served.files.path("ams"));
  const int kept = std::stoi(served.query("SELECT (COUNT(*) AS ?n) { ?s <urn:n> ?i }"));
  CHECK(kept <= acknowledged + 1);
  CHECK(kept > 0);
  // What is there is a beginning of what was sent, and whole.
  CHECK(std::stoi(served.query("SELECT (MAX(?i) AS ?last) { ?s <urn:n> ?i }")) == kept - 1);
  CHECK(std::stoi(served.query("SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?o }")) == 3 * kept);
}

TEST_CASE("what was answered with relaxed durability is there after a clean stop") {
  Served served("durability = \"full\"", "durability = \"relaxed\"");
  for (int i = 0; i < 20; ++i) {
    REQUIRE(served.update("INSERT DATA { <urn:s> <urn:p> " + std::to_string(i) + " }").status == 200);
  }
  CHECK(served.site->stop_politely() == 0);
  served.site = std::make_unique<ServedSite>(served.files.path("ams"));
  CHECK(served.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == "20\r\n");
}

TEST_CASE("an answer that takes too long is broken off, and the store stops growing for it") {
  const Served served("reader_age_ms = 600000", "reader_age_ms = 1500");
  std::string quads;
  for (int i = 0; i < 3000; ++i) quads += "<urn:s" + std::to_string(i) + "> <urn:p> " + std::to_string(i) + " . ";
  REQUIRE(served.update("INSERT DATA { " + quads + "}").status == 200);
  const auto rewrite = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      REQUIRE(served
                  .update("DELETE { ?s <urn:p> ?o } INSERT { ?s <urn:p> ?n } WHERE { ?s <urn:p> ?o BIND(" +
                          std::to_string(i % 2 == 0 ? 1 : -1) + " + ?o AS ?n) }")
                  .status == 200);
    }
  };
  const std::string query = "SELECT * { ?a ?b ?c . ?d ?e ?f }";
  const DeafClient slow(served.site->http(),
                        "POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: "
                        "application/sparql-query\r\nContent-Length: " +
                            std::to_string(query.size()) + "\r\n\r\n" + query);
  REQUIRE(eventually([&] { return slow.is_answered(); }));
  const uint64_t before = served.file_bytes();
  rewrite(5);
  CHECK(served.file_bytes() > before);  // the answer holds what was replaced

  // It is cut off after 1.5 s; from then on the room of replaced quads is used again.
  uint64_t last = 0;
  CHECK(eventually([&] {
    rewrite(4);
    return served.file_bytes() == std::exchange(last, served.file_bytes());
  }));
}

TEST_CASE("on a full disk updates fail with a reason, reads go on, and so do writes once there is room") {
  const Served served;
  REQUIRE(served.update("INSERT DATA { <urn:before> <urn:p> 1 }").status == 200);
  // The system lets the process write no file further than this: as on a disk without room.
  served.site->limit_files_to(served.file_bytes() + 64 * 1024);
  std::string quads;
  for (int i = 0; i < 20000; ++i) quads += "<urn:s" + std::to_string(i) + "> <urn:p> " + std::to_string(i) + " . ";
  const auto failed = served.update("INSERT DATA { " + quads + "}");
  CHECK(failed.status == 503);
  CHECK_THAT(failed.body, Contains("data.mdb"));
  CHECK(served.query("SELECT ?s { ?s ?p ?o }") == "urn:before\r\n");

  served.site->limit_files_to(uint64_t{1} << 40);
  CHECK(served.update("INSERT DATA { " + quads + "}").status == 200);
  CHECK(served.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == "20001\r\n");
  CHECK(served.site->stop_politely() == 0);
  CHECK(run_quadrille({"verify", served.files.path("ams")}).status == 0);
}
