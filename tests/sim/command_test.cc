// The program quadrille-sim as a person meets it.
#include <sys/wait.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "sim/seed_runner.h"

namespace quadrille::sim {
namespace {

struct Ran {
  int status = -1;
  std::string output;  // both streams
};

Ran run(const std::string& arguments) {
  FILE* pipe = ::popen((QUADRILLE_SIM " " + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  Ran ran;
  std::array<char, 4096> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ran.output.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  return ran;
}

// A file of its own, gone at the end.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text) : directory_(make_work_directory()) { std::ofstream(path()) << text; }
  ~ScenarioFile() { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ / "scenario.toml"; }
  std::string file(const std::string& name) const { return directory_ / name; }

 private:
  std::filesystem::path directory_;
};

const std::string two_sites =
    "[[site]]\nname = \"ams\"\n[[site]]\nname = \"nyc\"\n"
    "[[policy]]\nproperty = \"urn:sim:balance\"\ncells = \"value\"\npolicy = \"sum\"\n";

std::string hash_in(const std::string& output) {
  std::smatch match;
  REQUIRE(std::regex_search(output, match, std::regex("\\b[0-9a-f]{16}  (passed|FAILED)")));
  return match.str();
}

TEST_CASE("seeds that pass exit 0 with a table, and print the same trace hash with and without the trace") {
  const ScenarioFile scenario("run_s = 5\n" + two_sites);
  const auto ran = run("run " + scenario.path() + " --seed 3 --json " + scenario.file("out.json"));
  INFO(ran.output);
  CHECK(ran.status == 0);
  CHECK(ran.output.find("passed") != std::string::npos);
  CHECK(std::filesystem::file_size(scenario.file("out.json")) > 0);
  const auto traced = run("run " + scenario.path() + " --seed 3 --trace");
  CHECK(traced.output.size() > 10 * ran.output.size());
  CHECK(hash_in(ran.output) == hash_in(traced.output));
}

TEST_CASE("sites agree by a policy from a file, and the command that shows a seed again names it") {
  const std::string policy = QUADRILLE_SOURCE_DIR "/policies/example/merge_fields.lua";
  const std::string rule = "[[policy]]\nproperty = \"urn:sim:name\"\ncells = \"value\"\npolicy = \"merge-fields\"\n";
  const ScenarioFile scenario("run_s = 10\n" + two_sites + rule);
  const auto ran = run("run " + scenario.path() + " --seed 3 --plugin " + policy);
  INFO(ran.output);
  CHECK(ran.status == 0);
  CHECK(run("run " + scenario.path() + " --seed 3").status == 2);
  const auto none = run("run " + scenario.path() + " --plugin none.lua");
  CHECK(none.status == 2);
  CHECK(none.output == "quadrille-sim: none.lua: no such file\n");
  const ScenarioFile slow("run_s = 2\nquiet_s = 1\n[[link]]\nbetween = [\"*\", \"*\"]\nlatency_ms = 30000\n" +
                          two_sites + rule);
  CHECK(run("run " + slow.path() + " --shrink 0 --plugin " + policy).output.find("--trace --plugin " + policy) !=
        std::string::npos);
}

TEST_CASE("a violation exits 1, with its story and the command that shows it again") {
  const ScenarioFile scenario("run_s = 2\nquiet_s = 1\n[[link]]\nbetween = [\"*\", \"*\"]\nlatency_ms = 30000\n" +
                              two_sites);
  const auto ran = run("run " + scenario.path() + " --seeds 1..2 --jobs 2 --shrink 0");
  INFO(ran.output);
  CHECK(ran.status == 1);
  CHECK(ran.output.find("quadrille-sim run " + scenario.path() + " --seed 2 --trace") != std::string::npos);
  CHECK(ran.output.find("settling:") != std::string::npos);
  CHECK(ran.output.find("2 FAILED") != std::string::npos);
}

TEST_CASE("scenarios made of seeds run, can be printed, and have a report and JSON that need nothing else") {
  const ScenarioFile files("");
  const auto ran =
      run("fuzz --seeds 3..4 --jobs 2 --report " + files.file("out.html") + " --json " + files.file("out.json"));
  INFO(ran.output);
  CHECK(ran.status == 0);
  CHECK(ran.output.find("all 2") != std::string::npos);
  std::ifstream page(files.file("out.html"));
  const std::string html{std::istreambuf_iterator<char>(page), {}};
  CHECK(html.find("Timeline") != std::string::npos);
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
  CHECK(html.find("quadrille-sim fuzz --seeds 3..3 --trace") != std::string::npos);
  const auto printed = run("fuzz --seeds 3..3 --print-scenario");
  const ScenarioFile again(printed.output);
  const auto from_file = run("run " + again.path() + " --seed 3");
  CHECK(ran.output.find(hash_in(from_file.output)) != std::string::npos);
  CHECK(run("fuzz --seeds 1..1 --without rain").output ==
        "quadrille-sim: --without rain: expected one of partition, one-way-cut, crash, power-loss, pause, "
        "connection-loss, clock-jump, join, evict, restore\n");
  CHECK(run("fuzz --seeds 2..1").status == 2);
}

TEST_CASE("a seed that fails is made smaller, and kept as a file that fails too") {
  const ScenarioFile scenario("run_s = 2\nquiet_s = 1\n[[link]]\nbetween = [\"*\", \"*\"]\nlatency_ms = 30000\n" +
                              two_sites);
  const auto ran = run("run " + scenario.path() + " --seed 1 --keep " + scenario.file(""));
  INFO(ran.output);
  CHECK(ran.output.find("fails just so with 2 sites") != std::string::npos);
  const auto again = run("run " + scenario.file("scenario-1.toml") + " --seed 1 --shrink 0");
  CHECK(again.status == 1);
  CHECK(again.output.find("settling:") != std::string::npos);
}

TEST_CASE("who uses it wrongly is told what was expected, and exit is 2") {
  CHECK(run("").status == 2);
  CHECK(run("run").status == 2);
  CHECK(run("run /no/such/file.toml").status == 2);
  CHECK(run("run /no/such/file.toml").output == "quadrille-sim: /no/such/file.toml: no such file, or not readable\n");
  const ScenarioFile scenario("rum_s = 5\n" + two_sites);
  const auto misspelled = run("run " + scenario.path());
  CHECK(misspelled.status == 2);
  CHECK(misspelled.output == "quadrille-sim: " + scenario.path() + ":1: unknown key rum_s; did you mean run_s?\n");
  CHECK(run("run " + scenario.path() + " --seeds 5..1").status == 2);
  CHECK(run("run " + scenario.path() + " --jobs 0").status == 2);
}

}  // namespace
}  // namespace quadrille::sim
