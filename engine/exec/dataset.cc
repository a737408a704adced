#include "engine/exec/dataset.h"

#include <algorithm>

namespace quadrille::exec {

using model::TermId;
using plan::GraphChoice;
using plan::GraphFilter;
using plan::GraphMode;

namespace {

// Graphs that the store has never heard of are empty.
std::vector<TermId> known_ids(const std::vector<model::Term>& graphs, const model::QuadSource& source) {
  std::vector<TermId> ids;
  for (const model::Term& graph : graphs) {
    if (const auto id = source.find_term(graph)) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::shared_ptr<const GraphFilter> filter(bool all_but, std::vector<TermId> listed) {
  return std::make_shared<const GraphFilter>(GraphFilter{all_but, std::move(listed)});
}

GraphChoice one_or_merged(std::vector<TermId> graphs) {
  GraphChoice choice;
  if (graphs.size() == 1) {
    choice.graph = graphs.front();
    return choice;
  }
  choice.mode = GraphMode::Merged;
  choice.filter = filter(false, std::move(graphs));
  return choice;
}

}  // namespace

plan::Dataset resolve_dataset(const DatasetRules& rules, const sparql::Dataset& in_text, const model::Term* with,
                              const model::QuadSource& source) {
  plan::Dataset dataset;
  const sparql::Dataset& given = rules.protocol_dataset.is_given() ? rules.protocol_dataset : in_text;
  if (given.is_given()) {
    dataset.default_graph = one_or_merged(known_ids(given.default_graphs, source));
    dataset.named_graphs = filter(false, known_ids(given.named_graphs, source));
    return dataset;
  }
  std::vector<TermId> hidden = known_ids(rules.hidden_graphs, source);
  if (with != nullptr) {
    dataset.default_graph = one_or_merged(known_ids({*with}, source));
  } else if (rules.default_is_union) {
    dataset.default_graph.mode = GraphMode::Merged;
    dataset.default_graph.filter = filter(true, hidden);
  }
  hidden.push_back(TermId::default_graph());
  std::sort(hidden.begin(), hidden.end());
  dataset.named_graphs = filter(true, std::move(hidden));
  return dataset;
}

}  // namespace quadrille::exec
