#include "reconcile/lmdb_quads_at_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/model/each_quad.h"
#include "reconcile/assignment_table.h"

namespace quadrille::reconcile {
namespace {

base::Error refuse(base::ErrorKind kind, std::string why) { return {kind, std::move(why), {}}; }

base::Result<void> check_cut(const LmdbSiteSnapshot& snapshot, const log::VersionVector& cut) {
  if (!snapshot.version_vector().covers(cut)) {
    return refuse(base::ErrorKind::Unavailable, "the site does not have all changesets of the cut");
  }
  if (!cut.covers(snapshot.folded_vector())) {
    return refuse(base::ErrorKind::Refused, "the site has folded changesets that are not in the cut");
  }
  return {};
}

}  // namespace

CellAtCut evaluate_at_cut(CellEvaluator& evaluator, const log::Cell& cell, const log::CellHistory& history,
                          const log::SeenVector& cut) {
  std::vector<log::WindowVersion> versions;
  std::vector<std::pair<size_t, size_t>> whole;  // from where to where in `versions` whole components stand
  for (const log::HistoryComponent& component : history.components) {
    const size_t begin = versions.size();
    for (const log::WindowVersion& version : component.versions) {
      if (cut.covers(version.origin, version.seq)) versions.push_back(version);
    }
    if (versions.size() - begin == component.versions.size()) whole.emplace_back(begin, versions.size());
  }
  CellAtCut at_cut{history.base, true};
  if (versions.empty()) return at_cut;
  // Without the later ones they may be connected no more.
  for (const Component& places : find_components(evaluator.places_of(versions))) {
    log::HistoryComponent component;
    for (const size_t place : places) component.versions.push_back(versions[place]);
    const auto [first, last] = std::minmax_element(places.begin(), places.end());
    const bool is_whole = std::find(whole.begin(), whole.end(), std::pair(*first, *last + 1)) != whole.end() &&
                          *last - *first + 1 == places.size();
    evaluator.sort(component);
    // What a policy that reads other cells has decided is known of whole components only.
    if (!is_whole && evaluator.reads_context(cell, component)) at_cut.is_decided = false;
    ResolvedComponent resolved = evaluator.resolve(cell, at_cut.content, component);
    at_cut.is_decided = at_cut.is_decided && !resolved.awaits_context;
    at_cut.content = std::move(resolved.content);
  }
  return at_cut;
}

base::Result<std::unique_ptr<LmdbQuadsAtCut>> LmdbQuadsAtCut::make(std::unique_ptr<LmdbSiteSnapshot> snapshot,
                                                                   const SiteTables& tables,
                                                                   const PolicyRegistry& policies,
                                                                   model::TermId conflicts_graph,
                                                                   const log::VersionVector& cut, size_t cells_max) {
  return base::catch_storage_error([&]() -> base::Result<std::unique_ptr<LmdbQuadsAtCut>> {
    QUADRILLE_TRY(check_cut(*snapshot, cut));
    std::unique_ptr<LmdbQuadsAtCut> quads(
        new LmdbQuadsAtCut(std::move(snapshot), tables, policies, conflicts_graph, cut));
    QUADRILLE_TRY(quads->look_back(cells_max));
    return quads;
  });
}

LmdbQuadsAtCut::LmdbQuadsAtCut(std::unique_ptr<LmdbSiteSnapshot> snapshot, const SiteTables& tables,
                               const PolicyRegistry& policies, model::TermId conflicts_graph,
                               const log::VersionVector& cut)
    : snapshot_(std::move(snapshot)),
      tables_(tables),
      conflicts_graph_(conflicts_graph),
      cut_(cut),
      covered_(cut, snapshot_->state()),
      assignments_(policies),
      changes_(snapshot_->quads()),
      evaluator_(changes_, snapshot_->log(), snapshot_->state(), facts_, assignments_,
                 {snapshot_->quads().tables(), tables.context}),
      ranges_(snapshot_->quads().tables(), tables.log.bulk, snapshot_->state()) {
  read_assignments(snapshot_->quads().tables(), tables.assignments, assignments_);
}

base::Result<void> LmdbQuadsAtCut::look_back(size_t cells_max) {
  std::vector<log::Cell> cells;
  const auto& origins = snapshot_->state().origins;
  for (size_t origin = 0; origin < origins.size(); ++origin) {
    const auto number = static_cast<log::OriginNumber>(origin);
    for (uint64_t seq = covered_.at(number) + 1; seq <= origins[origin].seq; ++seq) {
      QUADRILLE_TRY(gather({number, seq}, cells_max, cells));
    }
  }
  std::sort(cells.begin(), cells.end());  // ranges are asked in this order
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  for (const log::Cell& cell : cells) look_at(cell);
  // Others that wait are decided elsewhere, perhaps, and folded.
  if (assignments_.reads_context()) undecided_ += snapshot_->provisional_outcome_count();
  return {};
}

base::Result<void> LmdbQuadsAtCut::gather(log::ChangesetKey changeset, size_t cells_max,
                                          std::vector<log::Cell>& cells) const {
  const auto header = snapshot_->log().find_header(changeset);
  if (!header) {
    return refuse(base::ErrorKind::Refused, "the site's log no longer keeps what came after the cut");
  }
  for (uint32_t chunk = 0; chunk < header->chunk_count; ++chunk) {
    const auto operations = snapshot_->log().find_operations(changeset, chunk);
    if (!operations) return refuse(base::ErrorKind::Refused, "the site's log no longer keeps what came after the cut");
    if (!operations->announcements.empty()) {
      return refuse(base::ErrorKind::Refused, "policies or members have changed since the cut");
    }
    for (const log::QuadOperation& operation : operations->quads) cells.push_back(log::quad_cell(operation.quad));
    for (const log::CellOperation& operation : operations->cells) cells.push_back(operation.cell);
    if (cells.size() > cells_max) {
      return refuse(base::ErrorKind::Busy, "too much has been written since the cut");
    }
  }
  return {};
}

std::optional<log::CellHistory> LmdbQuadsAtCut::history_of(const log::Cell& cell) {
  const store::Snapshot& quads = snapshot_->quads();
  if (const auto row = quads.tables().get(tables_.log.window, log::cell_key(cell))) {
    return log::decode_history(cell, *row);
  }
  if (cell.kind != log::CellKind::Quad) return std::nullopt;
  const model::Quad quad = log::quad_of(cell);
  const auto history = ranges_.find(quad, quads.contains(quad));
  return history ? std::optional(log::decode_history(cell, history->row)) : std::nullopt;
}

void LmdbQuadsAtCut::look_at(const log::Cell& cell) {
  if (assignments_.is_in_transition(cell, snapshot_->quads())) {
    ++undecided_;
    return;
  }
  const auto history = history_of(cell);
  if (!history) return;  // an operation that left the cell as it was
  const CellAtCut at_cut = evaluate_at_cut(evaluator_, cell, *history, covered_);
  if (!at_cut.is_decided) ++undecided_;
  const log::CellContent visible = visible_content(snapshot_->quads(), cell, assignments_.in_force().rules);
  set_content(changes_, cell, visible, at_cut.content);
}

store::StatisticsChange LmdbQuadsAtCut::change() const {
  store::StatisticsChange change;
  store::QuadHasher hashes = hasher();
  for (const model::Quad& quad : changes_.inserted) change.add(quad, 1, hashes.hash(quad));
  for (const model::Quad& quad : changes_.erased) change.add(quad, -1, hashes.hash(quad));
  return change;
}

store::QuadTotals LmdbQuadsAtCut::kept_totals() const {
  const store::QuadTotals local = snapshot_->quads().totals_of_graph(conflicts_graph_);
  store::QuadTotals totals = snapshot_->quads().totals();
  totals.quads -= local.quads;
  totals.digest.subtract(local.digest);
  const store::TotalsChange since = change().all;
  totals.quads += static_cast<uint64_t>(since.quads);
  totals.digest.add(since.digest);
  return totals;
}

base::Result<std::vector<GraphTotals>> LmdbQuadsAtCut::kept_totals_by_graph(size_t graphs_max) const {
  if (snapshot_->quads().statistics_rows() > graphs_max) {
    return refuse(base::ErrorKind::Busy, "there are too many graphs");
  }
  auto by_graph = snapshot_->quads().totals_by_graph();
  by_graph.erase(conflicts_graph_);
  for (const auto& [graph, since] : change().by_graph) {
    by_graph[graph].quads += static_cast<uint64_t>(since.quads);
    by_graph[graph].digest.add(since.digest);
  }
  std::vector<GraphTotals> graphs;
  for (const auto& [graph, totals] : by_graph) {
    if (totals == store::QuadTotals()) continue;
    const bool is_default = graph == model::TermId::default_graph();
    graphs.push_back({is_default ? std::string() : to_ntriples(get_term(graph)), totals});
  }
  std::sort(graphs.begin(), graphs.end(), [](const auto& a, const auto& b) { return a.graph < b.graph; });
  return graphs;
}

store::StatisticsChange LmdbQuadsAtCut::lost_from_totals() const {
  store::StatisticsChange lost;
  store::QuadHasher hashes = hasher();
  model::for_each_quad(snapshot_->quads(), model::QuadOrder::Gspo,
                       [&](const model::Quad& quad) { lost.add(quad, 1, hashes.hash(quad)); });
  const auto take = [](store::TotalsChange& from, const store::QuadTotals& totals) {
    from.quads -= static_cast<int64_t>(totals.quads);
    from.digest.subtract(totals.digest);
  };
  take(lost.all, snapshot_->quads().totals());
  for (const auto& [graph, totals] : snapshot_->quads().totals_by_graph()) take(lost.by_graph[graph], totals);
  for (const auto& [predicate, count] : snapshot_->quads().counts_by_predicate()) {
    lost.by_predicate[predicate] -= static_cast<int64_t>(count);
  }
  std::erase_if(lost.by_graph, [](const auto& entry) { return entry.second == store::TotalsChange(); });
  std::erase_if(lost.by_predicate, [](const auto& entry) { return entry.second == 0; });
  return lost;
}

void LmdbQuadsAtCut::for_each_quad(const Visit& visit) const {
  store::QuadHasher hashes = hasher();
  model::for_each_quad(snapshot_->quads(), model::QuadOrder::Gspo, [&](const model::Quad& quad) {
    if (quad.graph == conflicts_graph_ || changes_.erased.contains(quad)) return;
    visit(quad, hashes.hash(quad));
  });
  for (const model::Quad& quad : changes_.inserted) visit(quad, hashes.hash(quad));
}

}  // namespace quadrille::reconcile
