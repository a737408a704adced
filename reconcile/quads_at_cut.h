// What a site holds as of a cut: a version vector that others reach too, so that all of them can be compared while they
// are written to. DESIGN section 5, "Anti-entropy".
//
// A site that has more than the cut says what it would hold without that: the cells that later changesets touched are
// evaluated anew, by the versions in the window that the cut covers. That needs a window in which they are still: so
// before a cut is agreed on, each site stops folding for a while (WriteGroup::hold_folding), and the cut is what all of
// them have together, or more.
//
// What a policy that reads other cells has not decided yet, and what changes its cells just now because an assignment
// does, is no function of the cut alone: those cells are counted as undecided, and a comparison that finds any says
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/quad_source.h"
#include "engine/store/statistics.h"
#include "log/version_vector.h"

namespace quadrille::reconcile {

struct GraphTotals {
  std::string graph;  // as N-Triples; empty: the default graph
  store::QuadTotals totals;

  friend bool operator==(const GraphTotals&, const GraphTotals&) = default;
};

// Holds a snapshot. Belongs to one thread at a time. Local graphs are left out throughout.
// What reads throws StorageError.
class QuadsAtCut {
 public:
  virtual ~QuadsAtCut() = default;

  virtual const log::VersionVector& cut() const = 0;
  virtual uint64_t undecided_cells() const = 0;

  // By what is kept with each commit; cheap.
  virtual store::QuadTotals kept_totals() const = 0;
  // Ascending by graph. Busy: there are more.
  virtual base::Result<std::vector<GraphTotals>> kept_totals_by_graph(size_t graphs_max) const = 0;
  // How far what is kept differs from what a scan of all quads gives: nothing, where the store is sound.
  virtual store::StatisticsChange lost_from_totals() const = 0;

  // Reads all quads. Ids are those of this object.
  using Visit = std::function<void(const model::Quad& quad, const store::Digest& hash)>;
  virtual void for_each_quad(const Visit& visit) const = 0;
  virtual model::Term get_term(model::TermId id) const = 0;
};

}  // namespace quadrille::reconcile
