// SERVICE, with endpoints that are engines of their own.
#include <catch2/catch.hpp>

#include "tests/engine/exec/service_fixture.h"

using namespace quadrille;
using base::ErrorKind;
using Catch::Matchers::Contains;
using model::Term;
using test::Engine;
using test::LocalEndpoints;
using test::Rows;

namespace {

std::string closed(std::string_view statements) {
  const bool is_closed = statements.empty() || statements.ends_with(". ") || statements.ends_with('}');
  return std::string(statements) + (is_closed ? "" : " .");
}

// A store, and the endpoints :e1 and :e2.
struct Federation {
  explicit Federation(std::string_view here, std::string_view first = {}, std::string_view second = {})
      : engine(closed(here)) {
    endpoints.add("http://example.org/e1", closed(first));
    endpoints.add("http://example.org/e2", closed(second));
    engine.services = &endpoints;
  }
  LocalEndpoints endpoints;
  Engine engine;
};

std::string people(int count, std::string_view property) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += ":s" + std::to_string(i) + " " + std::string(property) + " " + std::to_string(i) + " . ";
  return text;
}

// Answers as it was told to.
class Scripted final : public exec::ServiceClient {
 public:
  explicit Scripted(std::vector<std::vector<std::pair<std::string, Term>>> solutions)
      : solutions_(std::move(solutions)) {}
  base::Result<void> ask(const exec::ServiceRequest&, exec::ServiceSolutions& into) override {
    for (const auto& solution : solutions_) QUADRILLE_TRY(into.add(solution));
    return {};
  }

 private:
  std::vector<std::vector<std::pair<std::string, Term>>> solutions_;
};

}  // namespace

TEST_CASE("what an endpoint answers is joined with what is here") {
  Federation all(":a :p 1 . :b :p 2", ":a :q 10 . :a :q 11 . :c :q 12");
  CHECK(all.engine.sorted("SELECT * { ?s :p ?o SERVICE :e1 { ?s :q ?q } }") == Rows{":a|1|10", ":a|1|11"});
  CHECK(all.engine.sorted("SELECT * { SERVICE :e1 { ?s :q ?q } }") == Rows{":a|10", ":a|11", ":c|12"});
  CHECK(all.engine.sorted("SELECT ?s ?q { ?s :p ?o OPTIONAL { SERVICE :e1 { ?s :q ?q } } }") ==
        Rows{":a|10", ":a|11", ":b|-"});
  CHECK(all.engine.sorted("SELECT * { ?s :p ?o FILTER NOT EXISTS { SERVICE :e1 { ?s :q ?q } } }") == Rows{":b|2"});
  CHECK(all.engine.sorted("SELECT * { ?s :p ?o MINUS { SERVICE :e1 { ?s :q ?q } } }") == Rows{":b|2"});
  CHECK(
      all.engine.sorted("SELECT ?s ?q { ?s :p ?o { SERVICE :e1 { ?s :q ?q } } UNION { SERVICE :e2 { ?s :q ?q } } }") ==
      Rows{":a|10", ":a|11"});
}

TEST_CASE("only the keys of this store are asked for, some hundreds with a request") {
  Federation all(people(1200, ":p"), people(3000, ":q"));
  CHECK(all.engine.select("SELECT * { ?s :p ?o SERVICE :e1 { ?s :q ?q } FILTER(?o = ?q) }").size() == 1200);
  REQUIRE(all.endpoints.requests.size() > 1);
  CHECK(all.endpoints.requests.size() < 10);
  for (const auto& request : all.endpoints.requests) CHECK_THAT(request.query, Contains("VALUES ( ?s )"));
}

