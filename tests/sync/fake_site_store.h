// A SiteStore in memory that keeps a log of opaque changesets and no quads: enough to test what sync does with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "log/changeset_codec.h"
#include "tests/support/plain_site_store.h"

namespace quadrille::test {

class FakeSiteStore final : public PlainSiteStore {
 public:
  explicit FakeSiteStore(reconcile::SiteIdentity identity) : identity_(std::move(identity)) {}

  // One local transaction of these chunks.
  log::ChangesetHeader write(std::vector<std::string> chunks);
  // What the next local transaction would be; nothing is written.
  log::ShippedChangeset prepare(std::vector<std::string> chunks) const;

  const reconcile::SiteIdentity& identity() const override { return identity_; }
  log::ChangesetHash assignment_digest() const override { return digest; }
  std::unique_ptr<reconcile::SiteSnapshot> snapshot(size_t /*readers*/) const override;
  base::Result<std::unique_ptr<reconcile::WriteGroup>> begin() override;
  base::Result<bool> compact(uint64_t) override { return false; }
  std::vector<std::string> verify() const override { return {}; }

  // Open, for tests to look at and to spoil.
  log::ChangesetHash digest{};
  std::vector<log::ShippedChangeset> entries;  // the log
  log::VersionVector vector;
  log::VersionVector folded;
  uint64_t first_kept = 1;       // positions before it are let go
  uint64_t repeats = 0;          // changesets handed to apply() that were here
  bool fails_to_commit = false;  // as when the disk is full

 private:
  friend class FakeWriteGroup;
  log::ChangesetHash last_hash(const log::SiteId& origin) const;
  base::Result<void> append(const log::ShippedChangeset& changeset);

  reconcile::SiteIdentity identity_;
  uint32_t ticks_ = 0;
};

log::ChangesetHash hash_of(const log::ShippedChangeset& changeset, const log::ChangesetHash& previous);

}  // namespace quadrille::test
