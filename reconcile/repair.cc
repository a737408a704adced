#include "reconcile/repair.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reconcile/lmdb_quads_at_cut.h"

namespace quadrille::reconcile {
namespace {

// Gives ids to terms, and remembers what is to be written.
class WantedQuads final : public model::QuadTarget {
 public:
  explicit WantedQuads(store::Transaction& quads) : quads_(quads) {}
  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override {
    return quads_.scan(order, prefix, wanted);
  }
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override {
    return quads_.estimate_count(order, prefix);
  }
  bool contains(const model::Quad& quad) const override { return quads_.contains(quad); }
  std::optional<model::TermId> find_term(const model::Term& term) const override { return quads_.find_term(term); }
  model::Term get_term(model::TermId id) const override { return quads_.get_term(id); }
  model::TermId intern(const model::Term& term) override { return quads_.intern(term); }
  bool insert(const model::Quad& quad) override { return inserted.insert(quad).second; }
  bool erase(const model::Quad& quad) override { return erased.insert(quad).second; }

  std::set<model::Quad> inserted, erased;

 private:
  store::Transaction& quads_;
};

bool is_touched_since(const log::CellHistory& history, const log::SeenVector& cut) {
  for (const log::HistoryComponent& component : history.components) {
    for (const log::WindowVersion& version : component.versions) {
      if (!cut.covers(version.origin, version.seq)) return true;
    }
  }
  return false;
}

}  // namespace

Repair::Repair(Writing& writing, const log::VersionVector& cut)
    : writing_(writing),
      cut_(cut),
      covered_(cut, writing.state),
      log_(writing.log()),
      evaluator_(writing.quads, log_, writing.state, writing.memory.facts, writing.memory.assignments,
                 writing.outcomes()),
      ranges_(writing.quads.tables(), writing.tables.log.bulk, writing.state),
      watches_(writing.memory.live_watches()) {}

log::CellContent Repair::Wanted::applied_to(log::CellContent content) const {
  std::erase_if(
      content, [&](const log::Statement& one) { return std::find(erased.begin(), erased.end(), one) != erased.end(); });
  content.insert(content.end(), inserted.begin(), inserted.end());
  std::sort(content.begin(), content.end());
  content.erase(std::unique(content.begin(), content.end()), content.end());
  return content;
}

base::Result<RepairReport> Repair::run(const std::function<base::Result<void>(model::QuadTarget&)>& work) {
  if (!writing_.state.version_vector().covers(cut_) || !cut_.covers(writing_.state.walked_vector())) {
    return base::Error{base::ErrorKind::Refused, "too much time has passed since the cut: compare again", {}};
  }
  WantedQuads quads(writing_.quads);
  QUADRILLE_TRY(work(quads));
  CellRules& rules = writing_.memory.rules();
  std::map<log::Cell, Wanted> cells;
  const auto cell_of = [&](const model::Quad& quad) -> Wanted& { return cells[rules.cell_of(quad, writing_.quads)]; };
  for (const model::Quad& quad : quads.inserted) cell_of(quad).inserted.push_back({quad.predicate, quad.object});
  for (const model::Quad& quad : quads.erased) cell_of(quad).erased.push_back({quad.predicate, quad.object});
  for (const auto& [cell, wanted] : cells) put_right(cell, wanted);
  return report_;
}

void Repair::put_right(const log::Cell& cell, const Wanted& wanted) {
  if (writing_.is_local_graph(cell.graph) || writing_.memory.assignments.is_in_transition(cell, writing_.quads)) {
    report_.left += wanted.size();
    return;
  }
  const auto row = writing_.quads.tables().get(writing_.tables.log.window, log::cell_key(cell));
  std::optional<log::CellHistory> history;
  if (row) history = log::decode_history(cell, *row);
  if (!row && cell.kind == log::CellKind::Quad) {
    const model::Quad quad = log::quad_of(cell);
    const auto in_ranges = ranges_.find(quad, writing_.quads.contains(quad));
    if (in_ranges) history = log::decode_history(cell, in_ranges->row);
  }
  if (!history) {
    show(cell, wanted.applied_to(visible_content(writing_.quads, cell, writing_.memory.rules())));
  } else if (!put_right_history(cell, wanted, *history, row.has_value())) {
    report_.left += wanted.size();
  }
}

bool Repair::put_right_history(const log::Cell& cell, const Wanted& wanted, log::CellHistory history, bool is_own_row) {
  const CellAtCut at_cut = evaluate_at_cut(evaluator_, cell, history, covered_);
  if (!at_cut.is_decided) return false;
  // What was compared is what the cell shows, or, where something has come since, what its history says.
  const bool is_touched = is_touched_since(history, covered_);
  const log::CellContent expected =
      wanted.applied_to(is_touched ? at_cut.content : visible_content(writing_.quads, cell, writing_.memory.rules()));
  if (at_cut.content != expected) {
    if (!is_own_row) return false;
    history.base = wanted.applied_to(std::move(history.base));
    if (evaluate_at_cut(evaluator_, cell, history, covered_).content != expected) return false;
    writing_.quads.tables().put(writing_.tables.log.window, log::cell_key(cell), log::encode_history(cell, history));
  }
  show(cell, resolve_all(cell, history));
  return true;
}

log::CellContent Repair::resolve_all(const log::Cell& cell, const log::CellHistory& history) {
  log::CellContent content = history.base;
  for (const log::HistoryComponent& component : history.components) {
    content = evaluator_.resolve(cell, content, component).content;
  }
  return content;
}

void Repair::show(const log::Cell& cell, const log::CellContent& content) {
  const log::CellContent visible = visible_content(writing_.quads, cell, writing_.memory.rules());
  const ContentChange change = set_content(writing_.quads, cell, visible, content);
  report_.inserted += change.inserted;
  report_.erased += change.erased;
  if (cell.kind != log::CellKind::Quad) return;
  for (const auto& watch : watches_) watch->add(log::quad_of(cell));
}

}  // namespace quadrille::reconcile
