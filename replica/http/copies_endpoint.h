// /copies: the store itself, for a site that joins and as a backup (replica/site/store_copies.h).
//
//   POST /copies                 makes one: {"copy": "…", "bytes": 1, "hash": "…", "site": "ams.…"}
//   GET /copies?copy=ID&from=N   its bytes from there on
//   DELETE /copies?copy=ID       it is wanted no more
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"

namespace quadrille::http {

// On a worker's thread.
void answer_copies(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
