#include "reconcile/lmdb_write_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reconcile/assignment_table.h"
#include "reconcile/assignments_in.h"
#include "reconcile/conflict_publisher.h"
#include "reconcile/folding.h"
#include "reconcile/load_adoption.h"
#include "reconcile/local_transaction.h"
#include "reconcile/membership_changes.h"
#include "reconcile/remote_changesets.h"
#include "reconcile/repair.h"
#include "reconcile/staged_changeset.h"
#include "reconcile/staged_load.h"

namespace quadrille::reconcile {
namespace {

// How far ahead heartbeats reserve stamps: a commit for each would be too many.
constexpr int64_t reserved_ms = 10'000;
constexpr uint32_t reserved_counts = 4096;

// Conflict records that a group shows in their graph itself.
constexpr size_t published_at_once = 16;

}  // namespace

LmdbWriteGroup::LmdbWriteGroup(LmdbSiteStore& site)
    : site_(site),
      transaction_(site.store_->begin()),
      stored_(log::read_log_state(transaction_->tables(), site.tables_.log.state)),
      state_(stored_) {
  site_.has_group_ = true;
  site_.memory_.note_whether_alone(state_);
}

LmdbWriteGroup::~LmdbWriteGroup() {
  const bool is_undone = transaction_ != nullptr;
  transaction_.reset();
  if (is_undone) forget_what_failed();
  site_.has_group_ = false;
}

template <class Value>
base::Result<Value> LmdbWriteGroup::run(const std::function<base::Result<Value>(Writing&)>& step) {
  if (failed_) return *failed_;
  const log::LogState before = state_;
  try {
    base::Result<Value> result = has_written_ ? run_in_child(step) : run_alone(step);
    if (!result.ok()) {
      state_ = before;
      forget_what_failed();
    }
    return result;
  } catch (const base::StorageError& failure) {
    state_ = before;
    failed_ = failure.error();
    site_.note_failure(*failed_);
    return *failed_;
  } catch (...) {
    failed_ = base::Error{base::ErrorKind::Unavailable, "a request of the group ended halfway", {}};
    throw;
  }
}

// The first request needs no child: nothing was written before it, so all of the transaction may be given up for it.
// Most groups have one request, and LMDB takes as long again to search and merge the pages of a child.
template <class Value>
base::Result<Value> LmdbWriteGroup::run_alone(const std::function<base::Result<Value>(Writing&)>& step) {
  Writing writing{*transaction_, site_.tables_, site_.memory_, state_};
  base::Result<Value> result = step(writing);
  if (result.ok()) {
    has_written_ = true;
  } else {
    transaction_.reset();
    transaction_ = site_.store_->begin();
  }
  return result;
}

template <class Value>
base::Result<Value> LmdbWriteGroup::run_in_child(const std::function<base::Result<Value>(Writing&)>& step) {
  store::Transaction child(*transaction_);
  Writing writing{child, site_.tables_, site_.memory_, state_};
  base::Result<Value> result = step(writing);
  if (!result.ok()) return result;
  const base::Result<void> committed = child.commit();
  if (!committed.ok()) throw base::StorageError(committed.error());
  return result;
}

base::Result<CommitReceipt> LmdbWriteGroup::update(const std::function<base::Result<void>(model::QuadTarget&)>& work) {
  return run<CommitReceipt>([&](Writing& writing) -> base::Result<CommitReceipt> {
    LocalTransaction transaction(writing);
    QUADRILLE_TRY(check_may_write(writing));
    QUADRILLE_TRY(work(transaction));
    return transaction.commit();
  });
}

base::Result<CommitReceipt> LmdbWriteGroup::announce(Writing& writing, const MembershipChange& change) {
  LocalTransaction transaction(writing);
  transaction.announce({log::AnnouncementKind::Membership, encode(change)});
  QUADRILLE_ASSIGN(CommitReceipt receipt, transaction.commit());
  take_membership(writing, receipt.header, change);
  return receipt;
}

base::Result<CommitReceipt> LmdbWriteGroup::add_member(const log::SiteId& site, const log::VersionVector& has) {
  end_being_alone();
  return run<CommitReceipt>([&](Writing& writing) -> base::Result<CommitReceipt> {
    QUADRILLE_TRY(check_may_write(writing));
    QUADRILLE_TRY(check_join(writing.memory.membership, writing.memory.identity.site, site));
    QUADRILLE_TRY(check_copy(writing, has));
    return announce(writing, {MembershipKind::Join, site, {}});
  });
}

void LmdbWriteGroup::keep_log_until(int64_t wall_ms) {
  end_being_alone();
  int64_t& until = site_.memory_.keep_log_until_ms;
  until = std::max(until, wall_ms);
}

void LmdbWriteGroup::hold_folding(uint64_t holder, int64_t for_ms) {
  auto& holds = site_.memory_.holds_of_folding;
  const int64_t now = site_.memory_.wall_clock.now_ms();
  std::erase_if(holds, [&](const auto& hold) { return hold.first == holder || hold.second <= now; });
  if (for_ms > 0) holds[holder] = now + for_ms;
}

base::Result<RepairReport> LmdbWriteGroup::repair(const log::VersionVector& cut,
                                                  const std::function<base::Result<void>(model::QuadTarget&)>& work) {
  return run<RepairReport>([&](Writing& writing) { return Repair(writing, cut).run(work); });
}

base::Result<void> LmdbWriteGroup::correct_totals(const store::StatisticsChange& change) {
  QUADRILLE_TRY(run<bool>([&](Writing& writing) -> base::Result<bool> {
    writing.quads.correct_statistics(change);
    return true;
  }));
  return {};
}

base::Result<CommitReceipt> LmdbWriteGroup::evict_member(const std::string& name) {
  return run<CommitReceipt>([&](Writing& writing) -> base::Result<CommitReceipt> {
    QUADRILLE_TRY(check_may_write(writing));
    QUADRILLE_ASSIGN(const log::SiteId site, find_life_to_evict(writing, name));
    return announce(writing, {MembershipKind::Eviction, site, {}});
  });
}

base::Result<CommitReceipt> LmdbWriteGroup::settle_membership() {
  return run<CommitReceipt>([&](Writing& writing) -> base::Result<CommitReceipt> {
    CommitReceipt receipt;
    const log::SiteId& self = writing.memory.identity.site;
    if (!writing.memory.is_member()) return receipt;
    if (auto unanswered = writing.memory.membership.unanswered_by(self); !unanswered.empty()) {
      QUADRILLE_ASSIGN(receipt, announce(writing, {MembershipKind::Answer, {}, std::move(unanswered)}));
    }
    note_complete_evictions(writing);
    return receipt;
  });
}

base::Result<CommitReceipt> LmdbWriteGroup::assign(const Assignment& assignment) {
  return run<CommitReceipt>([&](Writing& writing) -> base::Result<CommitReceipt> {
    QUADRILLE_TRY(check_may_write(writing));
    QUADRILLE_TRY(assignment.check(site_.parts_.policies));
    if (const size_t count = writing.memory.assignments.size(); count >= assignments_max) {
      return base::Error{base::ErrorKind::ResourceExhausted,
                         fmt::format("{} policy assignments still count, because not every member has confirmed the "
                                     "later ones; expected fewer before another is made",
                                     count),
                         {}};
    }
    LocalTransaction transaction(writing);
    const std::string bytes = encode(assignment);
    transaction.announce({log::AnnouncementKind::Assignment, bytes});
    QUADRILLE_ASSIGN(CommitReceipt receipt, transaction.commit());
    ConflictTableWriter conflicts(writing.quads.tables(), writing.tables.conflicts);
    QUADRILLE_TRY(take_assignment(writing, conflicts, receipt.header, bytes));
    return receipt;
  });
}

base::Result<ApplyReport> LmdbWriteGroup::apply(std::span<const log::ShippedChangeset> changesets) {
  return run<ApplyReport>([&](Writing& writing) { return RemoteChangesets(writing).apply(changesets); });
}

base::Result<std::optional<ApplyReport>> LmdbWriteGroup::apply_step(StagedChangeset& changeset) {
  auto& staged = dynamic_cast<LmdbStagedChangeset&>(changeset);
  return run<std::optional<ApplyReport>>([&](Writing& writing) { return staged.step(writing); });
}

base::Result<bool> LmdbWriteGroup::give_up(StagedChangeset& changeset) {
  auto& staged = dynamic_cast<LmdbStagedChangeset&>(changeset);
  return run<bool>([&](Writing& writing) -> base::Result<bool> { return staged.give_up(writing); });
}

base::Result<CommitReceipt> LmdbWriteGroup::adopt(StagedLoad& staged, load::PreparedLoad& load,
                                                  std::span<const std::string> names) {
  return run<CommitReceipt>([&](Writing& writing) -> base::Result<CommitReceipt> {
    QUADRILLE_TRY(check_may_write(writing));
    return adopt_load(writing, dynamic_cast<LmdbStagedLoad&>(staged), load, names);
  });
}

// The work may change the state of the log too: it finds it as the group has it by now.
base::Result<void> LmdbWriteGroup::write_aside(const std::function<void(store::Transaction&)>& work) {
  return run<void>([&](Writing& writing) -> base::Result<void> {
    store::WriteTransaction& tables = writing.quads.tables();
    log::write_log_state(tables, site_.tables_.log.state, stored_, state_);
    work(writing.quads);
    state_ = log::read_log_state(tables, site_.tables_.log.state);
    stored_ = state_;
    return {};
  });
}

base::Result<FoldReport> LmdbWriteGroup::fold(const Frontier& frontier, uint64_t cell_limit) {
  return run<FoldReport>(
      [&](Writing& writing) -> base::Result<FoldReport> { return Folding(writing, frontier).fold(cell_limit); });
}

base::Result<bool> LmdbWriteGroup::publish_conflicts(size_t limit) {
  return run<bool>([&](Writing& writing) -> base::Result<bool> {
    return ConflictPublisher(writing.quads, writing.tables.conflicts, writing.state).publish(limit);
  });
}

// What the writer remembers may be of changesets and of an assignment that now never were.
void LmdbWriteGroup::forget_what_failed() {
  site_.memory_.facts.clear();
  if (!site_.memory_.has_new_assignment && !site_.memory_.has_new_members) return;
  const auto reload = [&](const store::ReadTransaction& reading) {
    read_assignments(reading, site_.tables_.assignments, site_.memory_.assignments);
    site_.memory_.membership = {site_.identity_.members, read_membership(reading, site_.tables_.members)};
  };
  try {
    if (transaction_) {
      reload(transaction_->tables());
    } else {
      reload(site_.store_->snapshot()->tables());
    }
  } catch (const base::StorageError& failure) {
    site_.note_failure(failure.error());
  }
}

void LmdbWriteGroup::note_clock(const ClockRuling& ruling) {
  site_.memory_.clock.believe_up_to(ruling.believed_ms_max);
  site_.memory_.clock_refusal = ruling.refusal;
}

log::Stamp LmdbWriteGroup::tick() {
  const log::Stamp stamp = site_.memory_.clock.tick();
  if (stamp >= state_.clock_floor) {
    // By time where the clock is right. Where it runs behind our stamps, as after a crash, by counts: many crashes in
    // a row must not drive the stamps ahead.
    const log::Stamp by_time{site_.memory_.clock.now_ms() + reserved_ms, 0};
    state_.clock_floor = std::max(by_time, log::Stamp{stamp.physical_ms, stamp.counter + reserved_counts});
  }
  return stamp;
}

// From now on what is written here is for others too. What this group has written so far has neither log nor window.
void LmdbWriteGroup::end_being_alone() {
  if (failed_ || !std::exchange(site_.memory_.is_alone_in_group, false)) return;
  try {
    settle_when_alone();
    has_written_ = true;
  } catch (const base::StorageError& failure) {
    failed_ = failure.error();
    site_.note_failure(*failed_);
  }
}

// With no other member all that is here is at every member: nothing waits to be folded (and nothing was put into the
// window), and the log need not keep it.
void LmdbWriteGroup::settle_when_alone() {
  log::ChangeLogWriter log(transaction_->tables(), site_.tables_.log);
  for (log::OriginNumber origin = 0; origin < state_.origins.size(); ++origin) {
    state_.origins[origin].walked_seq = state_.origins[origin].seq;
    log.trim(origin, state_);
  }
}

base::Result<void> LmdbWriteGroup::commit() {
  QUADRILLE_CHECK(transaction_ || failed_, "a group of writes is committed twice");
  if (!failed_) {
    const base::Result<void> committed = base::catch_storage_error([&]() -> base::Result<void> {
      if (site_.memory_.is_alone()) settle_when_alone();
      ConflictPublisher(*transaction_, site_.tables_.conflicts, state_).publish(published_at_once);
      log::write_log_state(transaction_->tables(), site_.tables_.log.state, stored_, state_);
      return transaction_->commit();
    });
    if (!committed.ok()) {
      failed_ = committed.error();
      site_.note_failure(*failed_);
    }
  }
  transaction_.reset();
  if (failed_) {
    forget_what_failed();
    return *failed_;
  }
  site_.memory_.has_new_assignment = false;
  if (std::exchange(site_.memory_.has_new_members, false)) ++site_.membership_changes_;
  return {};
}

}  // namespace quadrille::reconcile
