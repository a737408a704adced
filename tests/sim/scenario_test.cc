#include "sim/scenario.h"

#include <catch2/catch.hpp>
#include <string>

#include "policies/built_in.h"

namespace quadrille::sim {
namespace {

base::Result<Scenario> parse(const std::string& text) {
  static const auto policies = policies::built_in();
  return parse_scenario(text, "s.toml", policies);
}

std::string error_of(const std::string& text) {
  const auto scenario = parse(text);
  REQUIRE_FALSE(scenario.ok());
  return scenario.error().message;
}

const std::string two_sites = "[[site]]\nname = \"ams\"\n[[site]]\nname = \"nyc\"\n";

TEST_CASE("the shipped scenario says what its comments say") {
  const auto policies = policies::built_in();
  const auto scenario = read_scenario(QUADRILLE_SOURCE_DIR "/sim/scenarios/partition.toml", policies);
  INFO((scenario.ok() ? "" : scenario.error().message));
  REQUIRE(scenario.ok());
  CHECK(scenario->name == "partition");
  REQUIRE(scenario->sites.size() == 3);
  CHECK(scenario->sites[1].clock_skew_ms == 40);
  REQUIRE(scenario->links.size() == 3);
  CHECK(scenario->links[0].options.latency_us == 40'000);
  CHECK(scenario->links[1].one == "ams");
  CHECK(scenario->links[1].another == "sgp");
  CHECK(scenario->links[1].options.latency_us == 85'000);
  REQUIRE(scenario->timeline.size() == 2);
  CHECK(scenario->timeline[0].kind == FaultKind::Partition);
  CHECK(scenario->timeline[0].duration_us == 20'000'000);
  CHECK(scenario->timeline[1].jump_ms == 400);
  CHECK(scenario->fault_rates.size() == 6);
  CHECK(scenario->assignment.rules.size() == 3);
}

TEST_CASE("without links all sites are connected, and what is left out has its default") {
  const auto scenario = parse(two_sites);
  REQUIRE(scenario.ok());
  CHECK(scenario->name == "s");
  CHECK(scenario->links.size() == 1);
  CHECK(scenario->run_us == 60'000'000);
  CHECK(scenario->workload.keys == 8);
}

TEST_CASE("a fault may come again and again, or at some moment between two") {
  const auto scenario = parse(two_sites +
                              "[[fault]]\nkind = \"crash\"\nsites = [\"ams\"]\nevery_s = 20\nfrom_s = 5\nfor_s = 1\n"
                              "[[fault]]\nkind = \"pause\"\nsites = [\"nyc\"]\nbetween_s = [10, 11]\nfor_s = 1\n");
  REQUIRE(scenario.ok());
  REQUIRE(scenario->timeline.size() == 4);
  CHECK(scenario->timeline[2].at_us == 45'000'000);
  CHECK(scenario->timeline[3].at_us_max == 11'000'000);
}

TEST_CASE("a site that first joins is no founder, and power that may fail makes sites flush") {
  const auto scenario = parse(two_sites +
                              "[[site]]\nname = \"tyo\"\n[[fault]]\nkind = \"join\"\nsites = [\"tyo\", "
                              "\"ams\"]\nat_s = 9\n");
  REQUIRE(scenario.ok());
  CHECK(is_founder(*scenario, "ams"));
  CHECK_FALSE(is_founder(*scenario, "tyo"));
  CHECK_FALSE(may_lose_power(*scenario));
}

TEST_CASE("a bad scenario is refused with file, line, key and what is allowed") {
  CHECK(error_of("name = \"x\"\n") == "s.toml:1: site: expected 2 to 16 tables [[site]], found 0");
  CHECK(error_of(two_sites + "[[site]]\nname = \"ams\"\n") ==
        "s.toml:6: [[site]] name: there is a site \"ams\" already");
  CHECK(error_of("run_s = -1\n" + two_sites) == "s.toml:1: run_s: expected a number from 1 to 10000000");
  CHECK(error_of("rum_s = 1\n" + two_sites) == "s.toml:1: unknown key rum_s; did you mean run_s?");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"flood\"\n") ==
        "s.toml:6: [[fault]] kind: expected one of partition, one-way-cut, crash, power-loss, pause, connection-loss, "
        "clock-jump, join, evict, restore");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"crash\"\nsites = [\"lon\"]\n") ==
        "s.toml:7: [[fault]] sites: no site \"lon\"; expected one of ams, nyc");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"one-way-cut\"\nsites = [\"ams\"]\n") ==
        "s.toml:7: [[fault]] sites: expected 2 of the sites");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"crash\"\nsites = [\"ams\"]\nat_s = 1\n") ==
        "s.toml:5: [[fault]] for_s: missing; expected how many seconds it lasts");
  CHECK(error_of(two_sites + "[[site]]\nname = \"sgp\"\n[[link]]\nbetween = [\"ams\", \"nyc\"]\n") ==
        "s.toml:7: link: no path of links leads from ams to sgp");
  CHECK(error_of(two_sites + "[random_faults.crash]\nper_minute = 1\nfor_s_min = 2\nfor_s_max = 1\n") ==
        "s.toml:8: [random_faults.crash] for_s_max: expected no less than for_s_min");
  CHECK(error_of(two_sites +
                 "[workload.mix]\ninsert = 0\nerase = 0\npair = 0\nset_value = 0\nincrement = 0\nbulk = 0\n") ==
        "s.toml:5: [workload] mix: expected at least one kind of update that is not 0");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"crash\"\nsites = [\"ams\"]\nat_s = 1\nevery_s = 2\n") ==
        "s.toml:8: [[fault]] at_s: expected one of at_s, every_s and between_s: seconds from the start of the run");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"crash\"\nsites = [\"ams\"]\nbetween_s = [9, 2]\nfor_s = 1\n") ==
        "s.toml:8: [[fault]] between_s: expected two moments, as in [10, 20], from 0 to 60");
  CHECK(error_of(two_sites + "[[fault]]\nkind = \"join\"\nsites = [\"ams\", \"nyc\"]\nat_s = 1\n[[fault]]\nkind = "
                             "\"join\"\nsites = [\"nyc\", \"ams\"]\nat_s = 1\n") ==
        "s.toml:5: fault: expected a site that does not have to join first");
  CHECK(error_of(two_sites + "[[clients]]\n[[clients.update]]\ntext = \"INSERT DATA { <urn:%k%> <urn:p> 1 }\"\n") ==
        "s.toml:7: [[update]] text: no parameter %k%; expected one of site, number");
  CHECK(error_of(two_sites + "[[clients]]\n[[clients.update]]\ntext = \"INSERT DATA { <urn:k> 1 }\"\n")
            .starts_with("s.toml:7: [[update]] text: expected a SPARQL update: "));
  CHECK(error_of(two_sites + "[[clients]]\n[[clients.parameter]]\nname = \"k\"\nkind = \"normal\"\n") ==
        "s.toml:8: [[parameter]] kind: expected one of uniform, zipf, counter, one-of");
  CHECK(error_of(two_sites + "[[invariant]]\nname = \"n\"\nask = \"SELECT * { ?s ?p ?o }\"\n") ==
        "s.toml:7: [[invariant]] ask: expected a query that begins with ASK");
  CHECK(error_of(two_sites + "[[invariant]]\nname = \"n\"\nask = \"ASK { ?s ?p ?o }\"\nwhen = \"never\"\n") ==
        "s.toml:8: [[invariant]] when: expected one of end, always, in-contact");
  CHECK(error_of(two_sites + "[[link]]\nbetween = [\"*\", \"*\"]\njitter = \"normal\"\n") ==
        "s.toml:7: [[link]] jitter: expected one of uniform, long-tailed");
  CHECK(error_of("data = \"none.ttl\"\n" + two_sites) ==
        "s.toml:1: data: expected a file of RDF; there is none at none.ttl");
  CHECK(error_of(two_sites + "[[policy]]\nproperty = \"urn:x\"\npolicy = \"coin\"\n").find("unknown policy") !=
        std::string::npos);
}

}  // namespace
}  // namespace quadrille::sim
