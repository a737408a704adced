#include "replica/site/site_config.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "policies/built_in.h"
#include "replica/site/assignment_tables.h"
#include "replica/site/toml_reader.h"

using namespace quadrille;

namespace {

base::Result<replica::SiteConfig> parse(const std::string& text) {
  return replica::parse_site_config(text, "site.toml", policies::built_in());
}

std::string trouble(const std::string& text) {
  const auto config = parse(text);
  return config.ok() ? "no trouble" : config.error().message;
}

}  // namespace

TEST_CASE("an empty file is a site with all defaults") {
  const auto config = parse("");
  REQUIRE(config.ok());
  CHECK(config->http == "127.0.0.1:7878");
  CHECK(config->sync == "127.0.0.1:7879");
  CHECK(config->peers.empty());
  CHECK(config->cluster == "quadrille");
  CHECK(config->assignment.default_policy == "add-wins");
  CHECK(config->limits.query_time_ms == 60'000);
}

TEST_CASE("every key of the file reaches the configuration") {
  const auto config = parse(R"(default_policy = "delete-wins"
[site]
name = "ams"
http = "127.0.0.1:1"
sync = "[::1]:2"
peers = ["nyc.example.org:7879"]
[http]
allow_origins = ["https://app.example", "http://localhost:3000"]
anonymous = "read"
[http.tls]
certificate = "/etc/http.crt"
key = "http.key"
[[http.token]]
name = "shop"
role = "write"
hash = "sha256:0000000000000000000000000000000000000000000000000000000000000a0b"
[sync]
allow_plain = true
max_clock_skew_ms = 20000
[sync.tls]
certificate = "/etc/ams.crt"
key = "keys/ams.key"
ca = "ca.crt"
[cluster]
name = "demo"
members = ["sgp", "ams", "nyc"]
[limits]
query_time_ms = 5
query_memory_mb = 6
query_spill_mb = 9
request_mb = 7
upload_mb = 8
answer_mb = 9
header_kb = 10
connections = 11
query_threads = 8
version_wait_ms = 11
version_wait_ms_max = 12
[federation]
allow = ["https://query.example/sparql", "*"]
answer_mb = 9
document_mb = 10
[conflicts]
keep_max = 11
keep_days = 12
[[policy]]
property = "http://example.org/balance"
cells = "value"
policy = "sum"
)");
  REQUIRE(config.ok());
  CHECK(config->federation.allow.texts() == std::vector<std::string>{"https://query.example/sparql", "*"});
  CHECK(config->federation.answer_mb == 9);
  CHECK(config->federation.document_mb == 10);
  CHECK(config->conflicts.count_max == 11);
  CHECK(config->conflicts.age_ms_max == int64_t{12} * 24 * 3600 * 1000);
  CHECK(config->name == "ams");
  CHECK(config->http == "127.0.0.1:1");
  CHECK(config->sync == "[::1]:2");
  CHECK(config->peers == std::vector<std::string>{"nyc.example.org:7879"});
  CHECK(config->cluster == "demo");
  CHECK(config->members == std::vector<std::string>{"ams", "nyc", "sgp"});
  CHECK(config->limits.query_time_ms == 5);
  CHECK(config->limits.query_memory_mb == 6);
  CHECK(config->limits.query_spill_mb == 9);
  CHECK(config->limits.request_mb == 7);
  CHECK(config->limits.upload_mb == 8);
  CHECK(config->limits.answer_mb == 9);
  CHECK(config->limits.header_kb == 10);
  CHECK(config->limits.connections == 11);
  CHECK(config->http_access.allow_origins.size() == 2);
  CHECK(config->http_access.anonymous == replica::Role::Read);
  REQUIRE(config->http_access.tls);
  CHECK(config->http_access.tls->certificate == "/etc/http.crt");
  REQUIRE(config->http_access.tokens.size() == 1);
  CHECK(config->http_access.tokens[0].name == "shop");
  CHECK(config->http_access.tokens[0].role == replica::Role::Write);
  CHECK(config->http_access.tokens[0].hash[31] == 0x0b);
  CHECK(config->limits.query_threads == 8);
  CHECK(config->allow_plain_sync);
  CHECK(config->max_clock_skew_ms == 20'000);
  REQUIRE(config->sync_tls);
  CHECK(config->sync_tls->certificate == "/etc/ams.crt");
  CHECK(config->sync_tls->key == std::filesystem::current_path() / "keys/ams.key");
  CHECK(config->sync_tls->ca == std::filesystem::current_path() / "ca.crt");
  CHECK(config->limits.version_wait_ms == 11);
  CHECK(config->limits.version_wait_ms_max == 12);
  CHECK(config->assignment.default_policy == "delete-wins");
  REQUIRE(config->assignment.rules.size() == 1);
  CHECK(config->assignment.rules[0].graph.text == "*");
  CHECK(config->assignment.rules[0].property.text == "http://example.org/balance");
  CHECK(config->assignment.rules[0].cells == log::CellKind::Value);
  CHECK(config->assignment.rules[0].policy == "sum");
}

TEST_CASE("what init writes reads back as the same configuration") {
  replica::SiteConfig config;
  config.name = "ams";
  config.peers = {"a:1", "b:2"};
  config.members = {"ams", "nyc"};
  config.limits.query_threads = 3;
  config.max_clock_skew_ms = 40'000;
  config.conflicts = {.count_max = 5, .age_ms_max = int64_t{7} * 24 * 3600 * 1000};
  config.assignment.rules = {{{""}, {"http://example.org/a/*"}, log::CellKind::Quad, "", "delete-wins"},
                             {{"*"}, {"http://example.org/name"}, log::CellKind::Value, "", "last-writer-wins"}};
  const auto again = parse(replica::to_toml(config));
  INFO(replica::to_toml(config));
  REQUIRE(again.ok());
  CHECK(again->conflicts.count_max == 5);
  CHECK(again->max_clock_skew_ms == 40'000);
  CHECK(again->conflicts.age_ms_max == config.conflicts.age_ms_max);
  CHECK(replica::to_toml(*again) == replica::to_toml(config));
  CHECK(again->assignment.rules[0].property.text == "http://example.org/a/*");
  CHECK(again->assignment.rules[0].graph.text.empty());
  CHECK(again->assignment.rules[1].cells == log::CellKind::Value);
}

TEST_CASE("the files of policies are relative to the file that names them, and absolute ones are written back") {
  const auto config = replica::parse_site_config(
      "[site]\nname = \"ams\"\n[cluster]\nmembers = [\"ams\"]\n[policies]\nload = [\"../p/a.so\", \"/x/b.lua\"]\n",
      "/etc/site/site.toml", policies::built_in());
  REQUIRE(config.ok());
  CHECK(config->policy_files == std::vector<std::filesystem::path>{"/etc/p/a.so", "/x/b.lua"});
  const auto again = parse(replica::to_toml(*config));
  if (!again.ok()) FAIL(again.error().message);
  CHECK(again->policy_files == config->policy_files);
  CHECK(trouble("default_policy = \"add-wins(x)\"\n").starts_with("site.toml:1: default_policy: "));
  CHECK(trouble("[policies]\nlaod = []\n") == "site.toml:2: unknown key [policies] laod; did you mean load?");
  CHECK(trouble("[policies]\nload = [\"\"]\n") ==
        "site.toml:2: [policies] load: an empty name; expected the file of a policy");
}

TEST_CASE("an unknown key is refused with its line and the nearest known key") {
  CHECK(trouble("[site]\nname = \"ams\"\nhtpp = \"x\"\n") ==
        "site.toml:3: unknown key [site] htpp; did you mean http?");
  CHECK(trouble("\n[sites]\nname = \"ams\"\n") == "site.toml:2: unknown key sites; did you mean site?");
  CHECK(trouble("[[policy]]\nproperty = \"*\"\npolicy = \"add-wins\"\ncell = \"quad\"\n") ==
        "site.toml:4: unknown key [[policy]] cell; did you mean cells?");
}

TEST_CASE("a wrong value is refused with its line and what was expected") {
  CHECK(trouble("[site]\nname = \"Not A Name\"\n").starts_with("site.toml:2: [site] name: "));
  CHECK(trouble("[site]\nname = 7\n") == "site.toml:2: [site] name: expected a string in quotes");
  CHECK(trouble("[site]\nhttp = \"localhost\"\n") ==
        "site.toml:2: [site] http: localhost: no port; expected HOST:PORT, as in 127.0.0.1:7878");
  CHECK(trouble("[limits]\nquery_threads = 0\n") ==
        "site.toml:2: [limits] query_threads: expected a whole number from 1 to 1024");
  CHECK(trouble("[sync]\nmax_clock_skew_ms = 5\n")
            .starts_with("site.toml:2: [sync] max_clock_skew_ms: expected a whole number from 15000 to "));
  CHECK(trouble("[conflicts]\nkeep_max = -1\n") ==
        "site.toml:2: [conflicts] keep_max: expected a whole number from 0 to 1000000000");
  CHECK(trouble("[conflicts]\nkeep_days = 0.5\n") ==
        "site.toml:2: [conflicts] keep_days: expected a whole number from 1 to 36500");
  CHECK(trouble("[conflicts]\nkeep_day = 1\n") ==
        "site.toml:2: unknown key [conflicts] keep_day; did you mean keep_days?");
  CHECK(trouble("[[policy]]\nproperty = \"*\"\npolicy = \"newest-wins\"\n")
            .starts_with("site.toml:3: [[policy]] policy: unknown policy \"newest-wins\"; expected one of "));
  CHECK(trouble("[[policy]]\nproperty = \"*\"\npolicy = \"sum\"\ncells = \"row\"\n") ==
        "site.toml:4: [[policy]] cells: \"row\" is no kind of cell; expected quad, value or record");
  CHECK(trouble("[[policy]]\npolicy = \"add-wins\"\n").starts_with("site.toml:1: [[policy]] property: missing"));
  CHECK(trouble("[site]\nname = \"ams\"\n[cluster]\nmembers = [\"nyc\"]\n") ==
        "site.toml:4: [cluster] members: this site, ams, is not among the members");
}

TEST_CASE("a policy that does not decide that kind of cell is refused") {
  CHECK(trouble("[[policy]]\nproperty = \"http://example.org/p\"\npolicy = \"sum\"\ncells = \"quad\"\n")
            .starts_with("site.toml:"));
}

TEST_CASE("text that is no TOML is refused with its line") {
  CHECK(trouble("[site]\nname = \n").starts_with("site.toml:2: "));
}

TEST_CASE("any text is quoted so that TOML reads it back") {
  const std::string text = "\"quotes\", \\backslash, \n line, \x01, \x7f, é";
  const auto read = replica::parse_toml("key = " + replica::toml_quoted(text), "x.toml");
  REQUIRE(read.ok());
  CHECK((*read)["key"].value<std::string>() == text);
}

TEST_CASE("a directory is no configuration file") {
  const auto read = replica::read_toml_file(std::filesystem::temp_directory_path());
  REQUIRE_FALSE(read.ok());
  CHECK_THAT(read.error().message, Catch::Matchers::Contains("expected a file, found a directory"));
}

TEST_CASE("what may be reached is nothing by default, and an entry that is no address is refused at its line") {
  CHECK(parse("")->federation.allow.is_empty());
  CHECK(trouble("[federation]\nallow = [\"http://a.example\", \"a.example\"]\n") ==
        "site.toml:2: [federation] allow: \"a.example\"; expected http://HOST, https://HOST:PORT/PATH or the like, or "
        "\"*\"");
  CHECK(trouble("[federation]\nanswer_mb = 0\n").find("answer_mb") != std::string::npos);
  CHECK(trouble("[federation]\nalow = []\n").find("allow") != std::string::npos);
  const auto read = parse(
      "[site]\nname = \"ams\"\n[cluster]\nmembers = [\"ams\"]\n[federation]\nallow = [\"*\", "
      "\"http://a.example:81/b\"]\n");
  REQUIRE(read.ok());
  CHECK(parse(replica::to_toml(*read))->federation.allow.texts() == read->federation.allow.texts());
}

TEST_CASE("the files of TLS are all named or none, and what else stands there is refused") {
  CHECK_FALSE(parse("")->sync_tls);
  CHECK_FALSE(parse("")->allow_plain_sync);
  CHECK(trouble("[sync.tls]\ncertificate = \"a\"\nkey = \"b\"") ==
        "site.toml:1: [sync.tls] ca: not there; expected the name of a PEM file");
  CHECK(trouble("[sync.tls]\ncertificate = \"a\"\nkey = \"\"\nca = \"c\"") ==
        "site.toml:3: [sync.tls] key: not there; expected the name of a PEM file");
  CHECK(trouble("[sync.tls]\ncertificate = \"a\"\nkey = \"b\"\nca = \"c\"\ncas = \"d\"") ==
        "site.toml:5: unknown key [sync.tls] cas; did you mean ca?");
  CHECK(trouble("[sync]\ntls = true") == "site.toml:2: [sync] tls: expected a table, written [sync.tls]");
}

TEST_CASE("what [http] cannot mean is refused with its line") {
  const std::string token = "[[http.token]]\nname = \"a\"\n";
  CHECK(trouble("[http]\nanonymous = \"admin\"\n") ==
        "site.toml:2: [http] anonymous: \"admin\"; expected none, read or write");
  CHECK(trouble("[http]\nallow_origin = []\n") ==
        "site.toml:2: unknown key [http] allow_origin; did you mean allow_origins?");
  CHECK_FALSE(parse("[http]\nallow_origins = [\"app.example\"]\n").ok());
  CHECK_FALSE(parse("[http]\nallow_origins = [\"https://app.example/\"]\n").ok());
  CHECK_FALSE(parse("[http.tls]\ncertificate = \"a\"\n").ok());
  CHECK_FALSE(parse(token + "role = \"owner\"\n").ok());
  CHECK_FALSE(parse(token + "role = \"none\"\n").ok());
  CHECK_FALSE(parse(token + "role = \"read\"\nhash = \"sha256:12\"\n").ok());
  CHECK_FALSE(parse(token + "role = \"read\"\nhash = \"" + std::string(71, '0') + "\"\n").ok());
}
