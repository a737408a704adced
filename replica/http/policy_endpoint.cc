#include "replica/http/policy_endpoint.h"

#include "replica/http/replies.h"
#include "replica/site/assignment_tables.h"

namespace quadrille::http {
namespace {

void answer_with_assignment(const EndpointContext& context, Exchange& exchange) {
  const auto text = base::catch_storage_error([&]() -> base::Result<std::string> {
    return replica::assignment_as_json(context.site.store().snapshot()->assignment(), context.policies);
  });
  exchange.respond(text.ok() ? Response{200, json_type, *text, {}} : error_response(text.error()));
}

void assign(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  auto assignment = replica::parse_assignment(exchange->request().body, "the assignment", context.policies);
  if (!assignment.ok()) return exchange->respond(error_response(assignment.error()));
  context.site.assign(std::move(assignment).value(), [exchange](base::Result<replica::UpdateOutcome> outcome) {
    exchange->respond(outcome.ok() ? outcome_response(*outcome) : error_response(outcome.error()));
  });
}

}  // namespace

void answer_policy(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  const std::string& method = exchange->request().method;
  if (method == "GET") return answer_with_assignment(context, *exchange);
  if (method == "POST") return assign(context, exchange);
  exchange->respond(not_allowed("GET, POST"));
}

}  // namespace quadrille::http
