#include "replica/http/data_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "engine/io/input_stream.h"
#include "engine/io/media_type.h"
#include "engine/model/iri.h"
#include "replica/http/accept.h"
#include "replica/http/multipart.h"
#include "replica/http/parameters.h"
#include "replica/http/replies.h"
#include "replica/site/dump.h"
#include "replica/site/graph_update.h"
#include "replica/site/load.h"

namespace quadrille::http {
namespace {

using namespace std::string_view_literals;
using replica::GraphChoice;

constexpr std::array all_types = {"application/n-quads"sv, "application/trig"sv, "application/n-triples"sv,
                                  "text/turtle"sv, "text/plain"sv};
constexpr std::array one_graph_types = {"application/n-triples"sv, "text/turtle"sv, "application/n-quads"sv,
                                        "application/trig"sv, "text/plain"sv};

base::Error invalid(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

base::Result<GraphChoice> read_choice(const Request& request) {
  QUADRILLE_ASSIGN(const auto parameters, Parameters::parse(request.query));
  const auto graphs = parameters.count("graph");
  const auto defaults = parameters.count("default");
  if (graphs + defaults > 1) return invalid("several graphs named; expected ?graph=IRI or ?default, once");
  if (const auto unknown = parameters.first_unknown({"graph", "default"}); !unknown.empty()) {
    return invalid(fmt::format("unknown parameter {}; expected graph or default", unknown));
  }
  if (defaults == 1) return GraphChoice{GraphChoice::Kind::Default, {}};
  if (graphs == 0) return GraphChoice{};
  auto iri = *parameters.first("graph");
  if (auto checked = model::check_iri(iri); !checked.ok()) {
    return invalid(fmt::format("graph: {}; expected an absolute IRI", checked.error().message));
  }
  return GraphChoice{GraphChoice::Kind::One, model::Term::iri(std::move(iri))};
}

void answer_dump(const EndpointContext& context, Exchange& exchange, const GraphChoice& choice) {
  const auto& offered = choice.kind == GraphChoice::Kind::All ? all_types : one_graph_types;
  const auto accept = exchange.request().header("Accept");
  const auto chosen = choose_media_type(accept, offered);
  if (!chosen) {
    return exchange.respond(plain_response(406, fmt::format("Accept \"{}\" takes nothing that can be sent; expected "
                                                            "one of {}",
                                                            accept, fmt::join(offered, ", "))));
  }
  const auto format = io::rdf_format_by_media_type(offered[*chosen]).value_or(io::RdfFormat::NTriples);
  const int64_t deadline_us = context.answer_deadline_us();
  const auto snapshot = context.site.store().snapshot();
  AnswerBody body(exchange, {200, std::string(offered[*chosen]), {}, {version_header(context.site, *snapshot)}},
                  context.site.steady_clock(), deadline_us);
  const auto written = replica::write_dump(*snapshot, choice, format, body);
  if (written.ok()) {
    body.finish();
  } else {
    body.fail(written.error());
  }
}

// Where a document's bytes lie, and how they are packed.
base::Result<std::unique_ptr<io::InputStream>> open_body(std::string_view bytes, std::string_view encoding,
                                                         const std::string& name) {
  auto input = std::make_unique<io::MemoryInput>(bytes);
  if (io::equals_ignoring_case(encoding, "gzip")) return io::make_gzip_input(std::move(input), name);
  if (io::equals_ignoring_case(encoding, "zstd")) return io::make_zstd_input(std::move(input), name);
  return std::unique_ptr<io::InputStream>(std::move(input));
}

std::variant<load::Document, Response> read_document(const FormPart& part, const GraphChoice& choice) {
  const auto format = io::rdf_format_by_media_type(part.content_type);
  if (!format) {
    return plain_response(415, fmt::format("Content-Type \"{}\"; expected application/n-triples, application/n-quads, "
                                           "text/turtle, application/trig or application/rdf+xml",
                                           part.content_type));
  }
  for (const auto known : {""sv, "identity"sv, "gzip"sv, "zstd"sv}) {
    if (!io::equals_ignoring_case(part.content_encoding, known)) continue;
    load::Document document;
    document.name = part.file_name;
    document.format = *format;
    document.graph = choice.graph;
    // As it is when it is unpacked, which compressed text does not tell.
    if (known.empty() || known == "identity") document.bytes = part.content.size();
    document.open = [part] { return open_body(part.content, part.content_encoding, part.file_name); };
    return document;
  }
  return plain_response(415, fmt::format("Content-Encoding \"{}\"; expected gzip or zstd", part.content_encoding));
}

std::variant<std::vector<load::Document>, Response> read_documents(const Request& request, const GraphChoice& choice) {
  const auto type = request.header("Content-Type");
  std::vector<FormPart> parts;
  if (io::equals_ignoring_case(io::without_parameters(type), "multipart/form-data")) {
    auto parsed = parse_multipart(request.body, multipart_boundary(type));
    if (!parsed.ok()) return error_response(parsed.error());
    parts = std::move(parsed).value();
  } else {
    parts.push_back({"", std::string(type), std::string(request.header("Content-Encoding")), request.body});
  }
  std::vector<load::Document> documents;
  for (const auto& part : parts) {
    auto document = read_document(part, choice);
    if (auto* refusal = std::get_if<Response>(&document)) return std::move(*refusal);
    documents.push_back(std::get<load::Document>(std::move(document)));
  }
  return documents;
}

uint64_t load_memory_bytes(const EndpointContext& context) {
  return static_cast<uint64_t>(context.limits.load_memory_mb) << 20;
}

// Parsed here, written by the writer. What the documents take in memory is bounded because packed ones may be long.
void start_write(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange,
                 std::optional<GraphChoice> to_empty, const std::vector<load::Document>& documents) {
  replica::ParseLimits limits;
  limits.memory_bytes =
      std::max(load_memory_bytes(context), static_cast<uint64_t>(context.limits.request_mb) * 2 << 20);
  limits.stopping = context.stopping;
  auto parsed = replica::ParsedDocuments::parse(documents, context.site.random(), limits);
  if (!parsed.ok()) return exchange->respond(error_response(parsed.error()));
  // A shared_ptr because a std::function must be copyable.
  auto work = [to_empty = std::move(to_empty),
               read = std::make_shared<const replica::ParsedDocuments>(std::move(parsed).value())](
                  model::QuadTarget& target) -> base::Result<void> {
    if (to_empty) replica::empty_graph(*to_empty, target);
    QUADRILLE_TRY(read->write_to(target));
    return {};
  };
  context.site.write(std::move(work), [&context, exchange](base::Result<reconcile::CommitReceipt> outcome) {
    exchange->respond(outcome.ok() ? outcome_response(context.site, *outcome) : error_response(outcome.error()));
  });
}

// Not to be parsed where short requests are answered. Small documents are also quicker as an ordinary update.
bool is_large(const std::vector<load::Document>& documents) {
  constexpr uint64_t large = uint64_t{1} << 20;
  uint64_t bytes = 0;
  for (const auto& document : documents) bytes += document.bytes.value_or(large);
  return bytes >= large;
}

void bulk_load(const EndpointContext& context, Exchange& exchange, std::vector<load::Document> documents) {
  load::LoadOptions options;
  options.memory_bytes = load_memory_bytes(context);
  options.commit_bytes = size_t{2} << 20;
  options.stopping = context.stopping;
  const auto outcome = context.site.bulk_load(std::move(documents), *context.load_runner, options);
  if (!outcome.ok()) return exchange.respond(error_response(outcome.error()));
  const auto& header = outcome->header;
  if (header.id.seq != 0) {
    context.post_to_loop([&site = context.site, header] { site.on_local_commit(header); });
  }
  exchange.respond(outcome_response(context.site, *outcome));
}

// The documents are read from the exchange's body, which lives as long as the task that holds the exchange.
void start_load(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange,
                std::optional<GraphChoice> to_empty, std::vector<load::Document> documents) {
  context.run_load(exchange,
                   [&context, exchange, to_empty = std::move(to_empty), documents = std::move(documents)]() mutable {
                     if (to_empty) return start_write(context, exchange, std::move(to_empty), documents);
                     bulk_load(context, *exchange, std::move(documents));
                   });
}

}  // namespace

void answer_data(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  const auto& request = exchange->request();
  const auto& method = request.method;
  if (method != "GET" && method != "POST" && method != "PUT" && method != "DELETE") {
    return exchange->respond(not_allowed("GET, POST, PUT, DELETE"));
  }
  auto choice = read_choice(request);
  if (!choice.ok()) return exchange->respond(error_response(choice.error()));
  if (method == "GET") {
    return context.run_at_length(exchange, [&context, exchange, choice = std::move(choice).value()] {
      answer_dump(context, *exchange, choice);
    });
  }
  const bool replaces = method != "POST";
  if (replaces && choice->kind == GraphChoice::Kind::All) {
    return exchange->respond(
        plain_response(400, fmt::format("{} of no graph; expected ?graph=IRI or ?default", method)));
  }
  const auto to_empty = replaces ? std::optional<GraphChoice>(*choice) : std::nullopt;
  if (method == "DELETE") return start_write(context, exchange, to_empty, {});
  auto documents = read_documents(request, *choice);
  if (auto* refusal = std::get_if<Response>(&documents)) return exchange->respond(std::move(*refusal));
  auto& read = std::get<std::vector<load::Document>>(documents);
  if (is_large(read)) return start_load(context, exchange, to_empty, std::move(read));
  start_write(context, exchange, to_empty, read);
}

}  // namespace quadrille::http
