// /data: whole graphs, in and out. https://www.w3.org/TR/sparql11-http-rdf-update/ (indirect identification)
//
//   GET  /data [?graph=IRI | ?default]    all quads, or those of one graph, in the format of Accept
//   POST /data [?graph=IRI | ?default]    adds the statements of the body, or of each part of multipart/form-data
//   PUT  /data ?graph=IRI | ?default      the same, after emptying that graph
//   DELETE /data ?graph=IRI | ?default    empties that graph
// Each is one transaction. A body may have Content-Encoding gzip or zstd.
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"
#include "replica/http/message.h"

namespace quadrille::http {

// On a worker's thread; reading runs at length, writing is answered later, from the loop's thread.
void answer_data(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
