// What fakes of a site's store that know no large changesets and no loads have in common. In the group nothing happens.
#pragma once

#include "reconcile/quads_at_cut.h"
#include "reconcile/site_store.h"

namespace quadrille::test {

inline base::Error nothing_large() { return {base::ErrorKind::Unsupported, "nothing is large here", {}}; }

class PlainWriteGroup : public reconcile::WriteGroup {
 public:
  base::Result<reconcile::CommitReceipt> update(const std::function<base::Result<void>(model::QuadTarget&)>&) override {
    return reconcile::CommitReceipt{};
  }
  base::Result<reconcile::ApplyReport> apply(std::span<const log::ShippedChangeset>) override {
    return reconcile::ApplyReport{};
  }
  base::Result<reconcile::FoldReport> fold(const reconcile::Frontier&, uint64_t) override {
    return reconcile::FoldReport{};
  }
  base::Result<reconcile::CommitReceipt> assign(const reconcile::Assignment&) override {
    return reconcile::CommitReceipt{};
  }
  base::Result<reconcile::CommitReceipt> add_member(const log::SiteId&, const log::VersionVector&) override {
    return reconcile::CommitReceipt{};
  }
  base::Result<reconcile::CommitReceipt> evict_member(const std::string&) override {
    return reconcile::CommitReceipt{};
  }
  base::Result<reconcile::CommitReceipt> settle_membership() override { return reconcile::CommitReceipt{}; }
  void keep_log_until(int64_t) override {}
  void note_told_evicted(bool) override {}
  void hold_folding(uint64_t, int64_t) override {}
  base::Result<reconcile::RepairReport> repair(const log::VersionVector&,
                                               const std::function<base::Result<void>(model::QuadTarget&)>&) override {
    return nothing_large();
  }
  base::Result<void> correct_totals(const store::StatisticsChange&) override { return nothing_large(); }
  void note_clock(const reconcile::ClockRuling&) override {}
  base::Result<bool> publish_conflicts(size_t) override { return false; }
  log::Stamp tick() override { return {}; }
  log::VersionVector version_vector() const override { return {}; }
  base::Result<void> commit() override { return {}; }
  base::Result<std::optional<reconcile::ApplyReport>> apply_step(reconcile::StagedChangeset&) override {
    return nothing_large();
  }
  base::Result<bool> give_up(reconcile::StagedChangeset&) override { return true; }
  base::Result<reconcile::CommitReceipt> adopt(reconcile::StagedLoad&, load::PreparedLoad&,
                                               std::span<const std::string>) override {
    return nothing_large();
  }
  base::Result<void> write_aside(const std::function<void(store::Transaction&)>&) override { return nothing_large(); }
};

class PlainSiteStore : public reconcile::SiteStore {
 public:
  bool is_large(const log::ChangesetHeader&) const override { return false; }
  reconcile::Membership membership() const override { return {identity().members, {}}; }
  uint64_t membership_changes() const override { return 0; }
  std::map<log::AssignmentNumber, log::ChangesetHash> assignment_digests() const override {
    return {{{}, assignment_digest()}};
  }
  base::Result<void> write_copy(base::TemporaryFile&) const override { return {}; }
  base::Result<std::unique_ptr<reconcile::QuadsAtCut>> quads_at(const log::VersionVector&, size_t) const override {
    return nothing_large();
  }
  std::unique_ptr<reconcile::StagedChangeset> stage(log::ShippedChangeset) override { return nullptr; }
  base::Result<std::unique_ptr<reconcile::StagedLoad>> stage_load(load::StoreWriter&) override {
    return nothing_large();
  }
};

}  // namespace quadrille::test
