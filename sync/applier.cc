#include "sync/applier.h"

#include <algorithm>

namespace quadrille::sync {

// What was handed over in one call of submit.
struct Applier::Submission {
  Done done;
  Outcome outcome;
  size_t parts_left = 0;
};

// A part of it: changesets for one job, or a large one. Written by the writer, then read by the loop.
struct Applier::Work {
  std::shared_ptr<Submission> submission;
  std::vector<log::ShippedChangeset> changesets;
  bool is_large = false;
  std::unique_ptr<reconcile::StagedChangeset> staged;
  std::optional<base::Result<std::optional<reconcile::ApplyReport>>> result;
  uint64_t failures_before = 0;
};

namespace {

// Removes what a large changeset left, step by step.
void give_up(reconcile::WriteQueue& writer, std::shared_ptr<reconcile::StagedChangeset> staged) {
  auto is_done = std::make_shared<bool>(true);
  writer.submit(
      [staged, is_done](reconcile::WriteGroup& group) {
        const auto step = group.give_up(*staged);
        *is_done = !step.ok() || *step;  // where it fails, the next opening does it
      },
      [&writer, staged, is_done](const base::Result<void>& committed) {
        if (committed.ok() && !*is_done) give_up(writer, staged);
      });
}

}  // namespace

Applier::Applier(reconcile::SiteStore& store, reconcile::WriteQueue& writer, log::VersionVector durable,
                 std::function<void(const reconcile::ApplyReport&)> on_applied)
    : store_(store),
      writer_(writer),
      durable_(std::move(durable)),
      expected_(durable_),
      submitted_(durable_),
      on_applied_(std::move(on_applied)),
      self_(std::make_shared<Applier*>(this)) {}

void Applier::on_local_commit(const log::ChangesetHeader& header) {
  for (auto* vector : {&durable_, &expected_, &submitted_}) vector->raise(header.id.origin, header.id.seq);
  start_what_is_ready();
}

void Applier::submit(std::vector<log::ShippedChangeset> changesets, Done done) {
  auto submission = std::make_shared<Submission>();
  submission->done = std::move(done);
  const auto add_part = [&](bool is_large) -> Work& {
    auto work = std::make_shared<Work>();
    work->submission = submission;
    work->is_large = is_large;
    work->failures_before = failures_;
    ++submission->parts_left;
    waiting_.push_back(work);
    return *work;
  };
  Work* small = nullptr;
  for (auto& changeset : changesets) {
    expected_.raise(changeset.header.id.origin, changeset.header.id.seq);
    if (store_.is_large(changeset.header)) {
      add_part(true).changesets.push_back(std::move(changeset));
      small = nullptr;
    } else {
      if (small == nullptr) small = &add_part(false);
      small->changesets.push_back(std::move(changeset));
    }
  }
  start_what_is_ready();
}

bool Applier::is_ready(const Work& work) const {
  if (work.is_large && large_) return false;
  log::VersionVector have = submitted_;
  return std::all_of(work.changesets.begin(), work.changesets.end(), [&](const log::ShippedChangeset& changeset) {
    const bool fits = have.covers(changeset.header.dependencies);
    have.raise(changeset.header.id.origin, changeset.header.id.seq);
    return fits;
  });
}

void Applier::start_what_is_ready() {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    if (!is_ready(**each)) {
      ++each;
      continue;
    }
    const WorkPointer work = *each;
    waiting_.erase(each);
    start(work);
    each = waiting_.begin();  // the others may have become ready, and the list may have changed
  }
}

void Applier::start(const WorkPointer& work) {
  if (!work->is_large) return start_small(work);
  const log::ChangesetId& id = work->changesets.front().header.id;
  if (durable_.covers(id.origin, id.seq)) return start_small(work);  // passed over, if it is the one that is here
  large_ = work;
  work->staged = store_.stage(std::move(work->changesets.front()));
  work->changesets.clear();
  step(work);
}

void Applier::start_small(const WorkPointer& work) {
  for (const auto& changeset : work->changesets) {
    submitted_.raise(changeset.header.id.origin, changeset.header.id.seq);
  }
  writer_.submit(
      [work](reconcile::WriteGroup& group) {
        auto applied = group.apply(work->changesets);
        if (applied.ok()) {
          work->result = std::optional(std::move(applied).value());
        } else {
          work->result = std::move(applied).error();
        }
        work->changesets.clear();
      },
      [alive = std::weak_ptr(self_), work](const base::Result<void>& committed) {
        if (const auto self = alive.lock()) (*self)->finish(*work, committed);
      });
}

void Applier::step(const WorkPointer& work) {
  work->result.reset();
  writer_.submit([work](reconcile::WriteGroup& group) { work->result = group.apply_step(*work->staged); },
                 [alive = std::weak_ptr(self_), work](const base::Result<void>& committed) {
                   if (const auto self = alive.lock()) (*self)->on_step(work, committed);
                 });
}

void Applier::on_step(const WorkPointer& work, const base::Result<void>& committed) {
  const bool is_well = committed.ok() && work->result && work->result->ok();
  if (is_well && !**work->result) return step(work);
  large_ = nullptr;
  if (!is_well) give_up(writer_, std::move(work->staged));
  finish(*work, committed);
}

void Applier::finish(Work& work, const base::Result<void>& committed) {
  Outcome& outcome = work.submission->outcome;
  if (committed.ok() && work.result && work.result->ok()) {
    const reconcile::ApplyReport& report = *work.result->value();
    for (const auto& header : report.applied) {
      for (auto* vector : {&durable_, &expected_, &submitted_}) vector->raise(header.id.origin, header.id.seq);
      outcome.report.applied.push_back(header);
    }
    outcome.report.operations += report.operations;
    outcome.report.cells_in_conflict += report.cells_in_conflict;
    on_applied_(report);
    end_part(work);
    return start_what_is_ready();
  }
  const bool is_first = work.failures_before == failures_;
  const base::Error error = !committed.ok() ? committed.error()
                            : (work.result && !work.result->ok())
                                ? work.result->error()
                                : base::Error{base::ErrorKind::Unavailable, "the writer did not take it", std::nullopt};
  if (!outcome.error) {
    outcome.error = error;
    outcome.is_senders_fault = committed.ok() && is_first && error.kind == base::ErrorKind::InvalidInput;
  }
  ++failures_;
  expected_ = durable_;
  submitted_ = durable_;
  if (large_) expected_.raise(large_->staged->header().id.origin, large_->staged->header().id.seq);
  fail_waiting();
  end_part(work);
}

// They may have counted on what has failed: their senders bring them again.
void Applier::fail_waiting() {
  for (const WorkPointer& work : std::exchange(waiting_, {})) {
    Outcome& outcome = work->submission->outcome;
    if (!outcome.error) {
      outcome.error =
          base::Error{base::ErrorKind::Unavailable, "what came before it could not be applied", std::nullopt};
    }
    end_part(*work);
  }
}

void Applier::end_part(Work& work) {
  if (--work.submission->parts_left == 0) work.submission->done(work.submission->outcome);
}

}  // namespace quadrille::sync
