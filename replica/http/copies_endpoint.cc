#include "replica/http/copies_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "replica/http/parameters.h"
#include "replica/http/replies.h"
#include "replica/site/store_copies.h"

namespace quadrille::http {
namespace {

using Json = nlohmann::ordered_json;
using replica::StoreCopy;

constexpr const char* octets_type = "application/octet-stream";
constexpr size_t piece_bytes = size_t{256} << 10;
constexpr int64_t patience_ms = 60'000;

void make_copy(const EndpointContext& context, Exchange& exchange) {
  replica::QueuedLoadWriter writer(context.site.writer(), *context.stopping);
  const auto copy = context.copies->make(writer);
  if (!copy.ok()) return exchange.respond(error_response(copy.error()));
  const Json json{{"copy", (*copy)->id},
                  {"bytes", (*copy)->file.size()},
                  {"hash", (*copy)->hash},
                  {"site", log::to_string(context.site.store().identity().site)}};
  exchange.respond({200, json_type, json.dump(2) + "\n", {}});
}

struct Wanted {
  std::shared_ptr<const StoreCopy> copy;
  uint64_t from = 0;
};

base::Result<Wanted> read_wanted(const EndpointContext& context, const Request& request) {
  QUADRILLE_ASSIGN(const auto parameters, Parameters::parse(request.query));
  const auto id = parameters.first("copy").value_or(std::string());
  Wanted wanted{context.copies->find(id), 0};
  if (!wanted.copy) {
    return base::Error{base::ErrorKind::NotFound,
                       "there is no such copy, or no longer; expected ?copy=ID of one made by POST /copies",
                       {}};
  }
  const auto from = parameters.first("from").value_or("0");
  const auto read = std::from_chars(from.data(), from.data() + from.size(), wanted.from);
  if (read.ec != std::errc() || read.ptr != from.data() + from.size() || wanted.from > wanted.copy->file.size()) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("from: expected a number of bytes, at most {}", wanted.copy->file.size()),
                       {}};
  }
  return wanted;
}

base::Result<void> send_bytes(const EndpointContext& context, Exchange& exchange, const Wanted& wanted) {
  replica::QueuedLoadWriter writer(context.site.writer(), *context.stopping);
  const auto& clock = context.site.steady_clock();
  int64_t renewed_us = clock.now_us();
  QUADRILLE_TRY(context.copies->keep_log(writer));
  std::vector<char> piece(piece_bytes);
  for (uint64_t at = wanted.from; at < wanted.copy->file.size();) {
    const auto room = std::span(piece).first(std::min<uint64_t>(piece_bytes, wanted.copy->file.size() - at));
    wanted.copy->file.read(at, room);
    QUADRILLE_TRY(exchange.write({room.data(), room.size()}, patience_ms));
    at += room.size();
    if (clock.now_us() - renewed_us < replica::StoreCopies::log_renewed_us) continue;
    renewed_us = clock.now_us();
    QUADRILLE_TRY(context.copies->keep_log(writer));
  }
  return {};
}

void send_copy(const EndpointContext& context, Exchange& exchange) {
  const auto wanted = read_wanted(context, exchange.request());
  if (!wanted.ok()) return exchange.respond(error_response(wanted.error()));
  exchange.start({200, octets_type, {}, {}});
  const auto sent = base::catch_storage_error([&] { return send_bytes(context, exchange, *wanted); });
  context.copies->find(wanted->copy->id);  // who was cut off may come back
  if (sent.ok()) {
    exchange.finish();
  } else {
    exchange.break_off();
  }
}

void drop_copy(const EndpointContext& context, Exchange& exchange) {
  const auto wanted = read_wanted(context, exchange.request());
  if (!wanted.ok()) return exchange.respond(error_response(wanted.error()));
  context.copies->drop(wanted->copy->id);
  exchange.respond(plain_response(200, "the copy is gone"));
}

}  // namespace

void answer_copies(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  const std::string& method = exchange->request().method;
  if (method == "DELETE") return drop_copy(context, *exchange);
  const bool makes = method == "POST";
  context.run_load(
      exchange, [&context, exchange, makes] { makes ? make_copy(context, *exchange) : send_copy(context, *exchange); });
}

}  // namespace quadrille::http
