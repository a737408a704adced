// What the node does with the difference between this site's clock and others'.
#include "sync/rpc_sync_node.h"

namespace quadrille::sync {

void RpcSyncNode::on_early(const log::SiteId& site, log::Stamp stamp) {
  if (!membership_.is_member(site) || !clocks_.on_early(site, stamp)) return;
  tell_trouble(
      "site " + site.name,
      "what it writes is stamped too far ahead of this site's clock: it waits until its time comes, or a clock "
      "is put right");
}

// One a site is kept, the first: its time comes first, and another one is kept then.
void RpcSyncNode::take_early_heartbeats() {
  std::erase_if(early_heartbeats_, [this](const auto& early) {
    const reconcile::Heartbeat& heartbeat = early.second;
    if (!membership_.is_member(heartbeat.site)) return true;
    if (heartbeat.stamp.physical_ms > clocks_.reach_ms()) return false;
    take_heartbeat(heartbeat);
    return true;
  });
}

// Told when it becomes so, not each time.
void RpcSyncNode::look_at_clock() {
  const ClockStatus status = clocks_.status();
  if (std::exchange(clock_state_, status.state) != status.state) {
    parts_.observer.on_trouble(status.state == ClockState::Agreed ? "the clock of this site agrees with others again"
                                                                  : status.text);
  }
  const bool refuses = status.state == ClockState::Ahead;
  if (refuses == is_refusing_) return;
  parts_.writer.submit([ruling = take_ruling()](reconcile::WriteGroup& group) { group.note_clock(ruling); },
                       [](const auto&) {});
}

reconcile::ClockRuling RpcSyncNode::take_ruling() {
  reconcile::ClockRuling ruling = clocks_.ruling();
  is_refusing_ = !ruling.refusal.empty();
  return ruling;
}

}  // namespace quadrille::sync
