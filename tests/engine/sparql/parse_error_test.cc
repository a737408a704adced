// What is refused, where, and what the message says could stand there instead.
#include "tests/engine/sparql/parsing.h"

using namespace quadrille::sparql::testing;

TEST_CASE("a syntax error says what was found, where, and what could stand there") {
  CHECK(query_error("SELECT ?x\nWHERE { ?x <p:p> ?y FILTER() }") ==
        "2:27: found '()', expected an expression in "
        "parentheses, or a call of a function");
  CHECK(query_error("SELECT * { ?x <p:p> ?y FILTER(1 +) }") == "1:34: found ')', expected an expression");
  CHECK(query_error("SELEKT * {}") == "1:1: found 'SELEKT', expected BASE, PREFIX, SELECT, CONSTRUCT, DESCRIBE or ASK");
  CHECK(query_error("SELECT * { ?x <p:p> }") ==
        "1:21: found '}', expected a variable, an IRI, a blank node or a literal");
  CHECK(query_error("SELECT * { ?x <p:p> ?y") ==
        "1:23: found the end of the text, expected '.', ';', ',', '}' or a graph pattern (OPTIONAL, FILTER, '{' ...)");
  CHECK(query_error("SELECT * { ?x ex:p ?y }") == "1:15: found 'ex:p', but the prefix 'ex:' is not declared");
  CHECK(query_error("SELECT * { ?x <p> ?y }") ==
        "1:15: found the relative IRI '<p>', expected an absolute one, since no BASE is given");
  CHECK(query_error("SELECT (STRLEN(?a, ?b) AS ?c) {}") == "1:9: found STRLEN with 2 arguments, expected 1 argument");
  CHECK(query_error("SELECT * {} LIMIT -1") == "1:19: found '-1', expected a number of rows, in digits alone");
  CHECK(query_error("SELECT * {} garbage") ==
        "1:13: found 'garbage', expected GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, VALUES or the end of the text");
}

TEST_CASE("columns count code points, and escapes count as they are written") {
  CHECK(query_error("ASK { ?\u00e9t\u00e9 !! }").substr(0, 5) == "1:13:");
  CHECK(query_error("ASK { ?\\u00e9t\\u00e9 !! }").substr(0, 5) == "1:23:");
  CHECK(query_error("ASK {\r\n\r\n ) }").substr(0, 4) == "3:2:");
  CHECK(query_error("ASK { \xff }").substr(0, 35) == "1:7: found a byte: it is not UTF-8");
  CHECK(update_error("\xff").substr(0, 35) == "1:1: found a byte: it is not UTF-8");
}

TEST_CASE("bad strings and names say what is wrong with them") {
  CHECK(query_error("ASK { ?a ?b \"x\\qz\" }").substr(0, 30) == "1:15: found an unknown escape,");
  CHECK(query_error("ASK { ?a ?b \"x\n\" }").find("not closed on its line") != std::string::npos);
  CHECK(query_error("ASK { ?a ?b '''x'' }").find("not closed") != std::string::npos);
  CHECK(query_error("PREFIX a: <a:> ASK { ?a ?b a:%4 }").find("two hexadecimal digits") != std::string::npos);
  CHECK(query_error("ASK { ?a ?b \"\\uD800\" }").find("names a character") != std::string::npos);
  CHECK(query_error("ASK { ?a ?b <http://a b> }").find("1:13: found '<http://a' without '>'") == 0);
  CHECK(query_error("ASK { FILTER(1 < 2 <3) }").find("found '<', expected an operator") != std::string::npos);
  CHECK(query_error("ASK { ?a ?b 1 & 2 }").find("'&&'") != std::string::npos);
}

