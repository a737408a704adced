#include "sim/checks/final_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include "sim/checks/story.h"

namespace quadrille::checks {
namespace {

constexpr std::string_view local_graphs = "urn:quadrille:";

// The first quad that one has and the other does not.
std::optional<model::TermQuad> first_difference(const std::vector<model::TermQuad>& one,
                                                const std::vector<model::TermQuad>& other) {
  std::vector<model::TermQuad> differing;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(differing));
  if (differing.empty()) return std::nullopt;
  return differing.front();
}

bool contains(const std::vector<model::TermQuad>& sorted, const model::TermQuad& quad) {
  return std::binary_search(sorted.begin(), sorted.end(), quad);
}

std::string line_of(const reconcile::ConflictRecord& record) {
  std::string candidates;
  for (const auto& each : record.candidates) candidates += fmt::format(" {}", text_of(each.id));
  return fmt::format("{} {} at {}: {} by {}, of{}{}", model::to_ntriples(record.cell.subject),
                     model::to_ntriples(record.cell.property), log::to_string(record.time), text_of(record.chosen),
                     record.policy, candidates, record.is_provisional ? ", provisional" : "");
}

std::vector<std::string> texts_of(const std::vector<reconcile::ConflictRecord>& records) {
  std::vector<std::string> texts;
  for (const auto& record : records) texts.push_back(line_of(record));
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace

std::vector<model::TermQuad> dump(const reconcile::SiteSnapshot& snapshot) {
  constexpr size_t batch_rows = 1024;
  std::array<std::vector<model::TermId>, 4> columns;
  model::ScanBatch batch;
  batch.capacity = batch_rows;
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].resize(batch_rows);
    batch.columns[i] = columns[i].data();
  }
  const auto column = [&](model::Column which) -> const auto& { return columns[static_cast<size_t>(which)]; };
  std::vector<model::TermQuad> quads;
  const auto scan = snapshot.scan(model::QuadOrder::Spog, {}, model::ColumnSet::all());
  while (const size_t rows = scan->next(batch)) {
    for (size_t i = 0; i < rows; ++i) {
      std::optional<model::Term> graph;
      const auto graph_id = column(model::Column::Graph)[i];
      if (graph_id != model::TermId::default_graph()) graph = snapshot.get_term(graph_id);
      if (graph && graph->text().starts_with(local_graphs)) continue;
      quads.push_back({snapshot.get_term(column(model::Column::Subject)[i]),
                       snapshot.get_term(column(model::Column::Predicate)[i]),
                       snapshot.get_term(column(model::Column::Object)[i]), std::move(graph)});
    }
  }
  std::sort(quads.begin(), quads.end());
  return quads;
}

void check_convergence(const std::vector<SiteView>& sites, const Oracle& oracle, Violations& violations) {
  const auto expected = oracle.quads();
  std::set<log::ChangesetHash> digests;
  for (const auto& site : sites) {
    const auto snapshot = site.store->snapshot();
    digests.insert(snapshot->digest());
    const auto found = dump(*snapshot);
    if (snapshot->quad_count() != found.size()) {
      violations.push_back({"convergence", fmt::format("  {} counts {} quads, and has {}", site.name,
                                                       snapshot->quad_count(), found.size())});
    }
    const auto difference = first_difference(found, expected);
    if (!difference) continue;
    violations.push_back(
        {"convergence",
         fmt::format("  {} {} {}, where the histories of all sites say that it {}\n{}", site.name,
                     contains(found, *difference) ? "has" : "has not", text_of(*difference),
                     contains(expected, *difference) ? "exists" : "does not exist", story_of(*difference, oracle))});
  }
  if (digests.size() > 1) violations.push_back({"convergence", "  the digests of the sites differ"});
}

void check_nothing_lost(const std::vector<SiteView>& sites, const History& history,
                        const std::vector<Acknowledged>& acknowledged,
                        const std::function<bool(const log::SiteId&)>& may_be_gone, Violations& violations) {
  for (const auto& each : acknowledged) {
    const auto* recorded = history.find(each.id);
    if (!recorded) {
      violations.push_back(
          {"nothing lost", fmt::format("  {} was acknowledged and is in no log: {}", text_of(each.id), each.request)});
      return;
    }
    for (const auto& assertion : each.assertions) {
      if (std::find(recorded->quads.begin(), recorded->quads.end(), assertion) != recorded->quads.end()) continue;
      violations.push_back(
          {"nothing lost", fmt::format("  {} did not log that {} {}: {}", text_of(each.id), text_of(assertion.quad),
                                       assertion.exists ? "exists" : "does not exist", each.request)});
      return;
    }
  }
  for (const auto& site : sites) {
    const auto vector = site.store->snapshot()->version_vector();
    for (const auto* changeset : history.in_order()) {
      const auto& id = changeset->header.id;
      if (vector.covers(id.origin, id.seq) || may_be_gone(id.origin)) continue;
      violations.push_back(
          {"nothing lost", fmt::format("  {} lacks {}, committed at {:.3f} s; it has {}", site.name, text_of(id),
                                       static_cast<double>(changeset->at_us) / 1e6, log::to_string(vector))});
      break;
    }
  }
}

void check_settled(const std::vector<SiteView>& sites, Violations& violations) {
  for (const auto& site : sites) {
    const auto snapshot = site.store->snapshot();
    if (snapshot->window_cell_count() > 0) {
      violations.push_back({"windows empty", fmt::format("  {} still keeps the history of {} cells", site.name,
                                                         snapshot->window_cell_count())});
    }
  }
}

void check_conflict_records(const std::vector<SiteView>& sites, const Oracle& oracle, Violations& violations) {
  const auto expected = texts_of(oracle.conflicts());
  std::optional<std::vector<std::string>> first_ids;
  for (const auto& site : sites) {
    const auto records = site.store->snapshot()->conflicts();
    std::vector<std::string> ids;
    for (const auto& record : records) ids.push_back(record.id);
    if (!first_ids) first_ids = ids;
    if (ids != *first_ids) {
      violations.push_back({"conflict records", fmt::format("  {} has other ids of conflict records than {}", site.name,
                                                            sites.front().name)});
    }
    const auto found = texts_of(records);
    std::vector<std::string> differing;
    std::set_symmetric_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                                  std::back_inserter(differing));
    if (differing.empty()) continue;
    const bool has = std::binary_search(found.begin(), found.end(), differing.front());
    violations.push_back(
        {"conflict records", fmt::format("  {} {} a record ({} recorded, {} expected): {}", site.name,
                                         has ? "has" : "lacks", found.size(), expected.size(), differing.front())});
  }
}

void check_stores(const std::vector<SiteView>& sites, Violations& violations) {
  for (const auto& site : sites) {
    for (const auto& finding : site.store->verify()) {
      violations.push_back({"store", fmt::format("  {}: {}", site.name, finding)});
    }
  }
}

}  // namespace quadrille::checks
