#include "reconcile/writing.h"

#include <algorithm>

namespace quadrille::reconcile {

std::vector<std::shared_ptr<TouchedCells>> WriterMemory::live_watches() {
  std::erase_if(watches, [](const auto& watch) { return watch.expired(); });
  std::vector<std::shared_ptr<TouchedCells>> live;
  for (const auto& watch : watches) {
    if (auto touched = watch.lock()) live.push_back(std::move(touched));
  }
  return live;
}

void WriterMemory::note_whether_alone(const log::LogState& state) {
  // While history of other members is left, folding goes through all that follows.
  const bool is_all_walked =
      std::all_of(state.origins.begin(), state.origins.end(),
                  [](const log::OriginState& origin) { return origin.walked_seq == origin.seq; });
  is_alone_in_group = membership.names().size() <= 1 && is_member() && !is_log_kept() && is_all_walked;
}

std::vector<uint64_t> WriterMemory::bulks_in_use(const log::LogState& state) {
  std::vector<uint64_t> bulks;
  for (const auto& watch : live_watches()) {
    const bool is_built = std::any_of(state.bulks.begin(), state.bulks.end(), [&](const log::BulkState& bulk) {
      return bulk.number == watch->own_bulk() && bulk.stage == log::BulkStage::Staged;
    });
    if (!is_built) continue;  // switched in
    bulks.push_back(watch->own_bulk());
    bulks.insert(bulks.end(), watch->bulks().begin(), watch->bulks().end());
  }
  return bulks;
}

log::CellContent statements_of(const model::QuadSource& quads, model::TermId graph, model::TermId subject,
                               std::optional<model::TermId> property) {
  const std::array<model::TermId, 3> prefix = {graph, subject, property.value_or(model::TermId())};
  const auto wanted = model::ColumnSet().with(model::Column::Predicate).with(model::Column::Object);
  const auto scan = quads.scan(model::QuadOrder::Gspo, std::span(prefix).first(property ? 3 : 2), wanted);
  log::CellContent content;
  std::array<model::TermId, 64> properties;
  std::array<model::TermId, 64> objects;
  model::ScanBatch batch;
  batch.columns[static_cast<size_t>(model::Column::Predicate)] = properties.data();
  batch.columns[static_cast<size_t>(model::Column::Object)] = objects.data();
  batch.capacity = objects.size();
  while (const size_t count = scan->next(batch)) {
    for (size_t i = 0; i < count; ++i) content.push_back({properties[i], objects[i]});
  }
  return content;
}

log::CellContent visible_content(const model::QuadSource& quads, const log::Cell& cell, CellRules& rules) {
  const log::Statement statement{cell.property, cell.object};
  switch (cell.kind) {
    case log::CellKind::Quad: break;
    case log::CellKind::Value: return statements_of(quads, cell.graph, cell.subject, cell.property);
    case log::CellKind::Record: {
      log::CellContent content = statements_of(quads, cell.graph, cell.subject);
      std::erase_if(content, [&](const log::Statement& one) { return !rules.is_of(cell, one.property, quads); });
      return content;
    }
  }
  return quads.contains(quad_of(cell, statement)) ? log::CellContent{statement} : log::CellContent{};
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