TEST_CASE("a variable behind AS must be new") {
  CHECK(query_error("SELECT * { ?a ?b ?c BIND(1 AS ?c) }") ==
        "1:31: found '?c', expected a variable that the group before BIND does not use");
  CHECK(query_error("SELECT * { BIND(1 AS ?c) ?a ?b ?c }") == "accepted");
  CHECK(query_error("SELECT * { { ?a ?b ?c } BIND(1 AS ?c) }").find("found '?c'") != std::string::npos);
  CHECK(query_error("SELECT * { MINUS { ?a ?b ?c } BIND(1 AS ?c) }") == "accepted");
  CHECK(query_error("SELECT * { FILTER EXISTS { ?a ?b ?c } BIND(1 AS ?c) }") == "accepted");
  CHECK(query_error("SELECT (1 AS ?a) (2 AS ?a) {}") == "1:24: found ?a behind AS, expected a variable that is new");
  CHECK(query_error("SELECT ?a (2 AS ?a) {}").find("found ?a") != std::string::npos);
  CHECK(query_error("SELECT (1 AS ?a) { ?a ?b ?c }").find("found ?a") != std::string::npos);
  CHECK(query_error("SELECT (1 AS ?a) {} VALUES ?a { 1 }").find("found ?a") != std::string::npos);
  CHECK(query_error("SELECT (COUNT(*) AS ?n) { ?a ?b ?c } GROUP BY (1 AS ?c)").find("found ?c") != std::string::npos);
}

TEST_CASE("above a group only its keys and aggregates may be selected") {
  CHECK(query_error("SELECT ?a (COUNT(*) AS ?n) { ?a ?b ?c }") ==
        "1:8: found ?a in a SELECT with groups, expected a variable of GROUP BY, or an aggregate of it");
  CHECK(query_error("SELECT (?b AS ?x) { ?a ?b ?c } GROUP BY ?a").find("found ?b") != std::string::npos);
  CHECK(query_error("SELECT (STR(?a) AS ?x) { ?a ?b ?c } GROUP BY STR(?a)").find("found ?a") != std::string::npos);
  CHECK(query_error("SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) { ?a ?b ?c }") == "accepted");
  CHECK(query_error("SELECT * { ?a ?b ?c } GROUP BY ?a").substr(0, 30) == "1:8: found '*' in a SELECT wit");
  CHECK(query_error("SELECT * { ?a ?b ?c } HAVING (COUNT(*) > 1)").substr(0, 30) == "1:8: found '*' in a SELECT wit");
}

TEST_CASE("aggregates stand only where a group is") {
  CHECK(query_error("SELECT (SUM(COUNT(?a)) AS ?n) {}") ==
        "1:13: found 'COUNT', expected an expression without aggregates, since it stands inside of one");
  CHECK(query_error("SELECT * { FILTER(COUNT(?a) > 1) }").find("SELECT, HAVING and ORDER BY") != std::string::npos);
  CHECK(query_error("SELECT * { BIND(COUNT(?a) AS ?x) }").find("found 'COUNT'") != std::string::npos);
  CHECK(query_error("SELECT ?x {} GROUP BY COUNT(?x)").find("found 'COUNT'") != std::string::npos);
  CHECK(query_error("SELECT (1 AS ?x) {} HAVING (EXISTS { FILTER(MAX(?y)) })").find("'MAX'") != std::string::npos);
  CHECK(query_error("SELECT (SUM(*) AS ?n) {}").find("found '*'") != std::string::npos);
}

TEST_CASE("a blank node label belongs to one basic graph pattern") {
  CHECK(query_error("ASK { _:a ?b ?c . ?c ?d _:a FILTER(?b) _:a ?e ?f }") == "accepted");
  CHECK(query_error("ASK { _:a ?b ?c OPTIONAL { _:a ?d ?e } }") ==
        "1:28: found '_:a', expected a label that no other basic graph pattern uses");
  CHECK(query_error("ASK { _:a ?b ?c { } _:a ?d ?e }").find("found '_:a'") != std::string::npos);
  CHECK(query_error("ASK { _:a ?b ?c FILTER EXISTS { _:a ?b ?d } }").find("found '_:a'") != std::string::npos);
  CHECK(query_error("CONSTRUCT { _:a ?b ?c } { _:a ?b ?c }") == "accepted");
  CHECK(update_error("INSERT DATA { _:a <p:p> 1 } ; INSERT DATA { _:a <p:p> 1 }").find("found '_:a'") !=
        std::string::npos);
  CHECK(update_error("INSERT { _:a <p:p> 1 } WHERE {} ; INSERT { _:a <p:p> 1 } WHERE {}") == "accepted");
  CHECK(update_error("INSERT {} WHERE { _:a ?b 1 } ; INSERT {} WHERE { _:a ?b 1 }").find("'_:a'") != std::string::npos);
}

