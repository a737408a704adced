// Looks at a site's quads as of a cut that it shares with other sites, for who compares them (quadrille verify): DESIGN
// section 5, "Anti-entropy". Opened, the site stops folding; then, once the cut is agreed on and is here, it is looked
// at. Gone a while after it was last asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/model/term.h"
#include "reconcile/quads_at_cut.h"
#include "reconcile/site_store.h"
#include "replica/site/bulk_load.h"

namespace quadrille::replica {

// A quad by its hash, as sketches know it (sync/set_sketch.h).
uint64_t item_of(const store::Digest& hash) noexcept;

struct QuadOfTerms {
  model::Term subject, predicate, object;
  std::optional<model::Term> graph;  // none: the default graph
};

struct RepairList {
  std::vector<QuadOfTerms> to_insert, to_erase;
};

// Callable from any thread but the loop's; several calls at once take turns.
class Comparison {
 public:
  Comparison(std::string id, uint64_t holder) : id_(std::move(id)), holder_(holder) {}
  const std::string& id() const noexcept { return id_; }
  uint64_t holder() const noexcept { return holder_; }

  // Once. Errors as SiteStore::quads_at.
  base::Result<void> look(const reconcile::SiteStore& store, const log::VersionVector& cut);
  // What follows: after look(). Each reads all quads.
  struct Totals {
    store::QuadTotals found, kept;
    uint64_t undecided_cells = 0;
    std::vector<uint8_t> estimate;  // DifferenceEstimator's sums
  };
  base::Result<Totals> totals();
  base::Result<std::string> sketch(uint64_t first, size_t count);  // sync::encode_symbols
  // Those of one of so many parts, ascending.
  base::Result<std::vector<uint64_t>> items(uint64_t part, uint64_t parts);
  using VisitQuad = std::function<void(uint64_t item, const QuadOfTerms& quad)>;
  base::Result<void> find(std::vector<uint64_t> items, const VisitQuad& visit);
  // Makes the site's quads differ no more from the cut by these.
  base::Result<reconcile::RepairReport> repair(LoadWriter& writer, const RepairList& list);
  // Where a damaged file made them wrong: the numbers that are kept of the quads.
  base::Result<bool> correct_totals(LoadWriter& writer);

 private:
  template <class Work>
  auto locked(Work&& work);
  std::string id_;
  uint64_t holder_;
  std::mutex mutex_;
  std::unique_ptr<reconcile::QuadsAtCut> quads_;
  uint64_t quad_count_ = 0;
};

class Comparisons {
 public:
  static constexpr size_t open_max = 4;
  static constexpr int64_t kept_us = int64_t{5} * 60 * 1'000'000;  // after it was last asked for

  Comparisons(const reconcile::SiteStore& store, const base::SteadyClock& steady_clock, base::RandomSource& random)
      : store_(store), steady_clock_(steady_clock), random_(random) {}

  // From any thread but the loop's. Unavailable: too many are open.
  base::Result<std::shared_ptr<Comparison>> open(LoadWriter& writer);
  // Keeps it, and its hold on folding. Null: there is none, or no longer.
  base::Result<std::shared_ptr<Comparison>> find(std::string_view id, LoadWriter& writer);
  void close(std::string_view id, LoadWriter& writer);

 private:
  struct Kept {
    std::shared_ptr<Comparison> comparison;
    int64_t last_asked_us = 0;
  };
  void drop_old();

  const reconcile::SiteStore& store_;
  const base::SteadyClock& steady_clock_;
  base::RandomSource& random_;
  std::mutex mutex_;  // of what follows
  std::deque<Kept> kept_;
};

}  // namespace quadrille::replica
