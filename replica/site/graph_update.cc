#include "replica/site/graph_update.h"

#include <array>
#include <vector>

#include "engine/base/check.h"

namespace quadrille::replica {

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
