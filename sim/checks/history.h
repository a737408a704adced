// Every changeset that any site ever committed, as terms: what the simulation knows and no site does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/quad.h"
#include "log/changeset.h"
#include "reconcile/policy.h"
#include "reconcile/site_store.h"

namespace quadrille::checks {

struct RecordedAssertion {
  model::TermQuad quad;
  bool exists = true;

  friend bool operator==(const RecordedAssertion&, const RecordedAssertion&) = default;
};

struct RecordedCell {
  reconcile::CellName cell;
  reconcile::Content saw;
  reconcile::Content left;
};

struct RecordedChangeset {
  log::ChangesetHeader header;
  int64_t at_us = 0;  // when its origin committed it
  std::vector<RecordedAssertion> quads;
  std::vector<RecordedCell> cells;
};

class History {
 public:
  History() = default;
  History(History&&) = default;
  History& operator=(History&&) = delete;

  // The changeset at `position` of the log of its origin.
  base::Result<void> record(const reconcile::SiteSnapshot& snapshot, uint64_t position, int64_t at_us);
  void add(RecordedChangeset changeset);

  // What the vector covers.
  History up_to(const log::VersionVector& vector) const;

  const RecordedChangeset* find(const log::ChangesetId& id) const;
  const std::map<log::ChangesetId, RecordedChangeset>& changesets() const noexcept { return changesets_; }
  // In the order in which they were committed.
  const std::vector<const RecordedChangeset*>& in_order() const noexcept { return in_order_; }

 private:
  std::map<log::ChangesetId, RecordedChangeset> changesets_;
  std::vector<const RecordedChangeset*> in_order_;
};

}  // namespace quadrille::checks