TEST_CASE("rows that come in small batches are gathered for a request") {
  Federation all(people(60'000, ":p"), people(101, ":q"));
  CHECK(all.engine.select("SELECT * { ?s :p ?o FILTER(STRENDS(STR(?o), \"00\")) SERVICE :e1 { ?s :q ?q } }").size() ==
        1);
  CHECK(all.endpoints.requests.size() < 6);  // 600 keys
}

TEST_CASE("more rows than can be handed over are joined with the whole answer") {
  Federation all(people(20, ":p"), people(3, ":q"));
  const std::string query = "SELECT * { ?a :p ?x . ?b :p ?y . ?c :p ?z . ?d :p ?v SERVICE :e1 { ?a :q ?q } } LIMIT 5";
  CHECK(all.engine.select(query).size() == 5);
  REQUIRE(all.endpoints.requests.size() == 1);
  CHECK(all.endpoints.requests[0].query.find("VALUES") == std::string::npos);
}

TEST_CASE("an endpoint that takes no VALUES is asked once, and each of its solutions counts once") {
  Federation all(people(1500, ":p"), people(3000, ":q"));
  all.endpoints.take_no_values();
  CHECK(all.engine.select("SELECT * { ?s :p ?o SERVICE :e1 { ?s :q ?q } }").size() == 1500);
  CHECK(all.endpoints.requests.size() == 1);
}

TEST_CASE("an answer is the same whether keys are handed over or not") {
  const std::string here = people(40, ":p") + ":s1 :r :s2 . :s2 :r :s3 . :s5 :p \"x\"@en . _:b :p 7 . :e :at :e1";
  const char* const patterns[] = {
      "{ ?s :p ?o . @{ ?s :r ?t } }",
      "{ @{ ?s :r ?t } . ?t :p ?o }",
      "{ ?s :r ?t . @{ ?s :p ?o OPTIONAL { ?s :r ?o2 } FILTER(?o > 1) } }",
      "{ ?s :r ?t OPTIONAL { @{ ?t :r ?u } } OPTIONAL { @{ ?u :p ?o } } }",
      "{ ?s :r ?t OPTIONAL { ?t :p ?o . @{ ?t :r ?u FILTER(?u != :s9) } FILTER(?o < 3) } }",
      "{ ?s :p ?o FILTER EXISTS { @{ ?s :r ?t } } }",
      "{ ?s :p ?o FILTER EXISTS { ?s :r ?t . @{ ?t :r ?u } } }",
      "{ ?s :p ?o FILTER NOT EXISTS { ?x :r ?s . @{ ?x :p ?y FILTER(?y > 1) } } }",
      "{ ?s :p ?o @{ { ?s :r ?t } UNION { ?t :r ?s } } }",
      "{ ?s :p ?o @{ SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?v } GROUP BY ?s } }",
      "{ ?s :p ?o { @{ ?s :r ?t } } UNION { ?t :r ?s } }",
      "{ VALUES (?s ?t) { (:s1 UNDEF) (UNDEF :s3) } @{ ?s :r ?t } }",
      "{ ?s :r ?t @{ ?a :p ?b OPTIONAL { ?a :r ?s } } FILTER(?b < 4) }",
      "{ ?s :p ?o BIND(?o + 1 AS ?next) @{ ?t :p ?next } }",
      "{ GRAPH ?g { ?s ?p ?o } @{ ?s :p ?x } }",
      "{ @{ ?s :r ?t } @{ ?t :r ?u } @{ ?u :p ?o } }",
  };
  for (const std::string text : patterns) {
    Federation all(here + " . :g1 { :s1 :p 1 . :s2 :p 5 }", here);
    const auto put = [&](const std::string& before) {
      std::string made = text;
      for (size_t at = made.find('@'); at != std::string::npos; at = made.find('@', at + before.size())) {
        made.replace(at, 1, before);
      }
      return "SELECT ?s ?t ?u ?o ?x ?n ?a ?b ?next " + made;
    };
    INFO(text);
    const auto expected = all.engine.sorted(put(""));
    for (const std::string before : {"SERVICE :e1 ", "SERVICE SILENT :e1 "}) {
      // The blank node is another one there.
      auto found = all.engine.sorted(put(before));
      auto wanted = expected;
      for (auto* rows : {&found, &wanted}) {
        std::erase_if(*rows, [](const std::string& row) { return row.find("_:") != std::string::npos; });
      }
      CHECK(found == wanted);
    }
  }
}

TEST_CASE("the endpoint may be a variable that something before it binds") {
  Federation all(":x :at :e1 . :y :at :e2 . :z :at :e1", ":a :q 1 . :x :is :good", ":a :q 2");
  CHECK(all.engine.sorted("SELECT ?i ?e ?q { ?i :at ?e SERVICE ?e { ?s :q ?q } }") ==
        Rows{":x|:e1|1", ":y|:e2|2", ":z|:e1|1"});
  CHECK(all.endpoints.requests.size() == 2);
  CHECK(all.engine.sorted("SELECT ?i { SERVICE ?e { ?i :is ?q } ?i :at ?e }") == Rows{":x"});
  CHECK(all.engine.sorted("SELECT ?q { BIND(IRI(CONCAT(STR(:e), \"2\")) AS ?e) SERVICE ?e { ?s :q ?q } }") ==
        Rows{"2"});
  CHECK(all.engine.sorted("SELECT ?i ?q { ?i :at ?e OPTIONAL { SERVICE ?e { ?i :is ?q } } }") ==
        Rows{":x|:good", ":y|-", ":z|-"});
}

TEST_CASE("an endpoint that is a variable may be one that takes no VALUES") {
  Federation all(":x :at :e1 . :y :at :e2 . :z :at :e1", ":a :is 1 . :x :is :good . :x :is :new", ":y :is :old");
  all.endpoints.take_no_values();
  CHECK(all.engine.sorted("SELECT ?i ?q { ?i :at ?e SERVICE ?e { ?i :is ?q } }") ==
        Rows{":x|:good", ":x|:new", ":y|:old"});
}

TEST_CASE("an endpoint that is not bound, or no IRI, is an error that says so") {
  Federation all(":x :at 5 . :y :name :n");
  const auto unbound = all.engine.try_select("SELECT * { SERVICE ?e { ?s ?p ?o } }");
  CHECK(unbound.error().kind == ErrorKind::InvalidInput);
  CHECK_THAT(unbound.error().message, Contains("SERVICE ?e: nothing in its group binds ?e"));
  const auto number = all.engine.try_select("SELECT * { ?x :at ?e SERVICE ?e { ?s ?p ?o } }");
  CHECK_THAT(number.error().message, Contains("expected the IRI of an endpoint"));
  CHECK(all.engine.select("SELECT ?x { ?x :at ?e SERVICE SILENT ?e { ?s ?p ?o } }") == Rows{":x"});
  const auto maybe = all.engine.try_select("SELECT * { ?y :name ?n OPTIONAL { ?y :at ?e } SERVICE ?e { ?s ?p ?o } }");
  CHECK_THAT(maybe.error().message, Contains("SERVICE ?e: unbound"));
}

TEST_CASE("what fails is an error, or one empty solution where it is silent") {
  Federation all(":a :p 1 . :b :p 2");
  const auto failed = all.engine.try_select("SELECT * { ?s :p ?o SERVICE :gone { ?s :q ?q } }");
  CHECK(failed.error().kind == ErrorKind::Unavailable);
  CHECK(failed.error().message == "http://example.org/gone: nobody answers");
  CHECK(all.engine.sorted("SELECT ?s ?q { ?s :p ?o SERVICE SILENT :gone { ?s :q ?q } }") == Rows{":a|-", ":b|-"});
  CHECK(all.engine.sorted("SELECT ?s ?q { SERVICE SILENT :gone { ?s :q ?q } }") == Rows{"-|-"});
  CHECK(all.engine.sorted("SELECT ?s ?q { _:x :p ?s SERVICE SILENT :gone { ?t :q ?q } }") == Rows{"1|-", "2|-"});
}

TEST_CASE("SERVICE is refused where nobody asks for us, and is one empty solution where it is silent") {
  Engine engine(":a :p 1 .");
  CHECK(engine.try_select("SELECT * { SERVICE :e1 { ?a ?b ?c } }").error().kind == ErrorKind::Refused);
  CHECK(engine.select("SELECT ?s ?b { ?s :p ?o SERVICE SILENT :e1 { ?s ?b ?c } }") == Rows{":a|-"});
}

TEST_CASE("blank nodes are not handed over, and those of an answer are new ones") {
  Federation all("_:x :p 1 . :a :p 2", "_:x :q 3 . :a :q _:x");
  CHECK(all.engine.sorted("SELECT ?o ?q { ?s :p ?o SERVICE :e1 { ?s :q ?q } FILTER(isIRI(?s)) }").size() == 1);
  REQUIRE(all.endpoints.requests.size() == 1);
  CHECK(all.endpoints.requests[0].query.find("_:") == std::string::npos);
  CHECK(all.engine.select("SELECT * { SERVICE :e1 { :a :q ?x } SERVICE :e1 { ?x :q 3 } }").empty());
  CHECK(all.engine.select("SELECT * { SERVICE :e1 { :a :q ?x . ?x :q ?y } }").size() == 1);
}

TEST_CASE("an endpoint is not believed: what was not asked for is left out, and what is missing is an error") {
  Engine engine(":a :p 1 .");
  const Term a = Term::iri("http://example.org/a");
  Scripted more({{{"s", a}, {"q", Term::literal("yes")}, {"surprise", a}}, {{"s", Term::iri("urn:other")}, {"q", a}}});
  engine.services = &more;
  CHECK(engine.select("SELECT ?q { ?s :p ?o SERVICE :e1 { ?s :q ?q } }") == Rows{"\"yes\""});
  Scripted less({{{"q", a}}});
  engine.services = &less;
  for (const std::string query :
       {"SELECT * { ?s :p ?o SERVICE :e1 { ?s :q ?q } }", "SELECT * { SERVICE :e1 { ?s :q ?q } ?s :p ?o }",
        "SELECT * { SERVICE :e1 { ?s :q ?q } }"}) {
    CHECK_THAT(engine.try_select(query).error().message, Contains("no value for ?s"));
  }
}

TEST_CASE("an answer beyond the memory limit of the query ends it, silent or not") {
  Federation all(":a :p 1", people(20'000, ":q"));
  auto context = all.engine.context();
  context.limits.memory_limit_bytes = 200'000;
  for (const std::string silent : {"", "SILENT "}) {
    auto query = sparql::parse_query("SELECT * { SERVICE " + silent + "<http://example.org/e1> { ?s ?p ?q } }");
    const auto solutions = exec::run_select(std::move(*query), context);
    REQUIRE(solutions.ok());
    CHECK((*solutions)->next().error().kind == ErrorKind::ResourceExhausted);
  }
}

TEST_CASE("a plan says what is asked of whom, and a profile how often") {
  Federation all(people(3, ":p"), people(3, ":q"));
  const std::string text = std::string(test::test_prefixes) + "SELECT * { ?s :p ?o SERVICE :e1 { ?s :q ?q } }";
  const auto plan = exec::explain(sparql::parse_query(text).value(), all.engine.context());
  REQUIRE(plan.ok());
  CHECK_THAT(*plan, Contains("Service <http://example.org/e1>, handing over ?s"));
  CHECK(all.endpoints.requests.empty());
  const auto profile = exec::profile(sparql::parse_query(text).value(), all.engine.context());
  REQUIRE(profile.ok());
  CHECK_THAT(*profile, Contains("1 requests"));
}

TEST_CASE("a plan that is remembered fits the same SERVICE only") {
  plan::PlanMemory memory;
  Federation all(":a :p 1", ":a :q 10", ":a :q 20");
  all.engine.plan_memory = &memory;
  for (int round = 0; round < 3; ++round) {
    CHECK(all.engine.select("SELECT ?q { ?s :p ?o SERVICE :e1 { ?s :q ?q } }") == Rows{"10"});
    CHECK(all.engine.select("SELECT ?q { ?s :p ?o SERVICE :e2 { ?s :q ?q } }") == Rows{"20"});
    CHECK(all.engine.select("SELECT ?o { ?s :p ?o SERVICE :e2 { ?s :none ?q } }").empty());
  }
}
