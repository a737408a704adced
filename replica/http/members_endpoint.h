// /members: who belongs to the cluster, as far as this site knows (reconcile/membership.h).
//
//   GET /members    {"site": "ams.…", "sync": "HOST:PORT", "members": ["ams", "nyc"], "state": "member",
//                    "pending_evictions": [{"site": "sgp.…", "waits_for": ["nyc"]}]}
//   POST /members   {"join": "lon.…", "has": {"ams.…": 12}}, where `has` is what its copy of the store has, or
//                   {"evict": "sgp"}; answered like an update
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"

namespace quadrille::http {

// On a worker's thread.
void answer_members(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
