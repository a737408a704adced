#include "replica/http/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "replica/http/comparisons_endpoint.h"
#include "replica/http/copies_endpoint.h"
#include "replica/http/data_endpoint.h"
#include "replica/http/members_endpoint.h"
#include "replica/http/metrics_endpoint.h"
#include "replica/http/policy_endpoint.h"
#include "replica/http/replies.h"
#include "replica/http/sparql_endpoint.h"
#include "replica/http/status_endpoint.h"
#include "replica/http/version_request.h"

namespace quadrille::http {
namespace {

using replica::Role;

constexpr size_t waiting_per_thread = 64;
constexpr size_t short_threads = 2;
constexpr size_t load_threads = 2;
constexpr size_t short_request_bytes = 64 * 1024;

void answer_health(const EndpointContext&, const std::shared_ptr<Exchange>& exchange) {
  exchange->respond(plain_response(200, "ok"));
}

// What there is at a path: who answers, by which methods, and what role each needs.
struct Place {
  std::string_view path;
  const char* methods;  // without OPTIONS
  Role to_read;         // GET and HEAD
  Role to_write;        // the other methods
  void (*answer)(const EndpointContext&, const std::shared_ptr<Exchange>&);
};

// An update at /sparql needs another role than a query, which only its reader finds out.
constexpr std::array places = {
    Place{"/sparql", "GET, HEAD, POST", Role::Read, Role::Read, answer_sparql},
    Place{"/data", "GET, HEAD, POST, PUT, DELETE", Role::Read, Role::Write, answer_data},
    Place{"/status", "GET, HEAD", Role::Read, Role::Read, answer_status},
    Place{"/digest", "GET, HEAD", Role::Read, Role::Read, answer_digest},
    Place{"/conflicts", "GET, HEAD", Role::Read, Role::Read, answer_conflicts},
    Place{"/metrics", "GET, HEAD", Role::Read, Role::Read, answer_metrics},
    Place{"/policy", "GET, HEAD, POST", Role::Read, Role::Admin, answer_policy},
    Place{"/members", "GET, HEAD, POST", Role::Read, Role::Admin, answer_members},
    Place{"/copies", "GET, POST, DELETE", Role::Admin, Role::Admin, answer_copies},
    Place{"/comparisons", "GET, POST, DELETE", Role::Read, Role::Admin, answer_comparisons},
    Place{"/health", "GET, HEAD", Role::None, Role::None, answer_health},
};

const Place* place_of(std::string_view path) {
  if (path.starts_with("/data/")) path = "/data";
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto found = std::find_if(places.begin(), places.end(), [&](const Place& place) { return place.path == path; });
  return found == places.end() ? nullptr : &*found;
}

bool takes(const Place& place, std::string_view method) {
  const std::string_view methods = place.methods;
  for (size_t at = methods.find(method); at != std::string_view::npos; at = methods.find(method, at + 1)) {
    const size_t end = at + method.size();
    if (end == methods.size() || methods[end] == ',') return true;
  }
  return false;
}

Response nothing_here(std::string_view path) {
  std::vector<std::string_view> paths;
  for (const auto& place : places) paths.push_back(place.path);
  return plain_response(404, fmt::format("{}: nothing here; expected one of {}", path, fmt::join(paths, ", ")));
}

// Not 504: the site is well, and is only behind.
Response late_response(const base::Error& error) {
  auto response = error_response(error);
  if (error.kind == base::ErrorKind::Timeout) response.status = 503;
  return response;
}

// To OPTIONS, which browsers also ask before they let a page of another origin do what it wants.
Response options_response(const Place& place, const Request& request) {
  const auto methods = fmt::format("{}, OPTIONS", place.methods);
  Response response{204, "", "", {{"Allow", methods}}};
  if (request.header("Access-Control-Request-Method").empty()) return response;
  response.headers.push_back({"Access-Control-Allow-Methods", methods});
  response.headers.push_back({"Access-Control-Allow-Headers",
                              "Accept, Authorization, Content-Type, Content-Encoding, Quadrille-Version, "
                              "Quadrille-Wait-Ms"});
  response.headers.push_back({"Access-Control-Max-Age", "600"});
  return response;
}

}  // namespace

Service::Service(EndpointContext context)
    : context_(std::move(context)),
      long_workers_(static_cast<size_t>(context_.limits.query_threads),
                    static_cast<size_t>(context_.limits.query_threads) * waiting_per_thread),
      load_workers_(load_threads, load_threads * waiting_per_thread),
      short_workers_(short_threads, short_threads * waiting_per_thread) {
  context_.metrics = metrics_.get();
  context_.run_at_length = [this](const std::shared_ptr<Exchange>& exchange, std::function<void()> task) {
    run_on(long_workers_, exchange, std::move(task));
  };
  context_.run_load = [this](const std::shared_ptr<Exchange>& exchange, std::function<void()> task) {
    run_on(load_workers_, exchange, std::move(task));
  };
}

void Service::handle(std::shared_ptr<Exchange> exchange) {
  metrics_->begin();
  const auto& clock = context_.site.steady_clock();
  exchange->set_observer([metrics = metrics_, &clock, began_us = clock.now_us()](const Exchange::Outcome& outcome) {
    metrics->end(outcome, clock.now_us() - began_us);
  });
  if (!let_in(*exchange)) return;
  if (exchange->request().path == "/health") return dispatch(std::move(exchange));
  auto wanted = read_version_request(exchange->request(), context_.limits);
  if (!wanted.ok()) return exchange->respond(error_response(wanted.error()));
  if (!*wanted) return dispatch(std::move(exchange));
  const auto is_included = context_.site.versions().includes((*wanted)->token);
  if (!is_included.ok()) return exchange->respond(error_response(is_included.error()));
  if (*is_included) return dispatch(std::move(exchange));
  context_.post_to_loop([this, exchange, wanted = **std::move(wanted)] {
    const auto entered = [this, exchange](const base::Result<void>& outcome) {
      if (!outcome.ok()) return exchange->respond(late_response(outcome.error()));
      run_on(short_workers_, exchange, [this, exchange] { dispatch(exchange); });
    };
    context_.site.versions().enter(wanted.token, wanted.patience_ms, &exchange->is_abandoned(), entered);
  });
}

// Whether the request is one that this site answers, from somebody who may ask; else it has been answered.
bool Service::let_in(Exchange& exchange) const {
  const auto& request = exchange.request();
  const auto refuse = [&](Response response) {
    exchange.respond(std::move(response));
    return false;
  };
  const Place* place = place_of(request.path);
  if (place == nullptr) return refuse(nothing_here(request.path));
  const auto rules = context_.access();
  std::vector<Header> headers;
  if (auto refused = rules->check_origin(request, headers)) return refuse(std::move(*refused));
  for (auto& header : headers) exchange.add_header(std::move(header));
  if (request.method == "OPTIONS") return refuse(options_response(*place, request));
  if (!takes(*place, request.method)) {
    return refuse(not_allowed(fmt::format("{}, OPTIONS", place->methods).c_str()));
  }
  const Role wanted = request.is_read() ? place->to_read : place->to_write;
  if (wanted == Role::None) return true;
  const auto role = rules->role_of(request);
  if (const auto* refused = std::get_if<Response>(&role)) return refuse(*refused);
  exchange.set_role(std::get<Role>(role));
  return exchange.may(wanted) ? true : refuse(role_refusal(request, wanted));
}

void Service::dispatch(std::shared_ptr<Exchange> exchange) {
  const auto& request = exchange->request();
  const Place* place = place_of(request.path);
  // A short request is read at once: queries and updates have threads of their own behind this.
  const bool is_quick =
      place->answer == answer_health || (place->answer == answer_sparql && request.body.size() <= short_request_bytes);
  if (is_quick) return place->answer(context_, exchange);
  run_on(short_workers_, exchange, [this, place, exchange] { place->answer(context_, exchange); });
}

void Service::run_on(WorkerPool& workers, const std::shared_ptr<Exchange>& exchange, std::function<void()> task) {
  if (workers.submit(std::move(task))) return;
  auto response = plain_response(503, "too many requests wait; expected the client to try again later");
  response.headers.push_back({"Retry-After", "1"});
  exchange->respond(std::move(response));
}

}  // namespace quadrille::http
