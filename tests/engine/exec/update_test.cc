#include "tests/engine/exec/engine_fixture.h"

using namespace quadrille;
using base::ErrorKind;
using test::Engine;
using test::Rows;

TEST_CASE("data is inserted and deleted, and counted when it changes something") {
  Engine engine;
  auto report = engine.update("INSERT DATA { :a :p 1, 2 . GRAPH :g { :a :p 3 } }");
  REQUIRE(report.ok());
  CHECK(report->inserted == 3);
  CHECK(engine.update("INSERT DATA { :a :p 1 }")->inserted == 0);
  CHECK(engine.update("DELETE DATA { :a :p 1, 9 }")->deleted == 1);
  CHECK(engine.sorted("SELECT ?v { :a :p ?v }") == Rows{"2"});
  CHECK(engine.sorted("SELECT ?v { GRAPH :g { :a :p ?v } }") == Rows{"3"});
}

TEST_CASE("deletes come before inserts, and both see the state before the operation") {
  Engine engine(":a :balance 10 . :b :balance 20 .");
  REQUIRE(
      engine.update("DELETE { ?x :balance ?n } INSERT { ?x :balance ?m } WHERE { ?x :balance ?n BIND(?n + 10 AS ?m) }")
          .ok());
  CHECK(engine.sorted("SELECT ?x ?n { ?x :balance ?n }") == Rows{":a|20", ":b|30"});
}

TEST_CASE("each operation of a request sees what those before it wrote") {
  Engine engine;
  REQUIRE(engine.update("INSERT DATA { :a :p 1 } ; INSERT { ?x :q ?v } WHERE { ?x :p ?v } ; DELETE WHERE { ?x :p ?v }")
              .ok());
  CHECK(engine.sorted("SELECT ?x ?p ?v { ?x ?p ?v }") == Rows{":a|:q|1"});
}

TEST_CASE("WITH is the graph of pattern and templates, USING that of the pattern alone") {
  Engine engine(":g { :a :p 1 } :h { :a :p 2 }");
  REQUIRE(engine.update("WITH :g DELETE { ?x :p ?v } INSERT { ?x :q ?v } WHERE { ?x :p ?v }").ok());
  CHECK(engine.sorted("SELECT ?g ?p ?v { GRAPH ?g { :a ?p ?v } }") == Rows{":g|:q|1", ":h|:p|2"});
  REQUIRE(engine.update("WITH :g INSERT { ?x :q ?v } USING :h WHERE { ?x :p ?v }").ok());
  CHECK(engine.sorted("SELECT ?v { GRAPH :g { :a :q ?v } }") == Rows{"1", "2"});
}

TEST_CASE("the blank nodes of an insert template are new in each solution") {
  Engine engine(":a :p 1 . :b :p 2 .");
  REQUIRE(engine.update("INSERT { ?x :has [ :value ?v ] } WHERE { ?x :p ?v }").ok());
  CHECK(engine.sorted("SELECT ?x ?v { ?x :has ?n . ?n :value ?v }") == Rows{":a|1", ":b|2"});
  CHECK(engine.select("SELECT (COUNT(DISTINCT ?n) AS ?c) { ?x :has ?n }") == Rows{"2"});
}

TEST_CASE("graphs are cleared, copied, moved and added to") {
  Engine engine(":d :p 0 . :g { :a :p 1 } :h { :a :p 2 }");
  REQUIRE(engine.update("ADD :g TO :h").ok());
  CHECK(engine.sorted("SELECT ?v { GRAPH :h { ?s :p ?v } }") == Rows{"1", "2"});
  REQUIRE(engine.update("COPY :g TO :h ; MOVE :h TO DEFAULT").ok());
  CHECK(engine.sorted("SELECT ?v { ?s :p ?v }") == Rows{"1"});
  CHECK(engine.select("SELECT ?v { GRAPH :h { ?s :p ?v } }").empty());
  CHECK(engine.update("MOVE :nowhere TO :g").error().kind == ErrorKind::NotFound);
  CHECK(engine.update("CREATE GRAPH :g").error().kind == ErrorKind::Refused);
  REQUIRE(engine.update("CREATE SILENT GRAPH :g ; CLEAR ALL").ok());
  CHECK(engine.data.quads().empty());
}

TEST_CASE("a hidden graph is read-only, and left out where all graphs are meant") {
  Engine engine(":g { :a :p 1 } <urn:secret> { :a :p 2 }");
  engine.dataset.hidden_graphs = {model::Term::iri("urn:secret")};
  CHECK(engine.update("INSERT DATA { GRAPH <urn:secret> { :a :p 3 } }").error().kind == ErrorKind::Refused);
  CHECK(engine.update("DELETE WHERE { GRAPH <urn:secret> { ?s ?p ?o } }").error().kind == ErrorKind::Refused);
  CHECK(engine.update("CLEAR GRAPH <urn:secret>").error().kind == ErrorKind::Refused);
  REQUIRE(engine.update("CLEAR ALL").ok());
  CHECK(engine.sorted("SELECT ?v { GRAPH <urn:secret> { ?s :p ?v } }") == Rows{"2"});
  CHECK(engine.data.quads().size() == 1);
}

TEST_CASE("LOAD is refused") {
  Engine engine;
  CHECK(engine.update("LOAD <http://example.org/data>").error().kind == ErrorKind::Refused);
}
