#include "sync/applier.h"

namespace quadrille::sync {

// Written by the writer, then read by the loop.
struct Applier::Work {
  std::vector<log::ShippedChangeset> changesets;
  std::optional<base::Result<reconcile::ApplyReport>> result;
  uint64_t failures_before = 0;
};

Applier::Applier(reconcile::WriteQueue& writer, log::VersionVector durable,
                 std::function<void(const reconcile::ApplyReport&)> on_applied)
    : writer_(writer),
      durable_(std::move(durable)),
      expected_(durable_),
      on_applied_(std::move(on_applied)),
      self_(std::make_shared<Applier*>(this)) {}

void Applier::on_local_commit(const log::ChangesetHeader& header) {
  durable_.raise(header.id.origin, header.id.seq);
  expected_.raise(header.id.origin, header.id.seq);
}

void Applier::submit(std::vector<log::ShippedChangeset> changesets, Done done) {
  for (const auto& changeset : changesets) expected_.raise(changeset.header.id.origin, changeset.header.id.seq);
  auto work = std::make_shared<Work>();
  work->changesets = std::move(changesets);
  work->failures_before = failures_;
  writer_.submit(
      [work](reconcile::WriteGroup& group) {
        work->result = group.apply(work->changesets);
        work->changesets.clear();
      },
      [alive = std::weak_ptr(self_), work, done = std::move(done)](const base::Result<void>& committed) {
        if (const auto self = alive.lock()) (*self)->finish(*work, committed, done);
      });
}

void Applier::finish(const Work& work, const base::Result<void>& committed, const Done& done) {
  Outcome outcome;
  if (committed.ok() && work.result && work.result->ok()) {
    outcome.report = std::move(*work.result).value();
    for (const auto& header : outcome.report.applied) {
      durable_.raise(header.id.origin, header.id.seq);
      expected_.raise(header.id.origin, header.id.seq);
    }
    on_applied_(outcome.report);
  } else {
    const bool is_first = work.failures_before == failures_;
    ++failures_;
    expected_ = durable_;
    outcome.error = !committed.ok() ? committed.error()
                    : (work.result && !work.result->ok())
                        ? work.result->error()
                        : base::Error{base::ErrorKind::Unavailable, "the writer did not take it", std::nullopt};
    outcome.is_senders_fault = committed.ok() && is_first && outcome.error->kind == base::ErrorKind::InvalidInput;
  }
  done(outcome);
}

}  // namespace quadrille::sync
