// Graphs that a site keeps for itself: not replicated, not in digests, counts and dumps, read-only for updates, and
// left out of `GRAPH ?g`. Who reads a SiteSnapshot for people (queries, dumps) hides them.
#pragma once

#include <string>
#include <vector>

#include "engine/model/term.h"
#include "engine/model/vocabulary.h"

namespace quadrille::reconcile {

inline std::vector<model::Term> local_graphs() {
  return {model::Term::iri(std::string(model::vocabulary::conflicts_graph))};
}

}  // namespace quadrille::reconcile
