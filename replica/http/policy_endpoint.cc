#include "replica/http/policy_endpoint.h"

#include "replica/http/replies.h"
#include "replica/site/assignment_tables.h"

namespace quadrille::http {
namespace {

void answer_with_assignment(const EndpointContext& context, Exchange& exchange) {
  auto response = base::catch_storage_error([&]() -> base::Result<Response> {
    const auto snapshot = context.site.store().snapshot();
    return Response{200,
                    json_type,
                    replica::assignment_as_json(snapshot->assignment(), context.policies),
                    {version_header(context.site, *snapshot)}};
  });
  exchange.respond(response.ok() ? std::move(response).value() : error_response(response.error()));
}

void assign(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  auto assignment = replica::parse_assignment(exchange->request().body, "the assignment", context.policies);
  if (!assignment.ok()) return exchange->respond(error_response(assignment.error()));
  context.site.assign(
      std::move(assignment).value(), [&context, exchange](base::Result<reconcile::CommitReceipt> outcome) {
        exchange->respond(outcome.ok() ? outcome_response(context.site, *outcome) : error_response(outcome.error()));
      });
}

}  // namespace

void answer_policy(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  if (exchange->request().is_read()) return answer_with_assignment(context, *exchange);
  assign(context, exchange);
}

}  // namespace quadrille::http
