#include "replica/http/sparql_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/io/media_type.h"
#include "engine/model/iri.h"
#include "replica/http/parameters.h"
#include "replica/http/replies.h"

namespace quadrille::http {
namespace {

base::Error invalid(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

base::Result<std::vector<model::Term>> read_graphs(const Parameters& parameters, std::string_view name) {
  std::vector<model::Term> graphs;
  for (auto& iri : parameters.all(name)) {
    if (auto checked = model::check_iri(iri); !checked.ok()) {
      return invalid(fmt::format("{}: {}; expected an absolute IRI", name, checked.error().message));
    }
    graphs.push_back(model::Term::iri(std::move(iri)));
  }
  return graphs;
}

base::Result<void> read_dataset(const Parameters& parameters, SparqlRequest& into) {
  const bool is_query = into.operation == SparqlOperation::Query;
  constexpr std::array of_updates{"using-graph-uri", "using-named-graph-uri"};
  constexpr std::array of_queries{"default-graph-uri", "named-graph-uri"};
  for (const char* other : is_query ? of_updates : of_queries) {
    if (parameters.count(other) == 0) continue;
    return invalid(
        fmt::format("{} with {}; expected {} there", other, is_query ? "a query" : "an update",
                    is_query ? "default-graph-uri or named-graph-uri" : "using-graph-uri or using-named-graph-uri"));
  }
  QUADRILLE_ASSIGN(into.dataset.default_graphs,
                   read_graphs(parameters, is_query ? "default-graph-uri" : "using-graph-uri"));
  QUADRILLE_ASSIGN(into.dataset.named_graphs,
                   read_graphs(parameters, is_query ? "named-graph-uri" : "using-named-graph-uri"));
  return {};
}

// Query and update as parameters: of a GET's URL or of a form.
base::Result<SparqlRequest> from_parameters(const Parameters& parameters, bool may_update) {
  const auto queries = parameters.count("query");
  const auto updates = parameters.count("update");
  if (queries + updates != 1) {
    return invalid(fmt::format("{} query and {} update parameters; expected one {}", queries, updates,
                               may_update ? "query or one update" : "query"));
  }
  if (updates == 1 && !may_update) return invalid("an update by GET; expected POST");
  SparqlRequest request;
  request.operation = queries == 1 ? SparqlOperation::Query : SparqlOperation::Update;
  request.text = *parameters.first(queries == 1 ? "query" : "update");
  QUADRILLE_TRY(read_dataset(parameters, request));
  request.explain = parameters.first("explain") == "true";
  request.profile = parameters.first("profile") == "true";
  return request;
}

base::Result<SparqlRequest> from_body(const Request& http, const Parameters& parameters, SparqlOperation operation) {
  if (parameters.count("query") + parameters.count("update") != 0) {
    return invalid("both a body and a query or update parameter; expected one of them");
  }
  SparqlRequest request;
  request.operation = operation;
  request.text = std::string(http.body);
  QUADRILLE_TRY(read_dataset(parameters, request));
  request.explain = parameters.first("explain") == "true";
  request.profile = parameters.first("profile") == "true";
  return request;
}

std::variant<SparqlRequest, Response> or_response(const Request& http, base::Result<SparqlRequest> request) {
  if (!request.ok()) return error_response(request.error());
  request->base_iri = http.url();
  return std::move(request).value();
}

// What "; charset=" says; empty: nothing. Quotes are taken off.
std::string_view charset_of(std::string_view content_type) {
  while (!content_type.empty()) {
    content_type.remove_prefix(std::min(content_type.find(';'), content_type.size() - 1) + 1);
    auto parameter = io::without_parameters(content_type);
    const auto equals = parameter.find('=');
    if (equals == std::string_view::npos || !io::equals_ignoring_case(parameter.substr(0, equals), "charset")) continue;
    parameter.remove_prefix(equals + 1);
    const bool is_quoted = parameter.size() >= 2 && parameter.front() == '"' && parameter.back() == '"';
    return is_quoted ? parameter.substr(1, parameter.size() - 2) : parameter;
  }
  return {};
}

std::optional<Response> check_charset(std::string_view content_type) {
  const auto charset = charset_of(content_type);
  for (const std::string_view known : {"", "utf-8", "utf8", "us-ascii"}) {
    if (io::equals_ignoring_case(charset, known)) return std::nullopt;
  }
  return plain_response(415, fmt::format("charset={}; expected utf-8", charset));
}

}  // namespace

std::variant<SparqlRequest, Response> read_sparql_request(const Request& request) {
  if (!request.is_read() && request.method != "POST") return not_allowed("GET, HEAD, POST, OPTIONS");
  auto parameters = Parameters::parse(request.query);
  if (!parameters.ok()) return error_response(parameters.error());
  if (request.is_read()) return or_response(request, from_parameters(*parameters, false));
  if (auto refused = check_charset(request.header("Content-Type"))) return std::move(*refused);

  const auto type = io::without_parameters(request.header("Content-Type"));
  if (io::equals_ignoring_case(type, "application/x-www-form-urlencoded")) {
    auto form = Parameters::parse(request.body);
    if (!form.ok()) return error_response(form.error());
    parameters->append(std::move(form).value());
    return or_response(request, from_parameters(*parameters, true));
  }
  if (io::equals_ignoring_case(type, "application/sparql-query")) {
    return or_response(request, from_body(request, *parameters, SparqlOperation::Query));
  }
  if (io::equals_ignoring_case(type, "application/sparql-update")) {
    return or_response(request, from_body(request, *parameters, SparqlOperation::Update));
  }
  return plain_response(415, fmt::format("Content-Type \"{}\"; expected application/x-www-form-urlencoded, "
                                         "application/sparql-query or application/sparql-update",
                                         type));
}

}  // namespace quadrille::http
