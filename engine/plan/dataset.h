// Which graphs the patterns of a query see, as ids. https://www.w3.org/TR/sparql11-query/#rdfDataset
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/model/term_id.h"
#include "engine/plan/variables.h"

namespace quadrille::plan {

// A set of graphs: those listed, or all but those listed. `listed` is sorted.
struct GraphFilter {
  bool all_but = true;
  std::vector<model::TermId> listed;

  bool allows(model::TermId graph) const noexcept {
    return std::binary_search(listed.begin(), listed.end(), graph) != all_but;
  }
};

enum class GraphMode : uint8_t {
  One,      // one graph, known when planning
  Merged,   // the union of several, each triple once; the graph is not seen
  Each,     // any of several; the graph is a variable's value
  Current,  // one graph, that of the round of the loop over graphs around this pattern (PlanKind::EachGraph)
};

struct GraphChoice {
  GraphMode mode = GraphMode::One;
  model::TermId graph = model::TermId::default_graph();  // One
  std::shared_ptr<const GraphFilter> filter;             // Merged, Each
  VariableId variable = no_variable;                     // Each
};

struct Dataset {
  GraphChoice default_graph;                        // One or Merged
  std::shared_ptr<const GraphFilter> named_graphs;  // what GRAPH ?g ranges over
};

}  // namespace quadrille::plan
