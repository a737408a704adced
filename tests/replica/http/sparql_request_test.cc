#include "replica/http/sparql_request.h"

#include <catch2/catch.hpp>

using namespace quadrille;

namespace {

http::Request get(std::string query) {
  http::Request request;
  request.method = "GET";
  request.query = std::move(query);
  return request;
}

http::Request post(std::string type, std::string_view body, std::string query = {}) {
  http::Request request;
  request.method = "POST";
  request.query = std::move(query);
  request.headers.push_back({"content-type", std::move(type)});
  request.body = body;
  return request;
}

const char* const form = "application/x-www-form-urlencoded";

// The status of a refusal; 0 if there was none.
int refusal(const http::Request& request) {
  const auto read = http::read_sparql_request(request);
  const auto* response = std::get_if<http::Response>(&read);
  return response ? response->status : 0;
}

http::SparqlRequest accepted(const http::Request& request) {
  auto read = http::read_sparql_request(request);
  REQUIRE(std::holds_alternative<http::SparqlRequest>(read));
  return std::get<http::SparqlRequest>(std::move(read));
}

}  // namespace

TEST_CASE("a query comes by GET, by form, or as a body") {
  CHECK(accepted(get("query=ASK%20%7B%7D")).text == "ASK {}");
  CHECK(accepted(post(form, "query=ASK+%7B%7D")).text == "ASK {}");
  const auto direct = accepted(post("application/sparql-query; charset=utf-8", "ASK {}"));
  CHECK(direct.text == "ASK {}");
  CHECK(direct.operation == http::SparqlOperation::Query);
}

TEST_CASE("an update comes by form or as a body, never by GET") {
  CHECK(accepted(post(form, "update=CLEAR+ALL")).operation == http::SparqlOperation::Update);
  const auto direct = accepted(post("Application/SPARQL-Update", "CLEAR ALL"));
  CHECK(direct.operation == http::SparqlOperation::Update);
  CHECK(direct.text == "CLEAR ALL");
  CHECK(refusal(get("update=CLEAR+ALL")) == 400);
}

TEST_CASE("the dataset comes with the request") {
  const auto query = accepted(get("query=x&default-graph-uri=urn:a&default-graph-uri=urn:b&named-graph-uri=urn:c"));
  REQUIRE(query.dataset.default_graphs.size() == 2);
  CHECK(query.dataset.default_graphs[1] == model::Term::iri("urn:b"));
  CHECK(query.dataset.named_graphs == std::vector<model::Term>{model::Term::iri("urn:c")});
  const auto update = accepted(post("application/sparql-update", "x", "using-graph-uri=urn:a"));
  CHECK(update.dataset.default_graphs == std::vector<model::Term>{model::Term::iri("urn:a")});
}

TEST_CASE("malformed requests are refused") {
  CHECK(refusal(get("")) == 400);
  CHECK(refusal(get("query=a&query=b")) == 400);
  CHECK(refusal(get("query=%zz")) == 400);
  CHECK(refusal(get("query=x&default-graph-uri=relative")) == 400);
  CHECK(refusal(get("query=x&using-graph-uri=urn:a")) == 400);
  CHECK(refusal(post(form, "query=a&update=b")) == 400);
  CHECK(refusal(post(form, "")) == 400);
  CHECK(refusal(post(form, "update=x&default-graph-uri=urn:a")) == 400);
  CHECK(refusal(post("application/sparql-query", "x", "query=y")) == 400);
  CHECK(refusal(post("text/plain", "ASK {}")) == 415);
  CHECK(refusal(post("", "ASK {}")) == 415);
  auto remove = get("query=x");
  remove.method = "DELETE";
  CHECK(refusal(remove) == 405);
}
