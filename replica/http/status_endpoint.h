// /status, /digest, /conflicts: what a site says of itself, as JSON.
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"
#include "replica/http/message.h"

namespace quadrille::http {

// On a worker's thread; the answer comes from the loop's. With ?digest=true also the digest of all quads, which reads
// them all.
void answer_status(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);
// {"site", "digest", "quads", "version"}, all of one snapshot. Reads all quads.
void answer_digest(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);
// An array of conflict records, oldest first; docs/policies.md says what is in one. The parameters are those of
// replica::ConflictFilter; 400 with one line for any other.
void answer_conflicts(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
