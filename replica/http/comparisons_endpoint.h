// /comparisons: what `quadrille verify URL URL...` compares sites by (replica/site/comparisons.h).
//
//   POST /comparisons                             opens one: {"comparison": "…", "site": "ams.…", "version": "…"},
//                                                 what the site has
//   GET /comparisons?comparison=ID&cut=VERSION    looks at the site as of that version, which the request waits for by
//                                                 its Quadrille-Version: {"quads", "digest", "kept": {"quads",
//                                                 "digest"}, "undecided_cells", "estimate": "…"}
//   GET ...&sketch=FIRST&count=N                  symbols of a sketch (sync/set_sketch.h)
//   GET ...&part=K&parts=N                        the hashes of a part of the quads, ascending, 8 bytes each
//   POST ...&quads=                               the body's hashes as quads: 8 bytes each and the quad (quad_rows.h)
//   POST ...&repair=                              the body's quads, each behind '+' or '-', are inserted or erased as
//                                                 of the cut: {"inserted", "erased", "left"}
//   POST ...&totals=                              puts right what is kept of the quads: {"corrected": true}
//   DELETE /comparisons?comparison=ID             it is wanted no more
#pragma once

#include <memory>

#include "replica/http/endpoint_context.h"

namespace quadrille::http {

// On a worker's thread.
void answer_comparisons(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace quadrille::http
