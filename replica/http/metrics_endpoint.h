// /metrics: what a site counts, as text for Prometheus. docs/operations.md lists the names.
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"

namespace quadrille::http {

// On a worker's thread.
void answer_metrics(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
