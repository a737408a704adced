// What a session takes in, and what it sends.
#include <kj/debug.h>

#include <algorithm>

#include "sync/batch.h"
#include "sync/session.h"
#include "sync/session_servers.h"

namespace quadrille::sync {

kj::Promise<void> Session::on_push(PushContext context) {
  const auto violation = [this](std::string what) -> kj::Promise<void> {
    end(EndKind::Violation, std::move(what));
    return KJ_EXCEPTION(DISCONNECTED, "the session has ended");
  };
  if (!outgoing_) return violation("a push before the greeting was over");
  if (unanswered_in_.size() >= unanswered_pushes_max) return violation("more than 8 pushes at once");
  auto batch = read_batch(context.getParams().getBatch());
  if (!batch.ok()) return violation(batch.error().message);
  context.releaseParams();

  kj::Promise<void> answered = kj::READY_NOW;
  if (batch->round > round_) return violation("a push of a round that was not reported");
  if (batch->round < round_) {
    if (const auto passed = assembler_.pass_over(*batch); !passed.ok()) return violation(passed.error().message);
  }
  if (batch->round == round_) {
    auto items = assembler_.add(std::move(batch).value());
    if (!items.ok()) return violation(items.error().message);
    log::VersionVector needs;
    for (auto& item : *items) {
      if (const auto taken = take_in(std::move(item), needs); !taken.ok()) return violation(taken.error().message);
    }
    auto [promise, fulfiller] = kj::newPromiseAndFulfiller<void>();
    unanswered_in_.push_back({std::move(needs), kj::mv(fulfiller)});
    answered = kj::mv(promise);
    parts_.host.schedule_advance();
  }
  return answered.then([link = link_, context]() mutable {
    if (link->session == nullptr) return;
    auto ack = context.getResults().initAck();
    write_vector(link->session->parts_.applier.durable(), ack.initVector());
    ack.setRound(link->session->round_);
  });
}

base::Result<void> Session::take_in(ChangesetAssembler::Item item, log::VersionVector& needs) {
  if (const auto* heartbeat = std::get_if<reconcile::Heartbeat>(&item)) {
    return parts_.host.on_heartbeat(*this, *heartbeat);
  }
  auto& changeset = std::get<log::ShippedChangeset>(item);
  QUADRILLE_TRY(check_origin(changeset.header));
  needs.raise(changeset.header.id.origin, changeset.header.id.seq);
  held_.push_back(std::move(changeset));
  return {};
}

base::Result<void> Session::check_origin(const log::ChangesetHeader& header) const {
  const auto& identity = parts_.store.identity();
  const log::ChangesetId& id = header.id;
  const std::string name = "changeset " + std::to_string(id.seq) + " of site " + to_string(id.origin);
  if (id.origin == identity.site && !parts_.applier.durable().covers(id.origin, id.seq)) {
    return broken_rule(name + ", which this site never wrote");
  }
  if (id.seq == 0) return broken_rule(name + ": they count from 1");
  return {};
}

// A changeset may wait only for what another connection brings: for changesets of sites that this one says it is
// connected to. All else should have come before it in its own stream.
base::Result<void> Session::check_gap(const log::ChangesetHeader& header, const log::VersionVector& expected) const {
  const auto gap = [&](const log::SiteId& origin, uint64_t seq) {
    return broken_rule("changeset " + std::to_string(header.id.seq) + " of site " + to_string(header.id.origin) +
                       " before changeset " + std::to_string(seq) + " of site " + to_string(origin) +
                       ", which it depends on");
  };
  for (const auto& [origin, seq] : header.dependencies.entries()) {
    if (expected.covers(origin, seq) || told_direct_in_round_.contains(origin)) continue;
    if (!parts_.host.membership().is_evicted(origin)) return gap(origin, seq);
  }
  if (!header.dependencies.covers(header.id.origin, header.id.seq - 1)) {
    return gap(header.id.origin, header.id.seq - 1);
  }
  return {};
}

bool Session::is_ready(const log::ChangesetHeader& header, const log::VersionVector& expected) {
  const auto& membership = parts_.host.membership();
  const bool is_known = membership.is_member(header.id.origin) || membership.is_evicted(header.id.origin);
  if (!is_known) {
    // What it depends on says that it joined, if anything does.
    if (parts_.applier.durable().covers(header.dependencies)) {
      end(EndKind::Violation, "changeset " + std::to_string(header.id.seq) + " of site " + to_string(header.id.origin) +
                                  ", which is no member");
    }
    return false;
  }
  if (const auto checked = check_gap(header, expected); !checked.ok()) {
    end(EndKind::Violation, checked.error().message);
    return false;
  }
  return expected.covers(header.dependencies) && header.id.seq == expected.at(header.id.origin) + 1;
}

// From its answer to an eviction on this site takes of the evicted one only what a member's changeset depends on. Whom
// the evicted one has let in by what is withheld is no member.
bool Session::is_withheld(const log::ChangesetHeader& header) const {
  const auto& membership = parts_.host.membership();
  if (membership.is_evicted(header.id.origin)) return membership.has_answered_all(parts_.store.identity().site);
  return !membership.is_member(header.id.origin) &&
         std::any_of(withheld_.begin(), withheld_.end(),
                     [&](const log::ShippedChangeset& one) { return header.has_seen(one.header.id); });
}

void Session::withhold(log::ShippedChangeset changeset) {
  constexpr uint64_t withheld_bytes_max = uint64_t{64} << 20;
  for (const std::string& chunk : changeset.chunks) withheld_bytes_ += chunk.size();
  withheld_.push_back(std::move(changeset));
  if (withheld_bytes_ <= withheld_bytes_max) return;
  end(EndKind::Trouble, "too much comes of evicted sites that no member's changeset depends on");
}

void Session::release_withheld(const log::ChangesetHeader& header, log::VersionVector& expected,
                               std::vector<log::ShippedChangeset>& ready) {
  for (auto each = withheld_.begin(); each != withheld_.end();) {
    const log::ChangesetHeader& its = each->header;
    const bool is_here = expected.covers(its.id.origin, its.id.seq);
    const bool is_next = its.id.seq == expected.at(its.id.origin) + 1 && expected.covers(its.dependencies);
    if (!is_here && !(is_next && header.has_seen(its.id))) {
      ++each;
      continue;
    }
    for (const std::string& chunk : each->chunks) withheld_bytes_ -= chunk.size();
    if (!is_here) {
      expected.raise(its.id.origin, its.id.seq);
      ready.push_back(std::move(*each));
    }
    each = withheld_.erase(each);
  }
}

void Session::apply_held() {
  log::VersionVector expected = parts_.applier.expected();
  std::vector<log::ShippedChangeset> ready;
  while (!held_.empty() && !end_) {
    const log::ChangesetHeader& header = held_.front().header;
    if (!expected.covers(header.id.origin, header.id.seq)) {
      if (holds_back(header)) {
        held_.pop_front();
        continue;
      }
      if (is_withheld(header)) {
        withhold(std::move(held_.front()));
        held_.pop_front();
        continue;
      }
      release_withheld(header, expected, ready);
      if (!is_ready(header, expected)) break;
      expected.raise(header.id.origin, header.id.seq);
      ready.push_back(std::move(held_.front()));
    }
    held_.pop_front();
  }
  if (end_) return;
  if (ready.empty()) return;
  parts_.applier.submit(std::move(ready), [link = link_](const Applier::Outcome& outcome) {
    if (link->session != nullptr) link->session->on_applied(outcome);
  });
}

void Session::on_applied(const Applier::Outcome& outcome) {
  counts_.changesets_received += outcome.report.applied.size();
  if (!outcome.error) return parts_.host.schedule_advance();
  end(outcome.is_senders_fault ? EndKind::Violation : EndKind::Trouble,
      "what was received cannot be applied: " + one_line(outcome.error->message));
}

// What is withheld must not keep back what it waits for, nor what is held back the rest.
bool Session::is_answerable(const log::VersionVector& needs) const {
  const auto& durable = parts_.applier.durable();
  return std::all_of(needs.entries().begin(), needs.entries().end(), [&](const auto& entry) {
    return durable.covers(entry.first, entry.second) || held_back_.has(entry.first, entry.second) ||
           !parts_.host.membership().is_member(entry.first);
  });
}

void Session::answer_pushes() {
  while (!unanswered_in_.empty() && is_answerable(unanswered_in_.front().needs)) {
    unanswered_in_.front().done->fulfill();
    unanswered_in_.pop_front();
  }
}

void Session::push_outgoing() {
  KJ_IF_MAYBE (sink, sink_) {
    while (!end_ && unanswered_out_ < unanswered_pushes_max) {
      const auto batch = outgoing_->next_batch();
      if (!batch.ok()) return end(EndKind::Trouble, one_line(batch.error().message));
      if (!*batch) return;
      auto request = sink->pushRequest();
      write_batch(**batch, compressor_, request.initBatch());
      ++unanswered_out_;
      counts_.changesets_sent += (*batch)->changesets_completed;
      tasks_.add(request.send().then(
          [this](auto response) { SinkServer::run(*this, [&] { on_push_answer(response.getAck()); }); }));
    }
  }
}

void Session::on_peer_has(const log::VersionVector& has) {
  if (!is_connected()) return;
  outgoing_->on_ack(has);
  if (unanswered_out_ == 0 && outgoing_->start_again_if_lost()) parts_.host.on_restarted(*this);
}

void Session::on_push_answer(wire::Ack::Reader ack) {
  if (end_) return;
  --unanswered_out_;
  const auto vector = read_vector(ack.getVector());
  if (!vector.ok()) return end(EndKind::Violation, vector.error().message);
  outgoing_->on_ack(*vector);
  parts_.host.schedule_advance();
}

}  // namespace quadrille::sync
