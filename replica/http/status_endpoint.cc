#include "replica/http/status_endpoint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/model/utf8.h"
#include "replica/http/parameters.h"
#include "replica/http/replies.h"
#include "replica/site/status.h"

namespace quadrille::http {
namespace {

using Json = nlohmann::ordered_json;

// Terms in the data may hold anything, also what is not quite UTF-8 in JSON's eyes: replaced, never thrown.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Response json_response(const Json& json, Header version) {
  return {200, json_type, text_of(json), {std::move(version)}};
}

bool is_wanted(const Request& request, std::string_view parameter) {
  const auto parameters = Parameters::parse(request.query);
  return parameters.ok() && parameters->first(parameter) == "true";
}

base::Result<replica::ConflictFilter> read_filter(const std::string& query) {
  QUADRILLE_ASSIGN(const auto parameters, Parameters::parse(query));
  replica::ConflictFilter filter;
  for (const auto& [name, value] : parameters.entries()) {
    if (parameters.count(name) > 1) {
      return base::Error{
          base::ErrorKind::InvalidInput,
          fmt::format("{}: given {} times; expected once", model::describe_text(name), parameters.count(name)),
          {}};
    }
    QUADRILLE_TRY(filter.set(name, value));
  }
  return filter;
}

template <class Read>
void answer_with(Exchange& exchange, Read&& read) {
  auto response = base::catch_storage_error([&]() -> base::Result<Response> { return read(); });
  exchange.respond(response.ok() ? std::move(response).value() : error_response(response.error()));
}

}  // namespace

void answer_status(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  struct Read {
    replica::StoreStatus status;
    std::string digest;
    Header version;
  };
  auto read = base::catch_storage_error([&]() -> base::Result<Read> {
    const auto snapshot = context.site.store().snapshot();
    return Read{replica::store_status(context.site.store(), *snapshot),
                is_wanted(exchange->request(), "digest") ? replica::to_hex(snapshot->digest()) : std::string(),
                version_header(context.site, *snapshot)};
  });
  if (!read.ok()) return exchange->respond(error_response(read.error()));
  context.post_to_loop([&context, exchange, read = std::move(read).value()] {
    auto json = replica::to_json(read.status, replica::peers_status(context.site));
    json["writer"] = replica::to_json(context.writer_times());
    json["policies"] = replica::to_json(context.policy_troubles.troubles());
    replica::add_to_json(context.process_status(), json);
    if (!read.digest.empty()) json["digest"] = read.digest;
    exchange->respond(json_response(json, read.version));
  });
}

void answer_digest(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  answer_with(*exchange, [&] {
    const auto snapshot = context.site.store().snapshot();
    return json_response({{"site", context.site.store().identity().site.name},
                          {"digest", replica::to_hex(snapshot->digest())},
                          {"quads", snapshot->quad_count()},
                          {"version", log::to_string(snapshot->version_vector())}},
                         version_header(context.site, *snapshot));
  });
}

void answer_conflicts(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  answer_with(*exchange, [&]() -> base::Result<Response> {
    QUADRILLE_ASSIGN(const auto filter, read_filter(exchange->request().query));
    const auto snapshot = context.site.store().snapshot();
    return json_response(replica::to_json(replica::list_conflicts(*snapshot, filter)),
                         version_header(context.site, *snapshot));
  });
}

}  // namespace quadrille::http
