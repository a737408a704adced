#include "replica/site/graph_update.h"

#include <array>
#include <vector>

#include "engine/base/check.h"

namespace quadrille::replica {

bool has_quads(const GraphChoice& choice, const model::QuadSource& source) {
  std::vector<model::TermId> prefix;
  if (choice.kind == GraphChoice::Kind::Default) prefix.push_back(model::TermId::default_graph());
  if (choice.kind == GraphChoice::Kind::One) {
    const auto graph = source.find_term(*choice.graph);
    if (!graph) return false;
    prefix.push_back(*graph);
  }
  const auto scan = source.scan(model::QuadOrder::Gspo, prefix, model::ColumnSet::all());
  std::array<model::TermId, 4> row;
  model::ScanBatch batch;
  batch.capacity = 1;
  for (size_t i = 0; i < row.size(); ++i) batch.columns[i] = &row[i];
  return scan->next(batch) > 0;
}

void empty_graph(const GraphChoice& choice, model::QuadTarget& target) {
  QUADRILLE_CHECK(choice.kind != GraphChoice::Kind::All, "a graph to empty was not named");
  const auto graph = choice.kind == GraphChoice::Kind::Default ? std::optional(model::TermId::default_graph())
                                                               : target.find_term(*choice.graph);
  if (!graph) return;
  // Read whole before anything is erased: a scan does not go on over a source that changes.
  std::vector<model::Quad> quads;
  {
    const auto scan = target.scan(model::QuadOrder::Gspo, std::array{*graph}, model::ColumnSet::all());
    std::array<std::array<model::TermId, 1024>, 3> columns;
    model::ScanBatch batch;
    batch.capacity = columns[0].size();
    std::array<model::TermId, 1024> graphs;
    batch.columns = {columns[0].data(), columns[1].data(), columns[2].data(), graphs.data()};
    while (const size_t count = scan->next(batch)) {
      for (size_t i = 0; i < count; ++i) quads.push_back({columns[0][i], columns[1][i], columns[2][i], *graph});
    }
  }
  for (const auto& quad : quads) target.erase(quad);
}

}  // namespace quadrille::replica
