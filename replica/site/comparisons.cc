#include "replica/site/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sync/set_sketch.h"

namespace quadrille::replica {
namespace {

constexpr int64_t hold_ms = Comparisons::kept_us / 1000;

base::Result<void> hold(LoadWriter& writer, uint64_t holder, int64_t for_ms) {
  return writer.run([&](reconcile::WriteGroup& group) -> base::Result<void> {
    group.hold_folding(holder, for_ms);
    return {};
  });
}

model::Quad with_ids(model::QuadTarget& target, const QuadOfTerms& quad) {
  return {target.intern(quad.subject), target.intern(quad.predicate), target.intern(quad.object),
          quad.graph ? target.intern(*quad.graph) : model::TermId::default_graph()};
}

QuadOfTerms with_terms(const reconcile::QuadsAtCut& quads, const model::Quad& quad) {
  QuadOfTerms terms{quads.get_term(quad.subject), quads.get_term(quad.predicate), quads.get_term(quad.object), {}};
  if (quad.graph != model::TermId::default_graph()) terms.graph = quads.get_term(quad.graph);
  return terms;
}

}  // namespace

uint64_t item_of(const store::Digest& hash) noexcept { return std::max<uint64_t>(1, hash.low); }

template <class Work>
auto Comparison::locked(Work&& work) {
  const std::lock_guard lock(mutex_);
  using Outcome = decltype(work(*quads_));
  return base::catch_storage_error([&]() -> Outcome {
    if (quads_) return work(*quads_);
    return base::Error{base::ErrorKind::InvalidInput, "no cut has been chosen yet; expected ?cut=VERSION first", {}};
  });
}

base::Result<void> Comparison::look(const reconcile::SiteStore& store, const log::VersionVector& cut) {
  const std::lock_guard lock(mutex_);
  if (quads_) return base::Error{base::ErrorKind::InvalidInput, "another cut has been chosen before", {}};
  QUADRILLE_ASSIGN(quads_, store.quads_at(cut));
  return {};
}

base::Result<Comparison::Totals> Comparison::totals() {
  return locked([&](const reconcile::QuadsAtCut& quads) -> base::Result<Totals> {
    Totals totals{{}, quads.kept_totals(), quads.undecided_cells(), {}};
    sync::DifferenceEstimator estimator;
    quads.for_each_quad([&](const model::Quad&, const store::Digest& hash) {
      ++totals.found.quads;
      totals.found.digest.add(hash);
      estimator.add(item_of(hash));
    });
    totals.estimate.assign(estimator.sums().begin(), estimator.sums().end());
    quad_count_ = totals.found.quads;
    return totals;
  });
}

base::Result<std::string> Comparison::sketch(uint64_t first, size_t count) {
  return locked([&](const reconcile::QuadsAtCut& quads) -> base::Result<std::string> {
    sync::SetSketch sketch(first, count);
    quads.for_each_quad([&](const model::Quad&, const store::Digest& hash) { sketch.add(item_of(hash)); });
    return sync::encode_symbols(sketch.symbols(), first, quad_count_);
  });
}

base::Result<std::vector<uint64_t>> Comparison::items(uint64_t part, uint64_t parts) {
  return locked([&](const reconcile::QuadsAtCut& quads) -> base::Result<std::vector<uint64_t>> {
    std::vector<uint64_t> items;
    quads.for_each_quad([&](const model::Quad&, const store::Digest& hash) {
      if (item_of(hash) % parts == part) items.push_back(item_of(hash));
    });
    std::sort(items.begin(), items.end());
    return items;
  });
}

base::Result<void> Comparison::find(std::vector<uint64_t> items, const VisitQuad& visit) {
  std::sort(items.begin(), items.end());
  return locked([&](const reconcile::QuadsAtCut& quads) -> base::Result<void> {
    quads.for_each_quad([&](const model::Quad& quad, const store::Digest& hash) {
      const uint64_t item = item_of(hash);
      if (std::binary_search(items.begin(), items.end(), item)) visit(item, with_terms(quads, quad));
    });
    return {};
  });
}

base::Result<reconcile::RepairReport> Comparison::repair(LoadWriter& writer, const RepairList& list) {
  return locked([&](const reconcile::QuadsAtCut& quads) -> base::Result<reconcile::RepairReport> {
    reconcile::RepairReport report;
    QUADRILLE_TRY(writer.run([&](reconcile::WriteGroup& group) -> base::Result<void> {
      QUADRILLE_ASSIGN(report, group.repair(quads.cut(), [&](model::QuadTarget& target) -> base::Result<void> {
        for (const QuadOfTerms& quad : list.to_insert) target.insert(with_ids(target, quad));
        for (const QuadOfTerms& quad : list.to_erase) target.erase(with_ids(target, quad));
        return {};
      }));
      return {};
    }));
    return report;
  });
}

base::Result<bool> Comparison::correct_totals(LoadWriter& writer) {
  return locked([&](const reconcile::QuadsAtCut& quads) -> base::Result<bool> {
    const store::StatisticsChange lost = quads.lost_from_totals();
    const bool is_sound = lost.all == store::TotalsChange() && lost.by_graph.empty() && lost.by_predicate.empty();
    if (is_sound) return false;
    QUADRILLE_TRY(writer.run([&](reconcile::WriteGroup& group) { return group.correct_totals(lost); }));
    return true;
  });
}

base::Result<std::shared_ptr<Comparison>> Comparisons::open(LoadWriter& writer) {
  std::shared_ptr<Comparison> comparison;
  {
    const std::lock_guard lock(mutex_);
    drop_old();
    if (kept_.size() >= open_max) {
      return base::Error{
          base::ErrorKind::Unavailable, fmt::format("{} comparisons are under way; try again later", open_max), {}};
    }
    const uint64_t holder = random_.next();
    comparison = std::make_shared<Comparison>(fmt::format("{:016x}", random_.next()), holder);
    kept_.push_back({comparison, steady_clock_.now_us()});
  }
  QUADRILLE_TRY(hold(writer, comparison->holder(), hold_ms));
  return comparison;
}

base::Result<std::shared_ptr<Comparison>> Comparisons::find(std::string_view id, LoadWriter& writer) {
  std::shared_ptr<Comparison> comparison;
  {
    const std::lock_guard lock(mutex_);
    drop_old();
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.comparison->id() == id; });
    if (found == kept_.end()) return comparison;
    found->last_asked_us = steady_clock_.now_us();
    comparison = found->comparison;
  }
  QUADRILLE_TRY(hold(writer, comparison->holder(), hold_ms));
  return comparison;
}

void Comparisons::close(std::string_view id, LoadWriter& writer) {
  std::optional<uint64_t> holder;
  {
    const std::lock_guard lock(mutex_);
    for (const Kept& one : kept_) {
      if (one.comparison->id() == id) holder = one.comparison->holder();
    }
    std::erase_if(kept_, [&](const Kept& one) { return one.comparison->id() == id; });
  }
  if (holder) static_cast<void>(hold(writer, *holder, 0));
}

void Comparisons::drop_old() {
  const int64_t now = steady_clock_.now_us();
  std::erase_if(kept_,
                [&](const Kept& one) { return now - one.last_asked_us > kept_us && one.comparison.use_count() == 1; });
}

}  // namespace quadrille::replica
