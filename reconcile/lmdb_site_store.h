// The SiteStore on LMDB.
#pragma once

#include "engine/store/store.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class LmdbSiteStore final : public SiteStore {
 public:
  LmdbSiteStore(std::unique_ptr<store::Store> store, SiteIdentity identity, const SiteParts& parts,
                const SiteStoreOptions& options);

  const SiteIdentity& identity() const override { return identity_; }
  Membership membership() const override;
  uint64_t membership_changes() const override { return membership_changes_; }
  log::ChangesetHash assignment_digest() const override;
  std::map<log::AssignmentNumber, log::ChangesetHash> assignment_digests() const override;
  base::Result<void> check_assignments() const;
  std::unique_ptr<SiteSnapshot> snapshot(size_t readers) const override;
  base::Result<std::unique_ptr<QuadsAtCut>> quads_at(const log::VersionVector& cut, size_t cells_max) const override;
  base::Result<std::unique_ptr<WriteGroup>> begin() override;
  base::Result<bool> compact(uint64_t row_limit) override;
  bool is_large(const log::ChangesetHeader& header) const override {
    return header.operation_count >= memory_.large_changeset_min;
  }
  std::unique_ptr<StagedChangeset> stage(log::ShippedChangeset changeset) override;
  base::Result<std::unique_ptr<StagedLoad>> stage_load(load::StoreWriter& writer) override;
  base::Result<void> write_copy(base::TemporaryFile& file) const override;
  std::vector<std::string> verify() const override;

 private:
  friend class LmdbWriteGroup;
  void remove_staged();
  base::Result<bool> sweep(store::Transaction& transaction);
  base::Result<bool> publish(store::Transaction& transaction);
  // After damage was seen nothing is written any more: begin() tells why.
  void note_failure(const base::Error& error);

  std::unique_ptr<store::Store> store_;
  SiteIdentity identity_;
  SiteParts parts_;
  SiteTables tables_;
  WriterMemory memory_;
  bool has_group_ = false;
  std::atomic<uint64_t> membership_changes_ = 0;
  std::optional<base::Error> stopped_;
};

}  // namespace quadrille::reconcile
