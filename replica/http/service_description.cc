#include "replica/http/service_description.h"

#include <array>
#include <string>
#include <string_view>

#include "engine/io/rdf_format.h"
#include "engine/io/rdf_writer.h"
#include "replica/http/accept.h"
#include "replica/http/replies.h"

namespace quadrille::http {
namespace {

using model::Term;
using namespace std::string_view_literals;

constexpr std::array types = {"text/turtle"sv, "application/n-triples"sv, "application/trig"sv,
                              "application/n-quads"sv};

Term type() { return Term::iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"); }
Term service_term(const std::string& name) {
  return Term::iri("http://www.w3.org/ns/sparql-service-description#" + name);
}
Term format_term(const std::string& name) { return Term::iri("http://www.w3.org/ns/formats/" + name); }

// The endpoint stands for the service itself: one thing, and no blank nodes.
base::Result<void> write_description(const Term& endpoint, io::RdfWriter& writer) {
  const Term dataset = Term::iri(std::string(endpoint.text()) + "#dataset");
  const Term default_graph = Term::iri(std::string(endpoint.text()) + "#default-graph");
  const auto say = [&](const Term& subject, const Term& property, const Term& object) {
    return writer.write({subject, property, object, std::nullopt});
  };
  QUADRILLE_TRY(say(endpoint, type(), service_term("Service")));
  QUADRILLE_TRY(say(endpoint, service_term("endpoint"), endpoint));
  for (const char* language : {"SPARQL11Query", "SPARQL11Update"}) {
    QUADRILLE_TRY(say(endpoint, service_term("supportedLanguage"), service_term(language)));
  }
  for (const char* format : {"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV",
                             "N-Triples", "Turtle", "N-Quads", "TriG"}) {
    QUADRILLE_TRY(say(endpoint, service_term("resultFormat"), format_term(format)));
  }
  for (const char* format : {"N-Triples", "Turtle", "N-Quads", "TriG", "RDF_XML"}) {
    QUADRILLE_TRY(say(endpoint, service_term("inputFormat"), format_term(format)));
  }
  QUADRILLE_TRY(say(endpoint, service_term("feature"), service_term("BasicFederatedQuery")));
  QUADRILLE_TRY(say(endpoint, service_term("defaultDataset"), dataset));
  QUADRILLE_TRY(say(dataset, type(), service_term("Dataset")));
  QUADRILLE_TRY(say(dataset, service_term("defaultGraph"), default_graph));
  QUADRILLE_TRY(say(default_graph, type(), service_term("Graph")));
  return writer.finish();
}

}  // namespace

void answer_description(Exchange& exchange) {
  const auto& request = exchange.request();
  const auto chosen = choose_media_type(request.header("Accept"), types);
  if (!chosen) return exchange.respond(not_acceptable(request, types));
  const auto url = request.url();
  if (url.empty()) return exchange.respond(plain_response(400, "Host: expected the name of this site"));
  io::StringSink text;
  const auto format = io::rdf_format_by_media_type(types[*chosen]).value_or(io::RdfFormat::Turtle);
  const auto writer = io::make_rdf_writer(format, text);
  if (auto written = write_description(Term::iri(url), *writer); !written.ok()) {
    return exchange.respond(error_response(written.error()));
  }
  exchange.respond({200, content_type_of(types[*chosen]), text.take(), {{"Vary", "Accept"}}});
}

}  // namespace quadrille::http
