// Heartbeats: when this site makes its own, what it does with those of others.
#include <algorithm>

#include "sync/rpc_sync_node.h"

namespace quadrille::sync {

namespace {

// Grows with the stamp, so also across restarts, without a counter on disk.
uint64_t heartbeat_number(log::Stamp stamp) {
  constexpr int counter_bits = 20;
  const uint64_t counter = std::min(uint64_t{stamp.counter}, (uint64_t{1} << counter_bits) - 1);
  return (static_cast<uint64_t>(std::max(stamp.physical_ms, int64_t{0})) << counter_bits) + counter + 1;
}

}  // namespace

// What the history window still holds tells again what its authors had seen.
void RpcSyncNode::restore_stability() {
  const auto snapshot = parts_.store.snapshot();
  const uint64_t last = snapshot->last_position();
  for (uint64_t position = snapshot->first_missing(snapshot->folded_vector()); position <= last; ++position) {
    if (const auto header = snapshot->header_at(position); header.ok()) parts_.stability->on_changeset(*header);
  }
}

bool RpcSyncNode::is_unsettled() const {
  const log::VersionVector& own = applier_.durable();
  return own != last_heartbeat_vector_ || !parts_.stability->stable(own).covers(own);
}

void RpcSyncNode::schedule_heartbeat() {
  if (is_heartbeat_under_way_) return;
  const uint32_t interval = is_unsettled() ? options_.heartbeat_busy_ms : options_.heartbeat_idle_ms;
  heartbeat_alarm_.set(last_heartbeat_at_ + interval * kj::MILLISECONDS);
}

void RpcSyncNode::make_heartbeat() {
  for (Session* session : connected_sessions()) session->check_alive();
  is_heartbeat_under_way_ = true;
  look_at_clock();
  take_early_heartbeats();
  // Written by the writer, then read by the loop.
  auto made = std::make_shared<reconcile::Heartbeat>();
  made->site = parts_.store.identity().site;
  parts_.writer.submit(
      [made, ruling = take_ruling()](reconcile::WriteGroup& group) {
        group.note_clock(ruling);
        made->stamp = group.tick();
        made->number = heartbeat_number(made->stamp);
        made->vector = group.version_vector();
      },
      [alive = std::weak_ptr(self_), made](const base::Result<void>& committed) {
        if (const auto self = alive.lock()) (*self)->on_heartbeat_made(*made, committed);
      });
}

void RpcSyncNode::on_heartbeat_made(const reconcile::Heartbeat& heartbeat, const base::Result<void>& committed) {
  is_heartbeat_under_way_ = false;
  last_heartbeat_at_ = parts_.timer.now();
  if (committed.ok()) {
    last_heartbeat_vector_ = heartbeat.vector;
    clocks_.on_own_stamp(heartbeat.stamp);
    heartbeats_.add(heartbeat);
  } else {
    tell_trouble("heartbeat", one_line(committed.error().message));
  }
  schedule_advance();
}

base::Result<void> RpcSyncNode::on_heartbeat(Session& session, const reconcile::Heartbeat& heartbeat) {
  const auto& identity = parts_.store.identity();
  if (heartbeat.site == identity.site) return broken_rule("a heartbeat in the name of this site");
  if (!membership_.is_member(heartbeat.site)) {
    // One that joins may be heard of before the changeset that says so is here; one that is evicted counts no more.
    const bool may_have_joined = !applier_.durable().covers(heartbeat.vector);
    if (may_have_joined || membership_.is_evicted(heartbeat.site)) return {};
    return broken_rule("a heartbeat of " + heartbeat.site.name + ", which is no member");
  }
  if (!applier_.durable().covers(identity.site, heartbeat.vector.at(identity.site))) {
    return broken_rule("a heartbeat that names changesets that this site never wrote");
  }
  const log::SiteId& peer = session.peer()->site;
  if (heartbeat.site.name == peer.name && heartbeat.site != peer) {
    return broken_rule("a heartbeat of another incarnation of " + peer.name);
  }
  if (heartbeat.stamp.physical_ms > clocks_.reach_ms()) {
    early_heartbeats_.try_emplace(heartbeat.site.name, heartbeat);
    on_early(heartbeat.site, heartbeat.stamp);
  } else {
    clocks_.on_timely(heartbeat.site);
    take_heartbeat(heartbeat);
  }
  if (heartbeat.site == peer) session.on_peer_has(heartbeat.vector);
  schedule_advance();
  return {};
}

void RpcSyncNode::take_heartbeat(const reconcile::Heartbeat& heartbeat) {
  if (heartbeats_.add(heartbeat)) parts_.stability->on_heartbeat(heartbeat, applier_.durable());
}

void RpcSyncNode::pass_on_heartbeats() {
  const log::VersionVector& own = applier_.durable();
  if (!heartbeats_.has_covered(own)) return;
  const auto ready = heartbeats_.take_covered(own, parts_.store.snapshot()->last_position());
  for (const auto& [site, session] : connected_) {
    for (const auto& each : ready) session->offer_heartbeat(each.heartbeat, each.after_position);
  }
}

void RpcSyncNode::offer_heartbeats(Session& session) {
  for (const auto& [site, each] : heartbeats_.ready()) session.offer_heartbeat(each.heartbeat, each.after_position);
}

}  // namespace quadrille::sync
