// Scans that pass over objects which a comparison drops.
#include <catch2/catch.hpp>

#include "tests/engine/exec/engine_fixture.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille;
using test::Engine;
using test::Rows;

// Every comparison, each also written so that no scan can know of it.
TEST_CASE("a scan that knows what is compared gives what one gives that does not") {
  std::string data;
  int number = 0;
  const auto add = [&](const std::string& value) { data += ":s" + std::to_string(number++) + " :p " + value + " .\n"; };
  for (int i = 0; i < 400; ++i) add(std::to_string(i % 50 - 20));
  for (int i = 0; i < 200; ++i) add(std::to_string(i % 40 - 10) + (i % 2 == 0 ? ".5" : ".50"));
  for (int i = 0; i < 300; ++i) {
    const std::string day =
        "2007-" + std::string(i % 12 < 9 ? "0" : "") + std::to_string(i % 12 + 1) + "-" + std::to_string(10 + i % 18);
    const char* zone = i % 5 == 0 ? "Z" : i % 7 == 0 ? "+14:00" : i % 11 == 0 ? "-14:00" : "";
    add("\"" + day + zone + "\"^^<http://www.w3.org/2001/XMLSchema#date>");
    add("\"" + day + "T12:30:00" + zone + "\"^^<http://www.w3.org/2001/XMLSchema#dateTime>");
  }
  for (const char* other :
       {":iri", "\"text\"", "true", "1e1", "\"12345678901234567890123\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "\"99999-01-01\"^^<http://www.w3.org/2001/XMLSchema#date>"}) {
    add(other);
  }
  Engine engine(data);
  for (const char* constant : {"7", "-3", "10.5", "\"2007-06-15\"^^xsd:date", "\"2007-06-15Z\"^^xsd:date",
                               "\"2007-06-15T12:30:00\"^^xsd:dateTime", "\"2007-06-15T12:30:00Z\"^^xsd:dateTime"}) {
    for (const char* sign : {"<", "<=", ">", ">=", "="}) {
      const std::string is = std::string("?o ") + sign + " " + constant;
      const std::string turned = std::string(constant) + " " + sign + " ?o";
      INFO(is);
      const Rows plain = engine.sorted("SELECT ?s ?o { ?s :p ?o FILTER(COALESCE(" + is + ", false)) }");
      CHECK(engine.sorted("SELECT ?s ?o { ?s :p ?o FILTER(" + is + ") }") == plain);
      CHECK(engine.sorted("SELECT ?s ?o { ?s :p ?o FILTER(" + turned + ") }") ==
            engine.sorted("SELECT ?s ?o { ?s :p ?o FILTER(COALESCE(" + turned + ", false)) }"));
      CHECK_FALSE(plain.empty());
    }
  }
  const std::string both = "?o >= \"2007-03-11\"^^xsd:date && ?o < \"2007-04-02\"^^xsd:date";
  CHECK(engine.sorted("SELECT ?o { ?s :p ?o FILTER(" + both + ") }") ==
        engine.sorted("SELECT ?o { ?s :p ?o FILTER(COALESCE(" + both + ", false)) }"));
  CHECK(engine.select("SELECT ?o { ?s :p ?o FILTER(?o > 30 && ?o < 10) }").empty());
}

namespace {

// That the profile of the query has in all.
int blocks_read(const store::Snapshot& snapshot, const std::string& filter) {
  Engine engine;
  exec::QueryContext context = engine.context();
  context.source = &snapshot;
  auto query = sparql::parse_query("SELECT ?o { ?s <http://example.org/1> ?o FILTER(" + filter + ") }");
  REQUIRE(query.ok());
  const auto text = exec::profile(std::move(*query), context);
  REQUIRE(text.ok());
  const size_t end = text->find(" blocks read");
  REQUIRE(end != std::string::npos);
  return std::stoi(text->substr(text->rfind(' ', end - 1) + 1));
}

}  // namespace

TEST_CASE("a comparison with a constant reads the blocks of its range, and no others") {
  store::testing::TemporaryDirectory directory;
  const auto store = store::testing::make_store(directory.path());
  {
    auto transaction = store->begin();
    for (int i = 0; i < 20'000; ++i) {
      transaction->insert({transaction->intern(store::testing::iri(i + 10)),
                           transaction->intern(store::testing::iri(1)),
                           transaction->intern(model::Term::typed_literal(std::to_string(i),
                                                                          "http://www.w3.org/2001/XMLSchema#integer")),
                           model::TermId::default_graph()});
    }
    store::testing::commit(*transaction);
  }
  {
    auto transaction = store->begin();
    while (transaction->fold_delta(100'000).delta_rows_left > 0) {
    }
    store::testing::commit(*transaction);
  }
  const auto snapshot = store->snapshot();
  const int all = blocks_read(*snapshot, "COALESCE(?o >= 10000 && ?o < 10100, false)");
  CHECK(all > 20);
  CHECK(blocks_read(*snapshot, "?o >= 10000 && ?o < 10100") <= all / 5);
}
