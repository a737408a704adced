// Which named graphs there are.
#pragma once

#include <vector>

#include "engine/model/quad_source.h"
#include "engine/plan/dataset.h"

namespace quadrille::exec {

// The graphs of the filter that hold a quad, ascending. Skips from graph to graph; does not read their quads.
std::vector<model::TermId> graphs_with_quads(const model::QuadSource& source, const plan::GraphFilter& filter);
bool has_quads(const model::QuadSource& source, model::TermId graph);

}  // namespace quadrille::exec
