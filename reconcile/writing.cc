#include "reconcile/writing.h"

#include <algorithm>

namespace quadrille::reconcile {

log::CellContent visible_content(const model::QuadSource& quads, const log::Cell& cell) {
  const log::Statement statement{cell.property, cell.object};
  if (cell.kind == log::CellKind::Quad) {
    return quads.contains(quad_of(cell, statement)) ? log::CellContent{statement} : log::CellContent{};
  }
  const std::array<model::TermId, 3> prefix = {cell.graph, cell.subject, cell.property};
  const auto scan = quads.scan(model::QuadOrder::Gspo, prefix, model::ColumnSet().with(model::Column::Object));
  log::CellContent content;
  std::array<model::TermId, 64> objects;
  model::ScanBatch batch;
  batch.columns[static_cast<size_t>(model::Column::Object)] = objects.data();
  batch.capacity = objects.size();
  while (const size_t count = scan->next(batch)) {
    for (size_t i = 0; i < count; ++i) content.push_back({cell.property, objects[i]});
  }
  return content;
}

ContentChange set_content(model::QuadTarget& quads, const log::Cell& cell, const log::CellContent& before,
                          const log::CellContent& content) {
  ContentChange change;
  for (const log::Statement& statement : before) {
    if (std::binary_search(content.begin(), content.end(), statement)) continue;
    if (quads.erase(quad_of(cell, statement))) ++change.erased;
  }
  for (const log::Statement& statement : content) {
    if (std::binary_search(before.begin(), before.end(), statement)) continue;
    if (quads.insert(quad_of(cell, statement))) ++change.inserted;
  }
  return change;
}

}  // namespace quadrille::reconcile
