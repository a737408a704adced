// QuadsAtCut on LMDB.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "log/window_ranges.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/lmdb_site_snapshot.h"
#include "reconcile/quads_at_cut.h"
#include "reconcile/read_only_terms.h"

namespace quadrille::reconcile {

// What a cell's history says as of a cut.
struct CellAtCut {
  log::CellContent content;
  bool is_decided = true;
};
// `history` without the versions that the cut does not cover, resolved.
CellAtCut evaluate_at_cut(CellEvaluator& evaluator, const log::Cell& cell, const log::CellHistory& history,
                          const log::SeenVector& cut);

class LmdbQuadsAtCut final : public QuadsAtCut {
 public:
  // Unavailable: the site does not have all of the cut. Refused: it has folded what is not in the cut, or learned of
  // another assignment since. Busy: too much has come since.
  static base::Result<std::unique_ptr<LmdbQuadsAtCut>> make(std::unique_ptr<LmdbSiteSnapshot> snapshot,
                                                            const SiteTables& tables, const PolicyRegistry& policies,
                                                            model::TermId conflicts_graph,
                                                            const log::VersionVector& cut, size_t cells_max);

  const log::VersionVector& cut() const override { return cut_; }
  uint64_t undecided_cells() const override { return undecided_; }
  store::QuadTotals kept_totals() const override;
  base::Result<std::vector<GraphTotals>> kept_totals_by_graph(size_t graphs_max) const override;
  store::StatisticsChange lost_from_totals() const override;
  void for_each_quad(const Visit& visit) const override;
  model::Term get_term(model::TermId id) const override { return changes_.get_term(id); }

 private:
  // Takes what would have to be written for the cells to be as they were.
  class Changes final : public ReadOnlyTerms {
   public:
    using ReadOnlyTerms::ReadOnlyTerms;
    bool insert(const model::Quad& quad) override { return inserted.insert(quad).second; }
    bool erase(const model::Quad& quad) override { return erased.insert(quad).second; }
    std::set<model::Quad> inserted, erased;
  };

  LmdbQuadsAtCut(std::unique_ptr<LmdbSiteSnapshot> snapshot, const SiteTables& tables, const PolicyRegistry& policies,
                 model::TermId conflicts_graph, const log::VersionVector& cut);
  base::Result<void> look_back(size_t cells_max);
  base::Result<void> gather(log::ChangesetKey changeset, size_t cells_max, std::vector<log::Cell>& cells) const;
  void look_at(const log::Cell& cell);
  std::optional<log::CellHistory> history_of(const log::Cell& cell);
  store::StatisticsChange change() const;
  store::QuadHasher hasher() const { return {changes_, hashes_}; }

  std::unique_ptr<LmdbSiteSnapshot> snapshot_;
  const SiteTables& tables_;
  model::TermId conflicts_graph_;
  log::VersionVector cut_;
  log::SeenVector covered_;
  AssignmentHistory assignments_;
  Changes changes_;
  ChangesetFactsCache facts_;
  CellEvaluator evaluator_;
  log::WindowRanges ranges_;
  mutable store::TermHashCache hashes_;
  uint64_t undecided_ = 0;
};

}  // namespace quadrille::reconcile
