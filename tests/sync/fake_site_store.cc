#include "tests/sync/fake_site_store.h"

#include "engine/base/check.h"

namespace quadrille::test {

namespace {

class FakeSnapshot final : public reconcile::SiteSnapshot {
 public:
  explicit FakeSnapshot(const FakeSiteStore& store) : store_(store), last_(store.entries.size()) {}

  log::VersionVector version_vector() const override { return store_.vector; }
  log::VersionVector folded_vector() const override { return store_.folded; }
  uint64_t quad_count() const override { return 0; }
  log::ChangesetHash digest() const override { return {}; }
  uint64_t window_cell_count() const override { return 0; }
  uint64_t provisional_outcome_count() const override { return 0; }
  uint64_t log_entry_count() const override { return last_; }
  std::vector<reconcile::ConflictRecord> conflicts() const override { return {}; }
  uint64_t unpublished_conflict_count() const override { return 0; }
  reconcile::NumberedAssignment assignment() const override { return {}; }
  uint64_t last_position() const override { return last_; }
  uint64_t first_missing(const log::VersionVector& vector) const override {
    uint64_t position = store_.first_kept;
    for (; position <= last_; ++position) {
      const auto& id = store_.entries[position - 1].header.id;
      if (!vector.covers(id.origin, id.seq)) break;
    }
    return position;
  }
  base::Result<log::ChangesetHeader> header_at(uint64_t position) const override {
    if (position < store_.first_kept) return base::Error{base::ErrorKind::NotFound, "let go", {}};
    return store_.entries[position - 1].header;
  }
  base::Result<log::ShippedChangeset> changeset_at(uint64_t position) const override {
    return store_.entries[position - 1];
  }
  base::Result<std::string> chunk_at(uint64_t position, uint32_t chunk) const override {
    return store_.entries[position - 1].chunks[chunk];
  }

  std::unique_ptr<model::QuadScan> scan(model::QuadOrder, std::span<const model::TermId>,
                                        model::ColumnSet) const override {
    return nullptr;
  }
  uint64_t estimate_count(model::QuadOrder, std::span<const model::TermId>) const override { return 0; }
  bool contains(const model::Quad&) const override { return false; }
  std::optional<model::TermId> find_term(const model::Term&) const override { return std::nullopt; }
  model::Term get_term(model::TermId) const override { base::fail_check("get_term", "no terms here", __FILE__, 0); }

 private:
  const FakeSiteStore& store_;
  uint64_t last_;
};

}  // namespace

// Applies at once and takes it back if the commit fails.
class FakeWriteGroup final : public PlainWriteGroup {
 public:
  explicit FakeWriteGroup(FakeSiteStore& store) : store_(store), before_(store.entries.size()), vector_(store.vector) {}

  base::Result<reconcile::CommitReceipt> update(const std::function<base::Result<void>(model::QuadTarget&)>&) override {
    return base::Error{base::ErrorKind::Unsupported, "no quads here", {}};
  }
  base::Result<reconcile::ApplyReport> apply(std::span<const log::ShippedChangeset> changesets) override {
    const size_t before = store_.entries.size();
    const auto vector = store_.vector;
    reconcile::ApplyReport report;
    for (const auto& changeset : changesets) {
      if (store_.vector.covers(changeset.header.id.origin, changeset.header.id.seq)) {
        ++store_.repeats;
        continue;
      }
      if (auto appended = store_.append(changeset); !appended.ok()) {
        store_.entries.resize(before);
        store_.vector = vector;
        return appended.error();
      }
      report.applied.push_back(changeset.header);
    }
    return report;
  }
  base::Result<reconcile::FoldReport> fold(const reconcile::Frontier& frontier, uint64_t) override {
    store_.folded.merge(frontier.stable);
    reconcile::FoldReport report;
    report.cells_folded = 1;
    report.folded = frontier.stable;
    return report;
  }
  log::Stamp tick() override { return {1'000, ++store_.ticks_}; }
  log::VersionVector version_vector() const override { return store_.vector; }
  base::Result<void> commit() override {
    if (!store_.fails_to_commit) return {};
    store_.entries.resize(before_);
    store_.vector = vector_;
    return base::Error{base::ErrorKind::ResourceExhausted, "the disk is full", {}};
  }

 private:
  FakeSiteStore& store_;
  size_t before_;
  log::VersionVector vector_;
};

log::ChangesetHash hash_of(const log::ShippedChangeset& changeset, const log::ChangesetHash& previous) {
  log::ChangesetHasher hasher;
  for (const auto& chunk : changeset.chunks) hasher.add_chunk(chunk);
  return hasher.finish(previous, changeset.header);
}

std::unique_ptr<reconcile::SiteSnapshot> FakeSiteStore::snapshot(size_t /*readers*/) const {
  return std::make_unique<FakeSnapshot>(*this);
}

base::Result<std::unique_ptr<reconcile::WriteGroup>> FakeSiteStore::begin() {
  return std::unique_ptr<reconcile::WriteGroup>(std::make_unique<FakeWriteGroup>(*this));
}

log::ChangesetHash FakeSiteStore::last_hash(const log::SiteId& origin) const {
  for (auto each = entries.rbegin(); each != entries.rend(); ++each) {
    if (each->header.id.origin == origin) return each->header.hash;
  }
  return {};
}

base::Result<void> FakeSiteStore::append(const log::ShippedChangeset& changeset) {
  const auto& header = changeset.header;
  const auto bad = [](const char* what) { return base::Error{base::ErrorKind::InvalidInput, what, {}}; };
  if (header.id.seq != vector.at(header.id.origin) + 1) return bad("a gap");
  if (!vector.covers(header.dependencies)) return bad("it depends on what is not here");
  if (changeset.chunks.size() != header.chunk_count) return bad("chunks are missing");
  if (hash_of(changeset, last_hash(header.id.origin)) != header.hash) return bad("it breaks the hash chain");
  entries.push_back(changeset);
  vector.raise(header.id.origin, header.id.seq);
  return {};
}

log::ShippedChangeset FakeSiteStore::prepare(std::vector<std::string> chunks) const {
  log::ShippedChangeset changeset;
  auto& header = changeset.header;
  header.id = {identity_.site, vector.at(identity_.site) + 1};
  header.stamp = {1'000, ticks_ + 1};
  header.dependencies = vector;
  header.operation_count = chunks.size();
  header.chunk_count = static_cast<uint32_t>(chunks.size());
  changeset.chunks = std::move(chunks);
  header.hash = hash_of(changeset, last_hash(identity_.site));
  return changeset;
}

log::ChangesetHeader FakeSiteStore::write(std::vector<std::string> chunks) {
  const auto changeset = prepare(std::move(chunks));
  ++ticks_;
  const auto appended = append(changeset);
  QUADRILLE_CHECK(appended.ok(), "what was prepared fits");
  return changeset.header;
}

}  // namespace quadrille::test
