#include "replica/http/members_endpoint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "replica/http/replies.h"
#include "replica/site/status.h"

namespace quadrille::http {
namespace {

using Json = nlohmann::ordered_json;

base::Error invalid(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

void answer_list(const EndpointContext& context, Exchange& exchange) {
  auto response = base::catch_storage_error([&]() -> base::Result<Response> {
    const auto& store = context.site.store();
    const auto snapshot = store.snapshot();
    const auto membership = store.membership();
    const auto& self = store.identity();
    Json json{{"site", log::to_string(self.site)}, {"sync", context.sync_address}, {"members", membership.names()}};
    json["state"] = replica::state_of(self, membership);
    json["pending_evictions"] = Json::array();
    for (const auto& pending : membership.pending()) {
      json["pending_evictions"].push_back({{"site", log::to_string(pending.site)}, {"waits_for", pending.waits_for}});
    }
    return Response{200, json_type, json.dump(2) + "\n", {version_header(context.site, *snapshot)}};
  });
  exchange.respond(response.ok() ? std::move(response).value() : error_response(response.error()));
}

struct Wanted {
  std::string evict;
  log::SiteId join;
  log::VersionVector has;
};

base::Result<Wanted> read_wanted(std::string_view body) {
  constexpr const char* expected = R"(expected {"join": "NAME.INCARNATION", "has": {…}} or {"evict": "NAME"})";
  const auto json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return invalid(fmt::format("the request is no JSON object; {}", expected));
  Wanted wanted;
  for (const auto& [key, value] : json.items()) {
    if (key == "evict" && value.is_string()) {
      wanted.evict = value.get<std::string>();
    } else if (key == "join" && value.is_string()) {
      QUADRILLE_ASSIGN(wanted.join, log::parse_site_id(value.get<std::string>()));
    } else if (key == "has" && value.is_object()) {
      for (const auto& [origin, seq] : value.items()) {
        if (!seq.is_number_unsigned()) return invalid(fmt::format("has: expected numbers of changesets; {}", expected));
        QUADRILLE_ASSIGN(const auto site, log::parse_site_id(origin));
        wanted.has.raise(site, seq.get<uint64_t>());
      }
    } else {
      return invalid(fmt::format("unknown or misshapen member; {}", expected));
    }
  }
  if (wanted.evict.empty() == wanted.join.name.empty())
    return invalid(fmt::format("the request says not one thing; {}", expected));
  return wanted;
}

void change(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  auto wanted = read_wanted(exchange->request().body);
  if (!wanted.ok()) return exchange->respond(error_response(wanted.error()));
  auto done = [&context, exchange](base::Result<reconcile::CommitReceipt> outcome) {
    exchange->respond(outcome.ok() ? outcome_response(context.site, *outcome) : error_response(outcome.error()));
  };
  if (!wanted->evict.empty()) return context.site.evict_member(std::move(wanted->evict), std::move(done));
  context.site.add_member(wanted->join, std::move(wanted->has), std::move(done));
}

}  // namespace

void answer_members(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  if (exchange->request().is_read()) return answer_list(context, *exchange);
  change(context, exchange);
}

}  // namespace quadrille::http
