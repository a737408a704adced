#include "engine/load/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/load/stored_rows.h"
#include "engine/store/block_table.h"

namespace quadrille::load {
namespace {

using model::QuadOrder;
using store::QuadRow;

// More changes than these are not for the writer's own time.
constexpr size_t changes_at_once = 2'000;
constexpr size_t touched_max = 100'000;

void sort_distinct(std::vector<model::Quad>& quads) {
  std::sort(quads.begin(), quads.end());
  quads.erase(std::unique(quads.begin(), quads.end()), quads.end());
}

}  // namespace

bool PreparedRun::is_in_run(const store::ReadTransaction& reading, const QuadRow& row) const {
  return store::blocks_contain(reading, store_.format().quads.blocks_of(QuadOrder::Gspo), QuadOrder::Gspo, run_, row);
}

std::vector<model::Quad> PreparedRun::touched_with(std::span<const store::QuadChange> changes) const {
  std::vector<model::Quad> touched = touched_;
  for (const store::QuadChange& change : changes) touched.push_back(change.quad);
  sort_distinct(touched);
  return touched;
}

base::Result<uint64_t> PreparedRun::switch_in(store::Transaction& transaction) {
  // Also what other requests of the same group have written, of which the watch does not know yet.
  store::ChangeList changes(changes_at_once);
  transaction.add_changes_to(changes);
  for (const store::QuadChange& change : comparison_.watch->changes()) changes.add(change.quad, change.came);
  if (comparison_.watch->has_too_many() || changes.has_too_many()) {
    return base::Error{base::ErrorKind::Busy, "much was written while the load was built; it has to look again", {}};
  }
  uint64_t added = comparison_.counts.absent;
  for (const model::Quad& quad : touched_with(changes.changes())) {
    const QuadRow row = store::to_row(QuadOrder::Gspo, quad);
    const bool exists = transaction.contains(quad);
    if (is_in_run(transaction.tables(), row)) {
      // It came meanwhile: the run brings it, and nothing else may have it.
      if (exists && transaction.erase(quad)) --added;
    } else if (!exists && comparison_.present->contains(row)) {
      transaction.insert(quad);
      ++added;
    }
  }
  transaction.activate_run(run_, comparison_.statistics);
  return added;
}

base::Result<void> PreparedRun::look_again(StoreWriter& writer) {
  bool has_too_many = false;
  std::vector<store::QuadChange> changes;
  QUADRILLE_TRY(writer.write([&](store::Transaction&) {
    // Nobody commits between the two watches.
    auto next = store_.watch_changes(watched_changes_max);
    has_too_many = comparison_.watch->has_too_many();
    changes.assign(comparison_.watch->changes().begin(), comparison_.watch->changes().end());
    comparison_.watch = std::move(next);
  }));
  return base::catch_storage_error([&]() -> base::Result<void> {
    has_too_many ? look_at_all() : look_at(changes);
    sort_distinct(touched_);
    if (touched_.size() <= touched_max) return {};
    return base::Error{
        base::ErrorKind::Busy,
        fmt::format("more than {} of the load's quads came or went while it was built; load again", touched_max),
        {}};
  });
}

void PreparedRun::look_at(std::span<const store::QuadChange> changes) {
  const auto snapshot = store_.snapshot();
  for (const store::QuadChange& change : changes) {
    const QuadRow row = store::to_row(QuadOrder::Gspo, change.quad);
    if (is_in_run(snapshot->tables(), row) || comparison_.present->contains(row)) touched_.push_back(change.quad);
  }
}

// Stops where it is too much.
void PreparedRun::look_at_all() {
  const auto snapshot = store_.snapshot();
  const auto& table = store_.format().quads.blocks_of(QuadOrder::Gspo);
  touched_.clear();
  StoredRows stored(*snapshot);
  store::BlockRows run(snapshot->tables(), table, QuadOrder::Gspo, run_, {});
  for (run.seek({}); run.at_row() && touched_.size() <= touched_max; run.advance(1)) {
    const QuadRow row = run.block().row(run.row());
    if (stored.contains(row)) touched_.push_back(store::to_quad(QuadOrder::Gspo, row));
  }
  StoredRows stored_again(*snapshot);
  const auto present = comparison_.present->rows();
  for (auto rows = present->next(); !rows.empty() && touched_.size() <= touched_max; rows = present->next()) {
    for (const QuadRow& row : rows) {
      if (!stored_again.contains(row)) touched_.push_back(store::to_quad(QuadOrder::Gspo, row));
    }
  }
}

base::Result<void> PreparedRun::give_up(StoreWriter& writer) { return drop_run(run_, writer); }

base::Result<void> drop_run(store::RunNumber run, StoreWriter& writer) {
  constexpr uint64_t rows_of_a_commit = 200'000;
  bool is_gone = false;
  while (!is_gone) {
    QUADRILLE_TRY(
        writer.write([&](store::Transaction& transaction) { is_gone = transaction.drop_run(run, rows_of_a_commit); }));
  }
  return {};
}

}  // namespace quadrille::load
