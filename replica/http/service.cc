#include "replica/http/service.h"

#include <fmt/format.h>

#include <utility>

#include "replica/http/comparisons_endpoint.h"
#include "replica/http/copies_endpoint.h"
#include "replica/http/data_endpoint.h"
#include "replica/http/members_endpoint.h"
#include "replica/http/policy_endpoint.h"
#include "replica/http/replies.h"
#include "replica/http/sparql_endpoint.h"
#include "replica/http/status_endpoint.h"
#include "replica/http/version_request.h"

namespace quadrille::http {
namespace {

constexpr size_t waiting_per_thread = 64;
constexpr size_t short_threads = 2;
constexpr size_t load_threads = 2;
constexpr size_t short_request_bytes = 64 * 1024;

}  // namespace

Service::Service(EndpointContext context)
    : context_(std::move(context)),
      long_workers_(static_cast<size_t>(context_.limits.query_threads),
                    static_cast<size_t>(context_.limits.query_threads) * waiting_per_thread),
      load_workers_(load_threads, load_threads * waiting_per_thread),
      short_workers_(short_threads, short_threads * waiting_per_thread) {
  context_.run_at_length = [this](const std::shared_ptr<Exchange>& exchange, std::function<void()> task) {
    run_on(long_workers_, exchange, std::move(task));
  };
  context_.run_load = [this](const std::shared_ptr<Exchange>& exchange, std::function<void()> task) {
    run_on(load_workers_, exchange, std::move(task));
  };
}

void Service::handle(std::shared_ptr<Exchange> exchange) {
  if (exchange->request().path == "/health") return dispatch(std::move(exchange));
  auto wanted = read_version_request(exchange->request(), context_.limits);
  if (!wanted.ok()) return exchange->respond(error_response(wanted.error()));
  if (!*wanted) return dispatch(std::move(exchange));
  const auto is_included = context_.site.versions().includes((*wanted)->token);
  if (!is_included.ok()) return exchange->respond(error_response(is_included.error()));
  if (*is_included) return dispatch(std::move(exchange));
  context_.post_to_loop([this, exchange, wanted = **std::move(wanted)] {
    const auto entered = [this, exchange](const base::Result<void>& outcome) {
      if (!outcome.ok()) return exchange->respond(error_response(outcome.error()));
      run_on(short_workers_, exchange, [this, exchange] { dispatch(exchange); });
    };
    context_.site.versions().enter(wanted.token, wanted.patience_ms, &exchange->is_abandoned(), entered);
  });
}

void Service::dispatch(std::shared_ptr<Exchange> exchange) {
  const auto& request = exchange->request();
  if (request.path == "/sparql") {
    // A short request is read at once: queries and updates have threads of their own behind this.
    if (request.body.size() <= short_request_bytes) return answer_sparql(context_, exchange);
    return answer_on_worker(answer_sparql, std::move(exchange));
  }
  if (request.path == "/data") return answer_on_worker(answer_data, std::move(exchange));
  const bool is_get = request.method == "GET";
  Answer answer = nullptr;
  if (request.path == "/status") answer = answer_status;
  if (request.path == "/digest") answer = answer_digest;
  if (request.path == "/conflicts") answer = answer_conflicts;
  if (request.path == "/policy") return answer_on_worker(answer_policy, std::move(exchange));
  if (request.path == "/members") return answer_on_worker(answer_members, std::move(exchange));
  if (request.path == "/comparisons") return answer_on_worker(answer_comparisons, std::move(exchange));
  if (request.path == "/copies") return answer_on_worker(answer_copies, std::move(exchange));
  if (!answer && request.path != "/health") {
    return exchange->respond(plain_response(
        404, fmt::format("{}: nothing here; expected /sparql, /data, /status, /digest, /conflicts, /policy, /members, "
                         "/copies, /comparisons or /health",
                         request.path)));
  }
  if (!is_get) return exchange->respond(not_allowed("GET"));
  if (!answer) return exchange->respond(plain_response(200, "ok"));
  answer_on_worker(answer, std::move(exchange));
}

void Service::answer_on_worker(Answer answer, std::shared_ptr<Exchange> exchange) {
  run_on(short_workers_, exchange, [this, answer, exchange] { answer(context_, exchange); });
}

void Service::run_on(WorkerPool& workers, const std::shared_ptr<Exchange>& exchange, std::function<void()> task) {
  if (workers.submit(std::move(task))) return;
  auto response = plain_response(503, "too many requests wait; expected the client to try again later");
  response.headers.push_back({"Retry-After", "1"});
  exchange->respond(std::move(response));
}

}  // namespace quadrille::http
