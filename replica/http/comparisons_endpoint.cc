#include "replica/http/comparisons_endpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "replica/http/parameters.h"
#include "replica/http/replies.h"
#include "replica/http/version_request.h"
#include "replica/site/comparisons.h"
#include "replica/site/quad_rows.h"
#include "replica/site/status.h"

namespace quadrille::http {
namespace {

using Json = nlohmann::ordered_json;
using replica::Comparison;

constexpr const char* octets_type = "application/octet-stream";
constexpr uint64_t symbols_max = 200'000;
constexpr uint64_t parts_max = 1'000'000;

base::Error wrong(const char* name, const std::string& expected) {
  return {base::ErrorKind::InvalidInput, fmt::format("{}: expected {}", name, expected), {}};
}

base::Result<uint64_t> read_number(const Parameters& parameters, const char* name, uint64_t max) {
  const auto text = parameters.first(name).value_or(std::string());
  uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || value > max) {
    return wrong(name, fmt::format("a number, at most {}", max));
  }
  return value;
}

base::Result<log::VersionVector> read_cut(const std::string& text) {
  QUADRILLE_ASSIGN(const auto token, replica::parse_version_token(text));
  log::VersionVector cut;
  for (const auto& [changeset, hash] : token.entries) cut.raise(changeset.origin, changeset.seq);
  return cut;
}

Json to_json(const store::QuadTotals& totals) { return {{"quads", totals.quads}, {"digest", totals.digest.to_hex()}}; }

Response json_response(const Json& json) { return {200, json_type, json.dump() + "\n", {}}; }

// What one request wants of an open comparison.
class AskedOfOne {
 public:
  AskedOfOne(const EndpointContext& context, const Request& request, const Parameters& parameters,
             Comparison& comparison, replica::LoadWriter& writer)
      : context_(context), request_(request), parameters_(parameters), comparison_(comparison), writer_(writer) {}

  base::Result<Response> answer() {
    const bool is_post = request_.method == "POST";
    if (!is_post && has("cut")) return look();
    if (!is_post && has("sketch")) return sketch();
    if (!is_post && has("part")) return items();
    if (is_post && has("quads")) return quads();
    if (is_post && has("repair")) return repair();
    if (is_post && has("totals")) return totals();
    return base::Error{base::ErrorKind::InvalidInput,
                       "nothing is asked of the comparison; expected cut, sketch or part by GET, or quads, repair or "
                       "totals by POST",
                       {}};
  }

 private:
  bool has(const char* name) const { return parameters_.count(name) > 0; }

  base::Result<Response> look() {
    QUADRILLE_ASSIGN(const auto cut, read_cut(*parameters_.first("cut")));
    QUADRILLE_TRY(comparison_.look(context_.site.store(), cut));
    QUADRILLE_ASSIGN(const auto totals, comparison_.totals());
    Json json = to_json(totals.found);
    json["kept"] = to_json(totals.kept);
    json["undecided_cells"] = totals.undecided_cells;
    json["estimate"] = fmt::format("{:02x}", fmt::join(totals.estimate, ""));
    return json_response(json);
  }

  base::Result<Response> sketch() {
    QUADRILLE_ASSIGN(const uint64_t first, read_number(parameters_, "sketch", symbols_max));
    QUADRILLE_ASSIGN(const uint64_t count, read_number(parameters_, "count", symbols_max));
    QUADRILLE_ASSIGN(auto bytes, comparison_.sketch(first, count));
    return Response{200, octets_type, std::move(bytes), {}};
  }

  base::Result<Response> items() {
    QUADRILLE_ASSIGN(const uint64_t parts, read_number(parameters_, "parts", parts_max));
    QUADRILLE_ASSIGN(const uint64_t part, read_number(parameters_, "part", parts == 0 ? 0 : parts - 1));
    if (parts == 0) return wrong("parts", "at least 1");
    QUADRILLE_ASSIGN(const auto items, comparison_.items(part, parts));
    std::string bytes;
    bytes.reserve(items.size() * sizeof(uint64_t));
    for (const uint64_t item : items) replica::append_item(bytes, item);
    return Response{200, octets_type, std::move(bytes), {}};
  }

  base::Result<Response> quads() {
    std::vector<uint64_t> items;
    std::string_view body = request_.body;
    for (uint64_t item = 0; replica::take_item(body, item);) items.push_back(item);
    if (!body.empty()) return wrong("body", "hashes of 8 bytes each");
    std::string bytes;
    QUADRILLE_TRY(comparison_.find(std::move(items), [&](uint64_t item, const replica::QuadOfTerms& quad) {
      replica::append_item(bytes, item);
      replica::append_quad(bytes, quad);
    }));
    return Response{200, octets_type, std::move(bytes), {}};
  }

  base::Result<Response> repair() {
    replica::RepairList list;
    for (std::string_view body = request_.body; !body.empty();) {
      const char sign = body.front();
      if (sign != '+' && sign != '-') return wrong("body", "quads, each behind '+' or '-'");
      body.remove_prefix(1);
      QUADRILLE_ASSIGN(auto quad, replica::take_quad(body));
      (sign == '+' ? list.to_insert : list.to_erase).push_back(std::move(quad));
    }
    QUADRILLE_ASSIGN(const auto report, comparison_.repair(writer_, list));
    return json_response({{"inserted", report.inserted}, {"erased", report.erased}, {"left", report.left}});
  }

  base::Result<Response> totals() {
    QUADRILLE_ASSIGN(const bool is_corrected, comparison_.correct_totals(writer_));
    return json_response({{"corrected", is_corrected}});
  }

  const EndpointContext& context_;
  const Request& request_;
  const Parameters& parameters_;
  Comparison& comparison_;
  replica::LoadWriter& writer_;
};

base::Result<Response> open_comparison(const EndpointContext& context, replica::LoadWriter& writer) {
  QUADRILLE_ASSIGN(const auto comparison, context.comparisons->open(writer));
  const auto& site = context.site.store().identity().site;
  // Folding is held by now: what has folded is part of this.
  Header version = version_header(context.site, *context.site.store().snapshot());
  Response response =
      json_response({{"comparison", comparison->id()}, {"site", log::to_string(site)}, {"version", version.value}});
  response.headers.push_back(std::move(version));
  return response;
}

base::Result<Response> answer_one(const EndpointContext& context, const Request& request) {
  replica::QueuedLoadWriter writer(context.site.writer(), *context.stopping);
  QUADRILLE_ASSIGN(const auto parameters, Parameters::parse(request.query));
  const auto id = parameters.first("comparison");
  if (!id && request.method == "POST") return open_comparison(context, writer);
  QUADRILLE_ASSIGN(const auto comparison, context.comparisons->find(id.value_or(std::string()), writer));
  if (!comparison) {
    return base::Error{base::ErrorKind::NotFound,
                       "there is no such comparison, or no longer; expected ?comparison=ID of one that POST "
                       "/comparisons opened",
                       {}};
  }
  if (request.method == "DELETE") {
    context.comparisons->close(*id, writer);
    return plain_response(200, "the comparison is over");
  }
  return AskedOfOne(context, request, parameters, *comparison, writer).answer();
}

}  // namespace

void answer_comparisons(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  context.run_at_length(exchange, [&context, exchange] {
    auto response = base::catch_storage_error([&] { return answer_one(context, exchange->request()); });
    exchange->respond(response.ok() ? std::move(response).value() : error_response(response.error()));
  });
}

}  // namespace quadrille::http
