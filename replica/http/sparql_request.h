// A request to /sparql, taken apart: https://www.w3.org/TR/sparql11-protocol/
#pragma once

#include <string>
#include <variant>

#include "engine/base/result.h"
#include "engine/sparql/algebra.h"
#include "replica/http/message.h"

namespace quadrille::http {

enum class SparqlOperation : uint8_t { Query, Update };

struct SparqlRequest {
  SparqlOperation operation = SparqlOperation::Query;
  std::string text;
  std::string base_iri;     // where the request was sent; empty if that is no IRI
  sparql::Dataset dataset;  // default-graph-uri …, or using-graph-uri …
  bool explain = false;     // of ours: the plan instead of the answer
  bool profile = false;     // of ours: the plan, with what each operator did
};

// The request, or the response that says what is wrong with it (400, 405, 415).
std::variant<SparqlRequest, Response> read_sparql_request(const Request& request);

}  // namespace quadrille::http
