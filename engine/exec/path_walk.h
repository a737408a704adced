// Walks property paths node by node. https://www.w3.org/TR/sparql11-query/#PropertyPathPatterns
#pragma once

#include <vector>

#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"
#include "engine/sparql/algebra.h"

namespace quadrille::exec {

class PathWalk {
 public:
  PathWalk(const plan::GraphChoice& graph, RunState& run) : graph_(graph), run_(run) {}

  // Appends the nodes that the path leads to from `node` (backwards: from which it leads to `node`). A node may come
  // several times, as the algebra counts it, but for paths that may repeat, which give each node once.
  void follow(const sparql::Path& path, TermId node, bool backwards, std::vector<TermId>& found);
  // Subjects and objects of the graph: where a path of no length may begin.
  std::vector<TermId> all_nodes();
  // True for a subject or object of the graph.
  bool is_node(TermId node);

 private:
  struct PairOfNodes {
    TermId node;
    TermId predicate;
  };
  void link(TermId predicate, TermId node, bool backwards, std::vector<TermId>& found);
  void negated(const sparql::Path& path, TermId node, bool backwards, std::vector<TermId>& found);
  void closure(const sparql::Path& step, TermId node, bool backwards, bool with_start, bool repeats,
               std::vector<TermId>& found);
  // Triples with the node as subject (backwards: object), and the predicate, if bound; the other end of each.
  std::vector<PairOfNodes> neighbours(TermId node, TermId predicate, bool backwards);

  const plan::GraphChoice& graph_;
  RunState& run_;
};

}  // namespace quadrille::exec
