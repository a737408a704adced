// A digest of a store's quads that two sites can compare: the same for the same quads, whatever their ids and order.
#pragma once

#include "engine/model/quad_source.h"
#include "log/changeset.h"

namespace quadrille::reconcile {

// The sum, modulo 2^128, of a hash of each quad: XXH3-128 of the hashes (XXH3-128 of the N-Triples text) of its
// subject, predicate, object and graph (the default graph: zeros). Quads of `left_out` do not count. Scans all quads.
log::ChangesetHash digest_of(const model::QuadSource& quads, model::TermId left_out);

}  // namespace quadrille::reconcile
