// A prepared load as a run of blocks in the store.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/load/prepared_load.h"
#include "engine/load/row_set.h"
#include "engine/store/change_watch.h"
#include "engine/store/run.h"
#include "engine/store/store.h"

namespace quadrille::load {

// What a load has found out when it looked at the store.
struct Comparison {
  LoadCounts counts;
  store::StatisticsChange statistics;         // of the quads in the run
  std::unique_ptr<store::ChangeWatch> watch;  // since it looked
  std::unique_ptr<RowSet> present;            // by GSPO
};

class PreparedRun final : public PreparedLoad {
 public:
  PreparedRun(const store::Store& store, store::RunNumber run, Comparison comparison, std::vector<QuadApart> apart)
      : store_(store), run_(run), comparison_(std::move(comparison)), apart_(std::move(apart)) {}

  const LoadCounts& counts() const override { return comparison_.counts; }
  const std::vector<QuadApart>& quads_apart() const override { return apart_; }
  base::Result<uint64_t> switch_in(store::Transaction& transaction) override;
  base::Result<void> look_again(StoreWriter& writer) override;
  base::Result<void> give_up(StoreWriter& writer) override;

 private:
  bool is_in_run(const store::ReadTransaction& reading, const store::QuadRow& row) const;
  std::vector<model::Quad> touched_with(std::span<const store::QuadChange> changes) const;
  void look_at(std::span<const store::QuadChange> changes);
  void look_at_all();

  const store::Store& store_;
  store::RunNumber run_;
  Comparison comparison_;
  std::vector<QuadApart> apart_;
  // Quads that the load asserts and that may have come or gone since it looked first; each once.
  std::vector<model::Quad> touched_;
};

// How many changes a watch keeps.
inline constexpr size_t watched_changes_max = 1'000'000;

// Removes a run, in short commits.
base::Result<void> drop_run(store::RunNumber run, StoreWriter& writer);

}  // namespace quadrille::load
