// Commands on a directory that is not being served.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

void check_trouble(const Finished& finished, int status, const std::string& what) {
  INFO(finished.err);
  CHECK(finished.status == status);
  CHECK(is_one_line(finished.err));
  CHECK_THAT(finished.err, StartsWith("quadrille: "));
  CHECK_THAT(finished.err, Contains(what));
}

}  // namespace

TEST_CASE("what is loaded into a directory is found by a query and comes back in a dump") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const auto data = files.file("data.ttl", "@prefix : <http://example.org/> .\n:a :p 1, \"x\"@en .\n");
  const auto more =
      files.file("more.nq", "<http://example.org/b> <http://example.org/p> \"y\" <http://example.org/g> .\n");
  const auto loaded = run_quadrille({"load", site, data, more});
  INFO(loaded.err);
  REQUIRE(loaded.status == 0);
  CHECK_THAT(loaded.out, StartsWith("loaded 3 new quads"));

  const auto rows = run_quadrille(
      {"query", site, "SELECT ?o WHERE { <http://example.org/a> ?p ?o } ORDER BY ?o", "--results", "csv"});
  INFO(rows.err);
  CHECK(rows.status == 0);
  CHECK(rows.out == "o\r\n1\r\nx\r\n");

  const auto dump = run_quadrille({"dump", site});
  CHECK(dump.status == 0);
  CHECK_THAT(dump.out, Contains("<http://example.org/b> <http://example.org/p> \"y\" <http://example.org/g> .\n"));
  CHECK(std::count(dump.out.begin(), dump.out.end(), '\n') == 3);

  CHECK(run_quadrille({"verify", site}).status == 0);
}

TEST_CASE("an update of a directory is one transaction") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const auto updated =
      run_quadrille({"update", site, "INSERT DATA { <urn:a> <urn:p> 1, 2 } ; DELETE DATA { <urn:a> <urn:p> 1 }"});
  INFO(updated.err);
  CHECK(updated.status == 0);
  const auto failed =
      run_quadrille({"update", site, "INSERT DATA { <urn:b> <urn:p> 1 } ; LOAD <http://127.0.0.1:1/x>"});
  CHECK(failed.status == 1);
  const auto left = run_quadrille({"dump", site, "--format", "nt"});
  CHECK(left.out == "<urn:a> <urn:p> \"2\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
}

TEST_CASE("a query comes from a file or from standard input too") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const auto file = files.file("q.rq", "ASK { ?s ?p ?o }");
  CHECK(run_quadrille({"query", site, "-f", file, "--results", "csv"}).out == "false\r\n");
  CHECK(run_quadrille({"query", site, "-f", "-", "--results", "csv"}, "ASK {}").out == "true\r\n");
}

TEST_CASE("a malformed data file is told by file, line and what was expected, and nothing of it is stored") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const auto good = files.file("good.nt", "<urn:a> <urn:p> <urn:b> .\n");
  const auto bad = files.file("bad.nt", "<urn:a> <urn:p> <urn:c> .\n<urn:a> <urn:p> .\n");
  check_trouble(run_quadrille({"load", site, good, bad}), 1, "bad.nt:2:");
  check_trouble(run_quadrille({"load", site, good, bad}), 1, "expected");
  CHECK(run_quadrille({"dump", site}).out.empty());
  check_trouble(run_quadrille({"load", site, files.path("missing.nt")}), 1, "missing.nt");
  check_trouble(run_quadrille({"load", site, files.file("data.txt", "")}), 2, ".nt, .nq, .ttl, .trig or .rdf");
}

TEST_CASE("blank nodes of different files are different nodes") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const auto first = files.file("1.nt", "_:x <urn:p> \"1\" .\n");
  const auto second = files.file("2.nt", "_:x <urn:p> \"2\" .\n");
  REQUIRE(run_quadrille({"load", site, first, second}).status == 0);
  const auto count = run_quadrille({"query", site, "ASK { ?x <urn:p> \"1\", \"2\" }", "--results", "csv"});
  CHECK(count.out == "false\r\n");
}

TEST_CASE("a malformed query is told by position and reason") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  check_trouble(run_quadrille({"query", site, "SELECT ?x\nWHERE { ?x ?y }"}), 1, "query:2:");
  check_trouble(run_quadrille({"update", site, "INSERT DATA { <urn:a> }"}), 1, "update:1:");
}

