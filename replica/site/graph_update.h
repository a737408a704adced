// Changes of whole graphs, other than by SPARQL.
#pragma once

#include "engine/model/quad_source.h"
#include "replica/site/dump.h"

namespace quadrille::replica {

// Whether that graph has any quads here; All: whether there are any at all.
bool has_quads(const GraphChoice& choice, const model::QuadSource& source);

// Erases the quads of the default graph or of one graph. Requires that `choice` is one of these.
void empty_graph(const GraphChoice& choice, model::QuadTarget& target);

}  // namespace quadrille::replica
