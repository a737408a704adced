#include "replica/http/sparql_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/sparql/parse.h"
#include "replica/http/accept.h"
#include "replica/http/access.h"
#include "replica/http/replies.h"
#include "replica/http/service_description.h"
#include "replica/http/sparql_request.h"
#include "replica/site/answer_text.h"
#include "replica/site/update_inputs.h"

namespace quadrille::http {
namespace {

using namespace std::string_view_literals;

constexpr std::array result_types = {"application/sparql-results+json"sv,
                                     "application/sparql-results+xml"sv,
                                     "text/csv"sv,
                                     "text/tab-separated-values"sv,
                                     "application/json"sv,
                                     "application/xml"sv,
                                     "text/xml"sv};
constexpr std::array graph_types = {"application/n-triples"sv, "text/turtle"sv, "application/n-quads"sv,
                                    "application/trig"sv, "text/plain"sv};

void send_answer(const EndpointContext& context, Exchange& exchange, replica::Answer& answer, int64_t deadline_us) {
  const bool is_graph = answer.form == sparql::QueryForm::Construct || answer.form == sparql::QueryForm::Describe;
  const std::span<const std::string_view> offered =
      is_graph ? std::span<const std::string_view>(graph_types) : std::span<const std::string_view>(result_types);
  const auto chosen = choose_media_type(exchange.request().header("Accept"), offered);
  if (!chosen) return exchange.respond(not_acceptable(exchange.request(), offered));

  const auto type = offered[*chosen];
  AnswerBody body(exchange, {200, content_type_of(type), {}, {version_header(context.site, *answer.snapshot)}},
                  context.site.steady_clock(), deadline_us, context.answer_bytes_max());
  const auto written =
      is_graph
          ? replica::write_graph(answer, io::rdf_format_by_media_type(type).value_or(io::RdfFormat::NTriples), body)
          : replica::write_results(answer, io::result_format_by_media_type(type).value_or(io::ResultFormat::Xml), body);
  if (written.ok()) {
    body.finish();
  } else {
    body.fail(written.error());
  }
}

// Whether the graph of conflicts may be meant: by its IRI, by a prefix of it (which has the scheme at least), escaped,
// or by the protocol. Its records are shown a little after they are made, unless somebody asks.
bool may_name_conflicts(const SparqlRequest& request) {
  const auto has = [&](std::string_view text) { return request.text.find(text) != std::string::npos; };
  return has("urn:") || has("\\u") || has("\\U") || request.dataset.is_given();
}

void answer_query(const EndpointContext& context, Exchange& exchange, const SparqlRequest& request) {
  const int64_t deadline_us = context.answer_deadline_us();
  const auto& limits = context.limits;
  const replica::QueryOptions options{
      .protocol_dataset = request.dataset,
      .base_iri = request.base_iri,
      .time_limit_ms =
          limits.query_time_ms == 0 ? limits.reader_age_ms : std::min(limits.query_time_ms, limits.reader_age_ms),
      .memory_limit_bytes = static_cast<uint64_t>(limits.query_memory_mb) << 20,
      .spill_limit_bytes = static_cast<uint64_t>(limits.query_spill_mb) << 20,
      .cancelled = &exchange.is_abandoned(),
  };
  if (request.explain || request.profile) {
    const auto show = request.profile ? replica::profile_query : replica::explain_query;
    const auto plan = show(context.site.store(), request.text, options, context.run_parts());
    return exchange.respond(plan.ok() ? Response{200, text_type, *plan, {}} : error_response(plan.error()));
  }
  if (may_name_conflicts(request)) {
    if (const auto shown = context.site.show_conflicts(*context.stopping); !shown.ok()) {
      return exchange.respond(error_response(shown.error()));
    }
  }
  auto answer = replica::run_query(context.site.store(), request.text, options, context.run_parts());
  if (!answer.ok()) return exchange.respond(error_response(answer.error()));
  send_answer(context, exchange, *answer, deadline_us);
}

void write_update(const EndpointContext& context, std::shared_ptr<Exchange> exchange, sparql::Update update,
                  sparql::Dataset dataset, std::shared_ptr<replica::UpdateInputs> inputs) {
  context.site.update(
      std::move(update),
      {.protocol_dataset = std::move(dataset),
       .time_limit_ms = context.limits.query_time_ms,
       .memory_limit_bytes = static_cast<uint64_t>(context.limits.query_memory_mb) << 20,
       .spill_limit_bytes = static_cast<uint64_t>(context.limits.query_spill_mb) << 20,
       .cancelled = context.stopping},
      [&context, exchange](base::Result<reconcile::CommitReceipt> outcome) {
        exchange->respond(outcome.ok() ? outcome_response(context.site, *outcome) : error_response(outcome.error()));
      },
      std::move(inputs));
}

// What LOAD and SERVICE name is fetched on the threads of loads: it takes none from queries, and the writer waits for
// nobody.
void fetch_and_write(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange, sparql::Update update,
                     sparql::Dataset dataset) {
  // Shared because a std::function must be copyable.
  auto shared = std::make_shared<sparql::Update>(std::move(update));
  context.run_load(exchange, [&context, exchange, shared, dataset = std::move(dataset)] {
    auto inputs =
        replica::UpdateInputs::fetch(*shared,
                                     {.time_limit_ms = context.limits.query_time_ms,
                                      .memory_limit_bytes = static_cast<uint64_t>(context.limits.query_memory_mb) << 20,
                                      .abandoned = &exchange->is_abandoned(),
                                      .stopping = context.stopping},
                                     context.run_parts());
    if (!inputs.ok()) return exchange->respond(error_response(inputs.error()));
    write_update(context, exchange, std::move(*shared), dataset, std::move(inputs).value());
  });
}

void run_update(const EndpointContext& context, std::shared_ptr<Exchange> exchange, sparql::Update update,
                sparql::Dataset dataset) {
  if (replica::needs_inputs(update)) return fetch_and_write(context, exchange, std::move(update), std::move(dataset));
  write_update(context, std::move(exchange), std::move(update), std::move(dataset), nullptr);
}

bool reads_graphs(const sparql::Update& update) {
  return std::any_of(update.operations.begin(), update.operations.end(), [](const sparql::UpdateOperation& operation) {
    using sparql::UpdateKind;
    const UpdateKind kind = operation.kind;
    return kind == UpdateKind::Modify || kind == UpdateKind::Add || kind == UpdateKind::Move ||
           kind == UpdateKind::Copy;
  });
}

bool has_conflicts_to_show(const EndpointContext& context) {
  const auto is_any = base::catch_storage_error(
      [&]() -> base::Result<bool> { return context.site.store().snapshot()->unpublished_conflict_count() > 0; });
  return !is_any.ok() || *is_any;  // who shows them says what is wrong
}

void start_update(const EndpointContext& context, std::shared_ptr<Exchange> exchange, SparqlRequest request) {
  auto update = sparql::parse_update(request.text, request.base_iri);
  if (!update.ok()) return exchange->respond(error_response(update.error()));
  if (!reads_graphs(*update) || !may_name_conflicts(request) || !has_conflicts_to_show(context)) {
    return run_update(context, std::move(exchange), std::move(update).value(), std::move(request.dataset));
  }
  auto shared = std::make_shared<sparql::Update>(std::move(update).value());
  context.run_at_length(exchange, [&context, exchange, shared, dataset = std::move(request.dataset)] {
    if (const auto shown = context.site.show_conflicts(*context.stopping); !shown.ok()) {
      return exchange->respond(error_response(shown.error()));
    }
    run_update(context, exchange, std::move(*shared), dataset);
  });
}

}  // namespace

void answer_sparql(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  if (exchange->request().is_read() && exchange->request().query.empty()) return answer_description(*exchange);
  auto request = read_sparql_request(exchange->request());
  if (auto* refusal = std::get_if<Response>(&request)) return exchange->respond(std::move(*refusal));
  auto& sparql = std::get<SparqlRequest>(request);
  if (sparql.operation == SparqlOperation::Query) {
    exchange->set_operation("query");
    return context.run_at_length(
        exchange, [&context, exchange, sparql = std::move(sparql)] { answer_query(context, *exchange, sparql); });
  }
  exchange->set_operation("update");
  if (!exchange->may(replica::Role::Write)) {
    return exchange->respond(role_refusal(exchange->request(), replica::Role::Write));
  }
  start_update(context, exchange, std::move(sparql));
}

}  // namespace quadrille::http