TEST_CASE("a directory that is no store is told") {
  const TemporaryDirectory files;
  files.file("something.txt", "not a store");
  for (const auto& directory : {files.path("missing"), files.path(".")}) {
    check_trouble(run_quadrille({"query", directory, "ASK {}"}), 1, directory);
    check_trouble(run_quadrille({"serve", directory}), 1, directory);
  }
  check_trouble(run_quadrille({"init", files.path("."), "--site", "ams"}), 1, files.path("."));
}

TEST_CASE("a second process on one store is told that it is busy") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const ServedSite served(site);
  check_trouble(run_quadrille({"query", site, "ASK {}"}), 1, site);
  check_trouble(run_quadrille({"serve", site, "--http", "127.0.0.1:0", "--sync", "127.0.0.1:0"}), 1, site);
}

TEST_CASE("a store of another format version is told") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  // The version stands in the store's metadata as text: here it becomes one that nobody has written yet.
  std::fstream file(site + "/data.mdb", std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string name = "quadrille store 6";
  const size_t at = bytes.find(name);
  REQUIRE(at != std::string::npos);
  file.seekp(static_cast<std::streamoff>(at + name.size() - 1));
  file.put('9');
  file.close();
  check_trouble(run_quadrille({"query", site, "ASK {}"}), 1, "quadrille store 9");
  check_trouble(run_quadrille({"serve", site}), 1, "quadrille store 9");
}

TEST_CASE("a port in use is told") {
  const TemporaryDirectory files;
  init(files.path("ams"), "ams");
  init(files.path("nyc"), "nyc");
  const ServedSite ams(files.path("ams"));
  check_trouble(run_quadrille({"serve", files.path("nyc"), "--http", ams.http(), "--sync", "127.0.0.1:0"}), 1,
                ams.http());
  check_trouble(run_quadrille({"serve", files.path("nyc"), "--http", "127.0.0.1:0", "--sync", ams.sync()}), 1,
                ams.sync());
}

TEST_CASE("a configuration that differs from the store's is refused") {
  const TemporaryDirectory files;
  const auto site = files.path("ams");
  init(site, "ams");
  const auto policies = files.file("other.toml", "default_policy = \"delete-wins\"\n[site]\nname = \"ams\"\n");
  check_trouble(run_quadrille({"serve", site, "--config", policies}), 1, "policies differ");
  const auto members = files.file("members.toml", "[site]\nname = \"ams\"\n[cluster]\nmembers = [\"ams\", \"nyc\"]\n");
  check_trouble(run_quadrille({"serve", site, "--config", members}), 1, "members");
  const auto typo = files.file("typo.toml", "[site]\nnmae = \"ams\"\n");
  check_trouble(run_quadrille({"serve", site, "--config", typo}), 1,
                "typo.toml:2: unknown key [site] nmae; did you mean name?");
}

TEST_CASE("a command used wrongly is told in one line, with exit status 2") {
  check_trouble(run_quadrille({}), 2, "quadrille --help");
  check_trouble(run_quadrille({"frobnicate"}), 2, "quadrille --help");
  check_trouble(run_quadrille({"query", "dir"}), 2, "-f FILE");
  check_trouble(run_quadrille({"query", "dir", "ASK {}", "--results", "yaml"}), 2, "table, json, xml, csv or tsv");
  check_trouble(run_quadrille({"dump", "dir", "--format", "xls"}), 2, "nq, trig, nt or ttl");
  check_trouble(run_quadrille({"serve", "dir", "--http", "nowhere"}), 2, "HOST:PORT");
  check_trouble(run_quadrille({"load", "dir", "x.nt", "--graph", "relative"}), 2, "absolute IRI");
  check_trouble(run_quadrille({"verify", "one", "two"}), 2, "one directory");
  const auto help = run_quadrille({"--help"});
  CHECK(help.status == 0);
  CHECK_THAT(help.out, Contains("serve"));
}

TEST_CASE("a site that is not running is told") {
  check_trouble(run_quadrille({"status", "http://127.0.0.1:1"}), 1, "expected a running site there");
}
