// A StagedLoad on LMDB.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "log/changeset_codec.h"
#include "reconcile/assignment_history.h"
#include "reconcile/staged_bulk.h"

namespace quadrille::reconcile {

// Which quads are quad cells, not in transition, that no policy checks, and of no local graph: those that a load may
// build aside. For any thread.
class BulkQuads {
 public:
  BulkQuads(const store::Store& store, const SiteTables& tables, const PolicyRegistry& policies,
            model::TermId conflicts_graph);
  bool has(const model::Quad& quad) const;
  // Whether these are all among the assignments that it goes by. Not while another thread asks has().
  bool goes_by_all_of(const AssignmentHistory& assignments) const { return assignments_.has_all_of(assignments); }

 private:
  bool is_bulk(model::TermId graph, model::TermId property) const;

  const store::Store& store_;
  model::TermId conflicts_graph_;
  mutable std::shared_mutex mutex_;  // of what follows
  mutable AssignmentHistory assignments_;
  mutable std::map<std::pair<model::TermId, model::TermId>, bool> known_;  // by graph and property
  bool is_simple_ = false;                                                 // all quads are alike
};

class LmdbStagedLoad final : public StagedLoad, private load::AssertedQuads {
 public:
  LmdbStagedLoad(const store::Store& store, const SiteTables& tables, WriterMemory& memory,
                 const PolicyRegistry& policies);

  const store::Store& quads() const override { return store_; }
  load::AssertedQuads* asserted() override { return was_alone_ ? nullptr : this; }
  bool is_bulk(const model::Quad& quad) const override { return bulk_quads_.has(quad); }
  base::Result<void> finish(load::StoreWriter& writer) override;

  // For the site. Null bulk: it was alone when the load began.
  base::Result<void> begin(load::StoreWriter& writer);
  bool was_alone() const noexcept { return was_alone_; }
  StagedBulk* bulk() noexcept { return was_alone_ ? nullptr : &bulk_; }
  const log::ChangesetHasher& hasher() const noexcept { return hasher_; }
  uint32_t chunk_count() const noexcept { return chunk_count_; }
  const BulkQuads& bulk_quads() const noexcept { return bulk_quads_; }

 private:
  struct Reference {
    log::RangeSet set;
    model::Quad first;
    size_t count;
  };
  void append(store::Transaction& transaction, Was was, std::span<const store::EncodedBlock> blocks) override;
  base::Result<void> log_set(load::StoreWriter& writer, log::RangeSet set);

  const store::Store& store_;
  const SiteTables& tables_;
  WriterMemory& memory_;
  BulkQuads bulk_quads_;
  StagedBulk bulk_;
  bool was_alone_ = false;
  log::ChangesetHasher hasher_;
  uint32_t chunk_count_ = 0;
};

}  // namespace quadrille::reconcile
