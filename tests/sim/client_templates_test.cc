#include "sim/client_templates.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

namespace quadrille::sim {
namespace {

ClientsSetup setup_of(const std::string& text, const std::string& name, const Parameter& parameter) {
  ClientsSetup setup;
  setup.updates = {{text, 1}};
  setup.parameters = {{name, parameter}};
  return setup;
}

TEST_CASE("a parameter has one value in an update, wherever it stands there") {
  const auto setup = setup_of("%key% of %site% and %key% again, %number%", "key",
                              {.kind = Parameter::Kind::Counter, .first = 0, .last = 0, .exponent = 1, .texts = {}});
  TemplateClients clients(setup, "ams", RandomStream(1, "x"));
  CHECK(clients.next_update() == "1 of ams and 1 again, 1");
  CHECK(clients.next_update() == "2 of ams and 2 again, 2");
}

TEST_CASE("keys by Zipf's law: the first comes about twice as often as the second, and all do come") {
  const auto setup =
      setup_of("%key%", "key", {.kind = Parameter::Kind::Zipf, .first = 0, .last = 9, .exponent = 1, .texts = {}});
  TemplateClients clients(setup, "ams", RandomStream(1, "x"));
  std::map<std::string, int> counts;
  for (int i = 0; i < 20'000; ++i) ++counts[clients.next_update()];
  CHECK(counts.size() == 10);
  const double ratio = static_cast<double>(counts["0"]) / counts["1"];
  CHECK((ratio > 1.8 && ratio < 2.2));
}

TEST_CASE("a name that is no parameter is found, and an escape of an IRI is none") {
  const std::map<std::string, Parameter> parameters = {{"key", {}}};
  CHECK(find_unknown_parameter("<urn:%key%/%kye%>", parameters) == "kye");
  CHECK_FALSE(find_unknown_parameter("<urn:a%20b/%key%/c%20d> FILTER(?x % 2 = 1)", parameters));
}

}  // namespace
}  // namespace quadrille::sim
