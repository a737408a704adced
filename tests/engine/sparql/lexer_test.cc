// Tokens, names and literals.
#include "engine/sparql/lexer.h"

#include "tests/engine/sparql/parsing.h"

using namespace quadrille::sparql;
using namespace quadrille::sparql::testing;

namespace {

// The tokens of a text, with a bar between them.
std::string tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::string out;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    if (!out.empty()) out += "|";
    out += token.text;
    if (token.kind == TokenKind::Invalid) return out + "!";
  }
  return out;
}

// The term that a text names as object.
std::string object(const std::string& text) {
  return shorten(to_text(query_of("ASK { ?s ?p " + text + " }").pattern->triples.at(0).object)).substr(1);
}

constexpr const char* xsd = "^^<http://www.w3.org/2001/XMLSchema#";

}  // namespace

TEST_CASE("the longest token wins") {
  CHECK(tokens_of("?a<?b&&?c>?d") == "?a|<?b&&?c>|?d");
  CHECK(tokens_of("?a< ?b&&?c>?d") == "?a|<|?b|&&|?c|>|?d");
  CHECK(tokens_of("1.e5 1. .5 1.5e-3 -1 +.5 1e") == "1.e5|1|.|.5|1.5e-3|-1|+.5|1|e");
  CHECK(tokens_of("a:b.c. _:x.y. a.b:c") == "a:b.c|.|_:x.y|.|a.b:c");
  CHECK(tokens_of("true.false :a:b:-c a:\\~x%41-") == "true|.|false|:a:b:-c|a:\\~x%41-");
  CHECK(tokens_of("( \n ) [ ] ^^ ^ || | != ! <= >= ?x ?") == "( \n )|[ ]|^^|^||||||!=|!|<=|>=|?x|?");
  CHECK(tokens_of("'''a'b''c''' \"\"\"\"x\"\"\" '\\''") == "'''a'b''c'''|\"\"\"\"x\"\"\"|'\\''");
  CHECK(tokens_of("a#b\nc #d") == "a|c");
  CHECK(tokens_of("ex:\xc3\xa9t\xc3\xa9 ?\xc2\xb7") == "ex:\xc3\xa9t\xc3\xa9|?|\xc2\xb7!");
}

TEST_CASE("literals keep their lexical form and get their datatype") {
  CHECK(object("01") == std::string("\"01\"") + xsd + "integer>");
  CHECK(object("-1.50") == std::string("\"-1.50\"") + xsd + "decimal>");
  CHECK(object("+1E3") == std::string("\"+1E3\"") + xsd + "double>");
  CHECK(object("TRUE") == std::string("\"true\"") + xsd + "boolean>");
  CHECK(object("\"x\"@en-GB") == "\"x\"@en-gb");
  CHECK(object("'x'^^:t") == "\"x\"^^:t");
  CHECK(object("'x'^^<http://www.w3.org/2001/XMLSchema#string>") == "\"x\"");
  CHECK(object("'''a\n\"b'''") == "\"a\\n\\\"b\"");
  CHECK(object("'\\t\\\\\\u00e9\\U0001F600'") == "\"\\t\\\\\xc3\xa9\xf0\x9f\x98\x80\"");
}

TEST_CASE("escapes of code points work in names, IRIs and keywords, and never end a token") {
  CHECK(object("<http://t/\\u00e9>") == ":\xc3\xa9");
  CHECK(object(":\\u00e9") == ":\xc3\xa9");
  CHECK(object("?\\u0061b") == "?ab");
  CHECK(query_error("\\u0041SK {}") == "accepted");
  CHECK(object("\"a\\u0022b\\u005Cn\"") == "\"a\\\"b\\\\n\"");
  CHECK(object("'\\\\u0041'") == "\"\\\\u0041\"");
  CHECK(query_error("ASK { ?a ?b <http://a\\u003E> }") != "accepted");
  CHECK(query_error("ASK { ?a\\u0020?b ?c }") != "accepted");
  CHECK(query_error("ASK {} # C:\\user") == "accepted");
}

TEST_CASE("prefixed names are spelled out, IRIs resolved") {
  CHECK(object(":") == ":");
  CHECK(object(":a\\,b%2C.c") == ":a,b%2C.c");
  CHECK(object("<a/../b?c#d>") == ":b?c#d");
  CHECK(object("<>") == ":");
  auto query = parse_query("BASE <http://x/y/> BASE <z/> PREFIX p: <#> ASK { p:q <../r> <s:> }", "http://base/");
  REQUIRE(query.ok());
  CHECK(to_text(query->pattern->triples[0]) == "<http://x/y/z/#q> <http://x/y/r> <s:>");
  CHECK(!parse_query("ASK {}", "not absolute").ok());
}

TEST_CASE("a sign that touches a number is an operator where one can stand") {
  const auto filter = [](const std::string& text) {
    std::string out = to_text(*query_of("ASK { FILTER(" + text + ") }").pattern->expression);
    for (const std::string& noise : {std::string(xsd) + "integer>", std::string("\"")}) {
      for (size_t at = 0; (at = out.find(noise)) != std::string::npos;) out.erase(at, noise.size());
    }
    return out;
  };
  CHECK(filter("?a -1") == "(?a - 1)");
  CHECK(filter("?a-1*2+3") == "((?a - (1 * 2)) + 3)");
  CHECK(filter("?a * -1") == "(?a * -1)");
  CHECK(filter("- ?a - -1") == "((-?a) - -1)");
  CHECK(filter("1+2 = 3 && ?a || !?b") == "((((1 + 2) = 3) && ?a) || (!?b))");
  CHECK(filter("?a / 2 / 4 NOT IN (1, ?b)") == "(((?a / 2) / 4) NOT IN (1, ?b))");
  CHECK(query_error("ASK { FILTER(1 = 2 = 3) }") == "1:20: found '=', expected an operator or ')'");
}