TEST_CASE("VALUES wants as many values as variables, and each variable once") {
  CHECK(query_error("ASK { VALUES (?a ?b) { (1) } }") ==
        "1:26: found ')', expected one value for each of the 2 variables of VALUES");
  CHECK(query_error("ASK { VALUES (?a ?b) { (1 2 3) } }").find("1:29: found '3'") == 0);
  CHECK(query_error("ASK { VALUES (?a) { () } }").find("found '()'") != std::string::npos);
  CHECK(query_error("ASK { VALUES (?a ?a) { (1 2) } }").find("1:18: found '?a'") == 0);
  CHECK(query_error("ASK { VALUES ?a { _:x } }").find("found '_:x'") != std::string::npos);
}

TEST_CASE("templates and data of an update refuse what cannot stand in them") {
  CHECK(update_error("INSERT DATA { ?s <p:p> 1 }") ==
        "1:15: found '?s', expected an IRI, a blank node or a literal: INSERT DATA takes no variables");
  CHECK(update_error("INSERT DATA { <s:s> ?p 1 }").find("found '?p'") != std::string::npos);
  CHECK(update_error("INSERT DATA { GRAPH ?g { <s:s> <p:p> 1 } }").find("found '?g'") != std::string::npos);
  CHECK(update_error("INSERT DATA { 1 <p:p> 1 }").find("found '1'") != std::string::npos);
  CHECK(update_error("INSERT DATA { GRAPH <g:g> { GRAPH <h:h> { } } }").find("GRAPH does not nest") !=
        std::string::npos);
  CHECK(update_error("INSERT DATA { <s:s> <p:p>/<q:q> 1 }").find("found '/'") != std::string::npos);
  for (const char* form : {"DELETE DATA { <s:s> <p:p> X }", "DELETE WHERE { ?s <p:p> X }",
                           "DELETE { ?s <p:p> X } WHERE { ?s ?p ?o }", "DELETE { ?s <p:p> X } INSERT {} WHERE {}"}) {
    for (const char* node : {"[]", "_:x", "[ <p:p> 1 ]", "( 1 )"}) {
      std::string text = form;
      text.replace(text.find('X'), 1, node);
      INFO(text);
      CHECK(update_error(text).find("takes no blank nodes") != std::string::npos);
    }
  }
}

TEST_CASE("what is cut off anywhere is refused, and no cut crashes") {
  const std::string text =
      "PREFIX a: <http://a/> SELECT DISTINCT ?x (COUNT(*) AS ?n) FROM <http://g> WHERE { ?x a:b/^a:c* [ a:d (1 2.5 "
      "'x'@en) "
      "] . OPTIONAL { ?x !(a|^a:b) _:y FILTER(REGEX(?x, \"\\\\u\\u00e9\") && -1 IN (1, 2)) } MINUS { VALUES (?x) { "
      "(UNDEF) } } { SELECT * {} } UNION { BIND(1 AS ?z) } } GROUP BY ?x HAVING (SUM(?z) > 1) ORDER BY DESC(?x) LIMIT "
      "1";
  CHECK(query_error(text) == "accepted");
  const size_t pattern_end = text.find("GROUP BY");
  for (size_t size = 0; size < pattern_end - 2; ++size) {
    INFO(text.substr(0, size));
    CHECK(query_error(text.substr(0, size)) != "accepted");
  }
}
