// What may happen next.
#include <algorithm>

#include "tests/model/checker/system.h"

namespace quadrille::model_check {

void System::find_actions(const State& state, std::vector<Action>& actions) const {
  actions.clear();
  for (Site site = 0; site < setting_.sites; ++site) {
    const SiteState& its = state.sites[site];
    find_membership(state, site, actions);
    if (!its.is_up || its.is_stopped) continue;
    find_transactions(state, site, actions);
    find_deliveries(state, site, actions);
    find_heartbeats(state, site, actions);
    for (uint8_t cell = 0; cell < setting_.cells; ++cell) {
      CellState settled = its.data.cells[cell];
      if (settled.count == 0) continue;
      rules_[cell].settle(state.history, settled, stable_at(state, site), newest_common_rank(state, site),
                          number_in_force(state, site));
      if (settled.open != its.data.cells[cell].open) actions.push_back({ActionKind::Settle, site, cell, 0});
    }
    if (state.crashes_left == 0) continue;
    if (!is_durable(state, site)) actions.push_back({ActionKind::Flush, site, 0, 0});
    actions.push_back({ActionKind::Crash, site, 0, 0});
  }
}

void System::find_transactions(const State& state, Site site, std::vector<Action>& actions) const {
  const ChangesetSet own = find(state, state.sites[site].data.has & all_of(site), Purpose::Transaction);
  const bool has_room = state.transactions_left > 0 && std::popcount(own) < setting_.by_site_max[site];
  if (!has_room || !may_write(state, site)) return;
  const uint8_t oldest = state.history.newest_rank(state.sites[site].data.has) + 1;
  const uint8_t newest = state.history.newest_rank(state.history.issued) + 1;
  for (uint8_t choice = 0; choice < setting_.menu.size(); ++choice) {
    for (uint8_t rank = oldest; rank <= newest; ++rank) {
      actions.push_back({ActionKind::Commit, site, choice, rank});
    }
  }
}

void System::find_deliveries(const State& state, Site site, std::vector<Action>& actions) const {
  for_each_place(offered_to(state, site), [&](Place place) {
    if (!covers(state.sites[site].data.has, state.history.at(place).seen)) return;
    actions.push_back({ActionKind::Take, site, place, 0});
  });
}

// A heartbeat that does not count yet has no effect, so it is heard when it counts. One that says nothing new to
// anybody is not sent.
void System::find_heartbeats(const State& state, Site site, std::vector<Action>& actions) const {
  const SiteState& its = state.sites[site];
  for (uint8_t i = 0; i < state.heartbeat_count; ++i) {
    const HeartbeatUnderWay& heartbeat = state.heartbeats[i];
    if (heartbeat.site == site || covers(its.known[heartbeat.site], heartbeat.has)) continue;
    const bool counts_now = covers(its.data.has, heartbeat.has);
    if (counts_now || setting_.broken == BrokenRule::HeartbeatCountsAtOnce) {
      actions.push_back({ActionKind::Hear, site, i, 0});
    }
  }
  if (state.heartbeats_left == 0 || !may_write(state, site)) return;
  const ChangesetSet has = heartbeat_of(state, site);
  const auto* under_way = state.heartbeats.data();
  const bool is_new = std::find(under_way, under_way + state.heartbeat_count, HeartbeatUnderWay{site, has}) ==
                      under_way + state.heartbeat_count;
  bool is_of_use = false;
  for (Site other = 0; other < setting_.sites; ++other) {
    const SiteState& its_known = state.sites[other];
    if (other != site && !its_known.is_stopped && !covers(its_known.known[site], has)) is_of_use = true;
  }
  if (is_new && is_of_use) actions.push_back({ActionKind::Beat, site, 0, 0});
}

void System::find_membership(const State& state, Site site, std::vector<Action>& actions) const {
  const Site last = setting_.last_site();
  if (site == last) return;
  const ChangesetSet has = state.sites[site].data.has;
  const ChangesetSet issued = state.history.issued;
  if (!setting_.later.empty() && find(state, issued, Purpose::Assignment) == 0) {
    actions.push_back({ActionKind::Assign, site, 0, 0});
  }
  if (setting_.has_join) {
    // What a site knows of others may be newer than what is durable: a snapshot is of one moment.
    const bool may_copy = is_durable(state, site) || setting_.broken == BrokenRule::SnapshotKnowsMore;
    if (!state.sites[last].is_up && may_copy && find(state, has, Purpose::Eviction) == 0) {
      actions.push_back({ActionKind::Start, last, site, 0});
    }
    if (find(state, issued, Purpose::Join) == 0) actions.push_back({ActionKind::Join, site, 0, 0});
  }
  if (!setting_.has_eviction) return;
  if (find(state, issued, Purpose::Eviction) == 0) {
    if (!setting_.has_join || find(state, has, Purpose::Join) != 0) {
      actions.push_back({ActionKind::Evict, site, 0, 0});
    }
  } else if (find(state, has, Purpose::Eviction) != 0 && !has_answered(state, has, site)) {
    actions.push_back({ActionKind::Answer, site, 0, 0});
  }
}

bool System::is_durable(const State& state, Site site) const {
  const SiteState& its = state.sites[site];
  if (its.data.has != its.durable.has) return false;
  for (size_t cell = 0; cell < setting_.cells; ++cell) {
    if (its.data.cells[cell].open != its.durable.cells[cell].open) return false;
  }
  return true;
}

// A joiner has to have the joining changeset before it writes and speaks as a member.
bool System::may_write(const State& state, Site site) const {
  if (!setting_.has_join || site != setting_.last_site()) return true;
  if (setting_.broken == BrokenRule::JoinerWritesAtOnce) return true;
  return find(state, state.sites[site].data.has, Purpose::Join) != 0;
}

// What the sites that it is linked to have, durably, and it lacks. A changeset is never gone from a log, so one under
// way is the same as one that is fetched later.
ChangesetSet System::offered_to(const State& state, Site site) const {
  ChangesetSet offered = 0;
  ChangesetSet wanted_by_survivors = 0;  // what changesets of others than the last site had seen
  for (Site other = 0; other < setting_.sites; ++other) {
    if (other == site || !state.sites[other].is_up || !setting_.are_linked(site, other)) continue;
    const SiteState& its = state.sites[other];
    const ChangesetSet theirs = setting_.broken == BrokenRule::SendsBeforeDurable ? its.data.has : its.durable.has;
    offered |= theirs;
    for_each_place(theirs & ~all_of(setting_.last_site()),
                   [&](Place place) { wanted_by_survivors |= state.history.at(place).seen; });
  }
  const ChangesetSet has = state.sites[site].data.has;
  const bool refuses_evicted = setting_.has_eviction && site != setting_.last_site() &&
                               has_answered(state, has, site) && setting_.broken != BrokenRule::TakesFromEvicted;
  if (refuses_evicted) offered &= ~all_of(setting_.last_site()) | wanted_by_survivors;
  return offered & ~has;
}

ChangesetSet System::heartbeat_of(const State& state, Site site) const {
  const SiteState& its = state.sites[site];
  if (setting_.broken == BrokenRule::HeartbeatBeforeDurable) return its.data.has;
  if (setting_.broken == BrokenRule::HeartbeatPastUnsent) {
    ChangesetSet sent = 0;
    for (Site other = 0; other < setting_.sites; ++other) {
      if (other != site) sent |= state.sites[other].data.has;
    }
    return its.durable.has & (~all_of(site) | sent);
  }
  return its.durable.has;
}

}  // namespace quadrille::model_check
