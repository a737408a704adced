// A WriteGroup on LMDB: one transaction; the first request writes to it, each one after it to a child of it.
#pragma once

#include "reconcile/lmdb_site_store.h"

namespace quadrille::reconcile {

// A request that fails for a reason of its own is rolled back alone. When storage fails (the disk is full, a page is
// damaged) the whole group is lost: what follows in it, and commit(), give the same error.
class LmdbWriteGroup final : public WriteGroup {
 public:
  explicit LmdbWriteGroup(LmdbSiteStore& site);
  ~LmdbWriteGroup() override;

  base::Result<CommitReceipt> update(const std::function<base::Result<void>(model::QuadTarget&)>& work) override;
  base::Result<CommitReceipt> assign(const Assignment& assignment) override;
  base::Result<CommitReceipt> add_member(const log::SiteId& site, const log::VersionVector& has) override;
  base::Result<CommitReceipt> evict_member(const std::string& name) override;
  base::Result<CommitReceipt> settle_membership() override;
  void note_told_evicted(bool is_told) override { site_.memory_.is_told_evicted = is_told; }
  void note_clock(const ClockRuling& ruling) override;
  void keep_log_until(int64_t wall_ms) override;
  void hold_folding(uint64_t holder, int64_t for_ms) override;
  base::Result<RepairReport> repair(const log::VersionVector& cut,
                                    const std::function<base::Result<void>(model::QuadTarget&)>& work) override;
  base::Result<void> correct_totals(const store::StatisticsChange& change) override;
  base::Result<ApplyReport> apply(std::span<const log::ShippedChangeset> changesets) override;
  base::Result<std::optional<ApplyReport>> apply_step(StagedChangeset& changeset) override;
  base::Result<bool> give_up(StagedChangeset& changeset) override;
  base::Result<CommitReceipt> adopt(StagedLoad& staged, load::PreparedLoad& load,
                                    std::span<const std::string> names) override;
  base::Result<void> write_aside(const std::function<void(store::Transaction&)>& work) override;
  base::Result<FoldReport> fold(const Frontier& frontier, uint64_t cell_limit) override;
  base::Result<bool> publish_conflicts(size_t limit) override;
  log::Stamp tick() override;
  log::VersionVector version_vector() const override { return state_.version_vector(); }
  base::Result<void> commit() override;

 private:
  // Runs `step`; what it wrote becomes part of the group if it returns well.
  template <class Value>
  base::Result<Value> run(const std::function<base::Result<Value>(Writing&)>& step);
  template <class Value>
  base::Result<Value> run_alone(const std::function<base::Result<Value>(Writing&)>& step);
  template <class Value>
  base::Result<Value> run_in_child(const std::function<base::Result<Value>(Writing&)>& step);
  base::Result<CommitReceipt> announce(Writing& writing, const MembershipChange& change);
  void end_being_alone();
  void settle_when_alone();
  void forget_what_failed();

  LmdbSiteStore& site_;
  std::unique_ptr<store::Transaction> transaction_;
  log::LogState stored_;  // as it stands in the tables
  log::LogState state_;
  bool has_written_ = false;
  std::optional<base::Error> failed_;
};

}  // namespace quadrille::reconcile
