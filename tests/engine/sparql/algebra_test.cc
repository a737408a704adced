// What patterns and queries mean: section 18.2 of the specification.
#include "tests/engine/sparql/parsing.h"

using namespace quadrille::sparql;
using namespace quadrille::sparql::testing;

TEST_CASE("neighbouring triples are one basic graph pattern, also around a filter") {
  CHECK(algebra_of("SELECT * { ?a :p ?b . FILTER(?b > 1) ?b :q ?c FILTER(?c = ?a) }") == R"(
Project ?a ?b ?c
  Filter ((?b > "1"^^<http://www.w3.org/2001/XMLSchema#integer>) && (?c = ?a))
    BasicGraphPattern
      ?a :p ?b
      ?b :q ?c
)");
}

TEST_CASE("a filter holds for its whole group, wherever it is written") {
  CHECK(algebra_of("ASK { { FILTER(?x) :a :p ?x } :a :q ?y }") == R"(
Join
  Filter ?x
    BasicGraphPattern
      :a :p ?x
  BasicGraphPattern
    :a :q ?y
)");
}

TEST_CASE("the filter of an OPTIONAL is the condition of its left join") {
  CHECK(algebra_of("ASK { ?a :p ?b OPTIONAL { ?a :q ?c FILTER(?b < ?c) FILTER(?c) } }") == R"(
LeftJoin ((?b < ?c) && ?c)
  BasicGraphPattern
    ?a :p ?b
  BasicGraphPattern
    ?a :q ?c
)");
}

TEST_CASE("a filter in a group of its own inside of an OPTIONAL stays there") {
  CHECK(algebra_of("ASK { ?a :p ?b OPTIONAL { { ?a :q ?c FILTER(?b < ?c) } } }") == R"(
LeftJoin
  BasicGraphPattern
    ?a :p ?b
  Filter (?b < ?c)
    BasicGraphPattern
      ?a :q ?c
)");
}

TEST_CASE("graph patterns apply in the order of writing") {
  CHECK(algebra_of("ASK { ?a :p ?b OPTIONAL { ?a :q ?c } ?c :r ?d MINUS { ?d :s ?e } { ?f :p ?g } UNION { ?f :q ?g } "
                   "UNION { GRAPH ?h { ?f :r ?g } } }") == R"(
Join
  Minus
    Join
      LeftJoin
        BasicGraphPattern
          ?a :p ?b
        BasicGraphPattern
          ?a :q ?c
      BasicGraphPattern
        ?c :r ?d
    BasicGraphPattern
      ?d :s ?e
  Union
    Union
      BasicGraphPattern
        ?f :p ?g
      BasicGraphPattern
        ?f :q ?g
    Graph ?h
      BasicGraphPattern
        ?f :r ?g
)");
}

TEST_CASE("an OPTIONAL first in its group extends one empty solution") {
  CHECK(algebra_of("ASK { OPTIONAL { ?a :p ?b } }") == R"(
LeftJoin
  BasicGraphPattern
  BasicGraphPattern
    ?a :p ?b
)");
}

TEST_CASE("BIND ends a basic graph pattern and extends what stands before it") {
  CHECK(algebra_of("SELECT * { ?a :p ?b BIND(?b + 1 AS ?c) ?a :q ?c }") == R"(
Project ?a ?b ?c
  Join
    Extend ?c := (?b + "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
      BasicGraphPattern
        ?a :p ?b
    BasicGraphPattern
      ?a :q ?c
)");
}

TEST_CASE("links, inverses and sequences of a path become triples, other paths stay") {
  CHECK(algebra_of("ASK { ?a :p/^:q/a ?b . ?b ^(:p/:q) ?c . ?c :p|:q ?d . ?d (:p/:q)* ?e . ?e :p/:q+/:r ?f }") == R"(
Join
  Join
    Join
      Join
        Join
          BasicGraphPattern
            ?a :p ?.0
            ?.1 :q ?.0
            ?.1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ?b
            ?c :p ?.2
            ?.2 :q ?b
          PropertyPath ?c (:p|:q) ?d
        PropertyPath ?d ((:p/:q))* ?e
      BasicGraphPattern
        ?e :p ?.3
    PropertyPath ?.3 (:q)+ ?.4
  BasicGraphPattern
    ?.4 :r ?f
)");
}

TEST_CASE("a negated property set keeps its forward and inverse links apart") {
  CHECK(algebra_of("ASK { ?a !(:p|^:q|a) ?b . ?a !:p ?c . ?a !^:p ?d . ?a !() ?e . ?a ^:p? ?f }") == R"(
Join
  Join
    Join
      Join
        PropertyPath ?a !(:p|<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>|^:q) ?b
        PropertyPath ?a !(:p) ?c
      PropertyPath ?a !(^:p) ?d
    PropertyPath ?a !() ?e
  PropertyPath ?f (:p)? ?a
)");
}

TEST_CASE("lists and brackets are blank nodes, and those are hidden variables") {
  const Query query = query_of("SELECT * { ?a :p (1 [ :q _:x ]) . _:x :r [] ; :s () }");
  CHECK(shorten(to_text(*query.pattern)) == R"(
Project ?a
  BasicGraphPattern
    ?.0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "1"^^<http://www.w3.org/2001/XMLSchema#integer>
    ?.0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ?.1
    ?.2 :q ?.:x
    ?.1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ?.2
    ?.1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>
    ?a :p ?.0
    ?.:x :r ?.3
    ?.:x :s <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>
)");
  CHECK(query.variables == std::vector<Variable>{{"a"}});
}

TEST_CASE("SELECT * gives what is in scope, in the order of writing") {
  const Query query = query_of(
      "SELECT * { ?b :p ?a GRAPH ?g { ?a :q ?c } MINUS { ?a :p ?minus } FILTER EXISTS { ?a :p ?exists } "
      "{ SELECT (?x AS ?y) { ?x :p ?inner } } VALUES (?v ?a) { (UNDEF 1) } SERVICE ?s { ?s :p ?t } }");
  std::string names;
  for (const auto& variable : query.variables) names += variable.name + " ";
  CHECK(names == "b a g c y v s t ");
}

TEST_CASE("DISTINCT, ORDER BY and LIMIT stand in the order that the specification gives them") {
  CHECK(algebra_of("SELECT DISTINCT ?a (?b * 2 AS ?c) { ?a :p ?b } ORDER BY DESC(?c) ?a OFFSET 3 LIMIT 5") == R"(
Slice offset 3 limit 5
  Distinct
    Project ?a ?c
      OrderBy DESC ?c ?a
        Extend ?c := (?b * "2"^^<http://www.w3.org/2001/XMLSchema#integer>)
          BasicGraphPattern
            ?a :p ?b
)");
  CHECK(algebra_of("SELECT REDUCED ?a { ?a :p ?b } LIMIT 0") == R"(
Slice offset 0 limit 0
  Reduced
    Project ?a
      BasicGraphPattern
        ?a :p ?b
)");
}

TEST_CASE("aggregates are taken out of SELECT, HAVING and ORDER BY into the group") {
  CHECK(algebra_of("SELECT ?k (COUNT(*) + 1 AS ?n) (GROUP_CONCAT(DISTINCT ?v; SEPARATOR='-') AS ?all) { ?a :p ?k ; :q "
                   "?v } GROUP BY ?k HAVING (AVG(?v) > 2) ORDER BY ?n MIN(?v) VALUES ?k { 1 }") == R"(
Project ?k ?n ?all
  OrderBy ?n ?.3
    Extend ?all := ?.1
      Extend ?n := (?.0 + "1"^^<http://www.w3.org/2001/XMLSchema#integer>)
        Join
          Filter (?.2 > "2"^^<http://www.w3.org/2001/XMLSchema#integer>)
            Group ?k ?.0 := COUNT(*) ?.1 := GROUP_CONCAT(DISTINCT ?v; separator "-") ?.2 := AVG(?v) ?.3 := MIN(?v)
              BasicGraphPattern
                ?a :p ?k
                ?a :q ?v
          Values ?k
            ("1"^^<http://www.w3.org/2001/XMLSchema#integer>)
)");
}

TEST_CASE("a variable that is no key is sampled in HAVING and ORDER BY") {
  CHECK(algebra_of("SELECT ?k (SUM(?v) AS ?k2) { ?a :p ?k ; :q ?v } GROUP BY ?k HAVING (?v > ?k) ORDER BY ?v ?k2 ?k") ==
        R"(
Project ?k ?k2
  OrderBy ?.1 ?k2 ?k
    Extend ?k2 := ?.0
      Filter (?.1 > ?k)
        Group ?k ?.0 := SUM(?v) ?.1 := SAMPLE(?v)
          BasicGraphPattern
            ?a :p ?k
            ?a :q ?v
)");
}

TEST_CASE("keys of a group may be expressions, with a name or without") {
  CHECK(algebra_of("SELECT ?year { ?a :p ?b } GROUP BY (YEAR(?b) AS ?year) STR(?a) (?b) ?a") == R"(
Project ?year
  Group ?year := YEAR(?b) ?.0 := STR(?a) ?b ?a
    BasicGraphPattern
      ?a :p ?b
)");
}

TEST_CASE("a sub-query projects inside of a pattern") {
  CHECK(algebra_of("SELECT ?a { ?a :p ?b { SELECT ?b { ?b :q ?c } ORDER BY ?c LIMIT 1 } }") == R"(
Project ?a
  Join
    BasicGraphPattern
      ?a :p ?b
    Slice offset 0 limit 1
      Project ?b
        OrderBy ?c
          BasicGraphPattern
            ?b :q ?c
)");
}

TEST_CASE("VALUES is a table, with holes where UNDEF stands") {
  CHECK(algebra_of("ASK { VALUES (?a ?b) { (:x UNDEF) ('y'@EN true) } VALUES ?c { 1.5 } VALUES () { () } }") == R"(
Join
  Join
    Values ?a ?b
      (:x UNDEF)
      ("y"@en "true"^^<http://www.w3.org/2001/XMLSchema#boolean>)
    Values ?c
      ("1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>)
  Values
    ()
)");
}

TEST_CASE("EXISTS carries its pattern") {
  CHECK(algebra_of("ASK { ?a :p ?b FILTER(?b || NOT EXISTS { ?a :q ?c FILTER(?c) }) }") == R"(
Filter (?b || NOT EXISTS {
    Filter ?c
      BasicGraphPattern
        ?a :q ?c
  })
  BasicGraphPattern
    ?a :p ?b
)");
}

TEST_CASE("SERVICE keeps the text to send, with the prefixes and the base that it uses") {
  auto result = parse_query(
      "BASE <http://b/> PREFIX x: <http://x/> PREFIX y: <http://y/>\nSELECT * { SERVICE SILENT x:s { ?a y:p "
      "<r> # why\n SERVICE ?t { ?t y:p 1 } } }");
  REQUIRE(result.ok());
  const Algebra& service = *result->pattern->left;
  REQUIRE(service.kind == AlgebraKind::Service);
  CHECK(service.silent);
  CHECK(to_text(service.graph) == "<http://x/s>");
  CHECK(service.service_text ==
        "BASE <http://b/>\nPREFIX y: <http://y/>\nSELECT * WHERE { ?a y:p <r> # why\n SERVICE ?t { ?t y:p 1 } }");
  CHECK(parse_query(service.service_text).ok());
  CHECK(service.left->right->service_text.empty());
}

TEST_CASE("CONSTRUCT makes new blank nodes also where its template is its pattern") {
  const Query query = query_of("CONSTRUCT WHERE { ?a :p _:x . _:x :q [] }");
  CHECK(to_text(std::get<Variable>(query.construct[0].triple.object)) == "?.new.t:x");
  CHECK(to_text(query.pattern->triples[0].object) == "?.t:x");
  CHECK(query.construct.size() == 2);
  CHECK(query_of("CONSTRUCT { ?a :p [] } FROM :g FROM NAMED :h WHERE { ?a :p ?b }").dataset.named_graphs.size() == 1);
}

TEST_CASE("DESCRIBE names IRIs and variables, and needs no pattern") {
  const Query plain = query_of("DESCRIBE :a ?b");
  CHECK(plain.form == QueryForm::Describe);
  CHECK(plain.describe.size() == 2);
  CHECK(to_text(*plain.pattern) == "BasicGraphPattern\n");
  CHECK(query_of("DESCRIBE * { ?a :p ?b . _:x :q ?c }").describe.size() == 3);
}
