// /sparql: queries and updates. https://www.w3.org/TR/sparql11-protocol/
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"
#include "replica/http/message.h"

namespace quadrille::http {

// On a worker's thread; a query runs at length, an update is answered later, from the loop's thread.
void answer_sparql(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
