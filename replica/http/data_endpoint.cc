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

constexpr std::string_view collection = "/data/";

base::Error invalid(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

// "/data/person/1": the URL itself is the name of a graph.
bool is_direct(const Request& request) { return request.path.size() > collection.size() && request.query.empty(); }

base::Result<GraphChoice> read_direct_choice(const Request& request) {
  auto url = request.url();
  if (!url.empty()) return GraphChoice{GraphChoice::Kind::One, model::Term::iri(std::move(url))};
  return invalid("the URL is to be the name of a graph, and no IRI comes of it and Host");
}

base::Result<GraphChoice> read_choice(const Request& request) {
  if (is_direct(request)) return read_direct_choice(request);
  QUADRILLE_ASSIGN(const auto parameters, Parameters::parse(request.query));
  if (request.path.size() > collection.size()) {
    return invalid("both a path and parameters name a graph; expected one of them");
  }
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

Response no_such_graph(const GraphChoice& choice) {
  return plain_response(404, fmt::format("there is no graph {}", model::to_ntriples(*choice.graph)));
}

void answer_dump(const EndpointContext& context, Exchange& exchange, const GraphChoice& choice) {
  const auto& offered = choice.kind == GraphChoice::Kind::All ? all_types : one_graph_types;
  const auto chosen = choose_media_type(exchange.request().header("Accept"), offered);
  if (!chosen) return exchange.respond(not_acceptable(exchange.request(), offered));
  const auto format = io::rdf_format_by_media_type(offered[*chosen]).value_or(io::RdfFormat::NTriples);
  const int64_t deadline_us = context.answer_deadline_us();
  const auto snapshot = context.site.store().snapshot();
  if (choice.kind == GraphChoice::Kind::One) {
    const auto is_there =
        base::catch_storage_error([&]() -> base::Result<bool> { return replica::has_quads(choice, *snapshot); });
    if (!is_there.ok()) return exchange.respond(error_response(is_there.error()));
    if (!*is_there) return exchange.respond(no_such_graph(choice));
  }
  AnswerBody body(exchange, {200, content_type_of(offered[*chosen]), {}, {version_header(context.site, *snapshot)}},
                  context.site.steady_clock(), deadline_us, context.answer_bytes_max());
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

std::variant<load::Document, Response> read_document(const FormPart& part, const GraphChoice& choice,
                                                     const std::string& base_iri) {
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
    document.base_iri = base_iri;
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
  // Graph Store Protocol, section 4.3: relative to the graph. Without one named they are errors.
  const auto base_iri = choice.graph                                ? std::string(choice.graph->text())
                        : choice.kind == GraphChoice::Kind::Default ? request.url()
                                                                    : std::string();
  std::vector<load::Document> documents;
  for (const auto& part : parts) {
    auto document = read_document(part, choice, base_iri);
    if (auto* refusal = std::get_if<Response>(&document)) return std::move(*refusal);
    documents.push_back(std::get<load::Document>(std::move(document)));
  }
  return documents;
}

uint64_t load_memory_bytes(const EndpointContext& context) {
  return static_cast<uint64_t>(context.limits.load_memory_mb) << 20;
}

// What a write does to graphs.
struct GraphWrite {
  GraphChoice choice;
  bool replaces = false;  // what the graph held before goes
  bool removes = false;   // and nothing comes; the graph has to be there
  std::string location;   // of a graph that got its name here
};

Response written_response(const EndpointContext& context, const reconcile::CommitReceipt& receipt,
                          const GraphWrite& write, bool was_there) {
  auto response = outcome_response(context.site, receipt);
  const bool names_one = write.choice.kind == GraphChoice::Kind::One;
  if (response.status == 200 && names_one && !was_there && receipt.quads_inserted > 0) response.status = 201;
  if (!write.location.empty()) response.headers.push_back({"Location", write.location});
  return response;
}

// Parsed here, written by the writer. What the documents take in memory is bounded because packed ones may be long.
void start_write(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange, GraphWrite write,
                 const std::vector<load::Document>& documents) {
  replica::ParseLimits limits;
  limits.memory_bytes =
      std::max(load_memory_bytes(context), static_cast<uint64_t>(context.limits.request_mb) * 2 << 20);
  limits.stopping = context.stopping;
  auto parsed = replica::ParsedDocuments::parse(documents, context.site.random(), limits);
  if (!parsed.ok()) return exchange->respond(error_response(parsed.error()));
  // Shared because a std::function must be copyable, and because the writer tells who answers what it found.
  auto read = std::make_shared<const replica::ParsedDocuments>(std::move(parsed).value());
  auto was_there = std::make_shared<bool>(false);
  auto work = [write, read, was_there](model::QuadTarget& target) -> base::Result<void> {
    *was_there = replica::has_quads(write.choice, target);
    if (write.removes && write.choice.graph && !*was_there) {
      return base::Error{base::ErrorKind::NotFound, "there is no such graph", {}};
    }
    if (write.replaces) replica::empty_graph(write.choice, target);
    QUADRILLE_TRY(read->write_to(target));
    return {};
  };
  context.site.write(std::move(work),
                     [&context, exchange, write, was_there](base::Result<reconcile::CommitReceipt> outcome) {
                       exchange->respond(outcome.ok() ? written_response(context, *outcome, write, *was_there)
                                                      : error_response(outcome.error()));
                     });
}

// Not to be parsed where short requests are answered. Small documents are also quicker as an ordinary update.
bool is_large(const std::vector<load::Document>& documents) {
  constexpr uint64_t large = uint64_t{1} << 20;
  uint64_t bytes = 0;
  for (const auto& document : documents) bytes += document.bytes.value_or(large);
  return bytes >= large;
}

void bulk_load(const EndpointContext& context, Exchange& exchange, const GraphWrite& write,
               std::vector<load::Document> documents) {
  load::LoadOptions options;
  options.memory_bytes = load_memory_bytes(context);
  options.commit_bytes = size_t{2} << 20;
  options.stopping = context.stopping;
  const auto was_there = base::catch_storage_error(
      [&]() -> base::Result<bool> { return replica::has_quads(write.choice, *context.site.store().snapshot()); });
  if (!was_there.ok()) return exchange.respond(error_response(was_there.error()));
  const auto outcome = context.site.bulk_load(std::move(documents), *context.load_runner, options);
  if (!outcome.ok()) return exchange.respond(error_response(outcome.error()));
  const auto& header = outcome->header;
  if (header.id.seq != 0) {
    context.post_to_loop([&site = context.site, header] { site.on_local_commit(header); });
  }
  exchange.respond(written_response(context, *outcome, write, *was_there));
}

// The documents are read from the exchange's body, which lives as long as the task that holds the exchange.
void start_load(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange, GraphWrite write,
                std::vector<load::Document> documents) {
  context.run_load(exchange,
                   [&context, exchange, write = std::move(write), documents = std::move(documents)]() mutable {
                     if (write.replaces) return start_write(context, exchange, std::move(write), documents);
                     bulk_load(context, *exchange, write, std::move(documents));
                   });
}

// POST to the collection makes a graph and names it. Graph Store Protocol, section 5.5.
base::Result<GraphWrite> new_graph(const EndpointContext& context, const Request& request) {
  GraphWrite write;
  write.location = request.url();
  if (write.location.empty()) return invalid("Host: expected the name of this site, of which the graph's is made");
  write.location += fmt::format("{:016x}{:016x}", context.site.random().next(), context.site.random().next());
  write.choice = {GraphChoice::Kind::One, model::Term::iri(write.location)};
  return write;
}

base::Result<GraphWrite> read_write(const EndpointContext& context, const Request& request, GraphChoice choice) {
  const bool is_post = request.method == "POST";
  const bool names_none = choice.kind == GraphChoice::Kind::All;
  if (is_post && names_none && request.path == collection) return new_graph(context, request);
  if (!is_post && names_none) {
    return invalid(fmt::format("{} of no graph; expected ?graph=IRI or ?default", request.method));
  }
  return GraphWrite{std::move(choice), !is_post, request.method == "DELETE", {}};
}

}  // namespace

void answer_data(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  const auto& request = exchange->request();
  exchange->set_operation(request.is_read() ? "data_read" : "data_write");
  auto choice = read_choice(request);
  if (!choice.ok()) return exchange->respond(error_response(choice.error()));
  if (request.is_read()) {
    return context.run_at_length(exchange, [&context, exchange, choice = std::move(choice).value()] {
      answer_dump(context, *exchange, choice);
    });
  }
  auto write = read_write(context, request, std::move(choice).value());
  if (!write.ok()) return exchange->respond(error_response(write.error()));
  if (write->removes) return start_write(context, exchange, std::move(write).value(), {});
  auto documents = read_documents(request, write->choice);
  if (auto* refusal = std::get_if<Response>(&documents)) return exchange->respond(std::move(*refusal));
  auto& read = std::get<std::vector<load::Document>>(documents);
  if (is_large(read)) return start_load(context, exchange, std::move(write).value(), std::move(read));
  start_write(context, exchange, std::move(write).value(), read);
}

}  // namespace quadrille::http
