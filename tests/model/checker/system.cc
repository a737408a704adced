#include "tests/model/checker/system.h"

#include <algorithm>

#include "engine/base/check.h"

namespace quadrille::model_check {

System::System(const Setting& setting) : setting_(setting) {
  for (size_t cell = 0; cell < setting_.cells; ++cell) rules_.emplace_back(setting_, cell);
}

State System::first_state() const {
  State state;
  state.transactions_left = setting_.transactions;
  state.heartbeats_left = setting_.heartbeats;
  state.crashes_left = setting_.crashes;
  for (Site site = 0; site < setting_.sites; ++site) {
    SiteState& its = state.sites[site];
    its.is_up = !(setting_.has_join && site == setting_.last_site());
    for (size_t cell = 0; cell < setting_.cells; ++cell) its.data.cells[cell].base = rules_[cell].first_outcome();
    its.durable = its.data;
  }
  return state;
}

Outcome System::shown(const State& state, Site site, size_t cell) const {
  return rules_[cell].show(state.history, state.sites[site].data.cells[cell], number_in_force(state, site));
}

std::optional<std::string> System::act(State& state, const Action& action) const {
  std::optional<std::string> trouble;
  const Site site = action.site;
  switch (action.kind) {
    case ActionKind::Commit: trouble = commit(state, action); break;
    case ActionKind::Take: enter(state, site, action.detail); break;
    case ActionKind::Beat: beat(state, site); break;
    case ActionKind::Hear: {
      const HeartbeatUnderWay& heartbeat = state.heartbeats[action.detail];
      state.sites[site].known[heartbeat.site] |= heartbeat.has;
      break;
    }
    case ActionKind::Settle: settle(state, site, action.detail); break;
    case ActionKind::Flush: state.sites[site].durable = state.sites[site].data; break;
    case ActionKind::Crash: crash(state, site); break;
    case ActionKind::Start: start_from(state, action.detail); break;
    case ActionKind::Join: trouble = issue(state, site, {.purpose = Purpose::Join, .writes = {}}); break;
    case ActionKind::Evict: trouble = issue(state, site, {.purpose = Purpose::Eviction, .writes = {}}); break;
    case ActionKind::Answer: trouble = issue(state, site, {.purpose = Purpose::Answer, .writes = {}}); break;
    case ActionKind::Assign: trouble = issue(state, site, {.purpose = Purpose::Assignment, .writes = {}}); break;
  }
  tidy(state);
  return trouble;
}

std::optional<std::string> System::issue(State& state, Site site, Changeset changeset) const {
  const ChangesetSet own = state.sites[site].data.has & all_of(site);
  const auto place = static_cast<Place>(site * changesets_per_site_max + static_cast<size_t>(std::popcount(own)));
  QUADRILLE_CHECK(static_cast<size_t>(std::popcount(own)) < changesets_per_site_max, "too many changesets of one site");
  if (contains(state.history.issued, place)) return "two changesets have one origin and number";
  changeset.seen = state.sites[site].data.has;
  state.history.issue(place, changeset);
  enter(state, site, place);
  return std::nullopt;
}

std::optional<std::string> System::commit(State& state, const Action& action) const {
  Changeset changeset;
  changeset.rank = action.rank;
  changeset.number = number_in_force(state, action.site);
  const auto own = static_cast<size_t>(std::popcount(state.sites[action.site].data.has & all_of(action.site)));
  for (size_t cell = 0; cell < setting_.cells; ++cell) {
    CellWrite& write = changeset.writes[cell];
    write.write = setting_.menu[action.detail][cell];
    if (write.write == Write::None) continue;
    if (!setting_.chooses_values) {
      // A little of everything: each site's writes go through the three kinds, from another one on in each cell.
      constexpr std::array kinds = {Write::A, Write::Delete, Write::B};
      write.write = kinds[(action.site + own + cell + (own > 1 ? action.site : 0)) % kinds.size()];
    }
    write.saw = shown(state, action.site, cell).content;
    for (size_t p = 0; p < setting_.policies.size(); ++p) {
      write.left[p] = left_by(setting_.policy(p, changeset.number), write.write, write.saw[p]);
    }
  }
  --state.transactions_left;
  return issue(state, action.site, changeset);
}

void System::enter(State& state, Site site, Place place) const {
  SiteState& its = state.sites[site];
  its.data.has |= set_of(place);
  const Changeset& changeset = state.history.at(place);
  if (origin_of(place) != site) its.known[origin_of(place)] |= changeset.seen | set_of(place);
  for (size_t cell = 0; cell < setting_.cells; ++cell) {
    if (changeset.writes[cell].write == Write::None) continue;
    rules_[cell].enter(state.history, its.data.cells[cell], place);
  }
  if (changeset.purpose == Purpose::Eviction && site == setting_.last_site()) its.is_stopped = true;
}

void System::beat(State& state, Site site) const {
  QUADRILLE_CHECK(state.heartbeat_count < heartbeats_max, "too many heartbeats");
  state.heartbeats[state.heartbeat_count++] = {site, heartbeat_of(state, site)};
  std::sort(state.heartbeats.begin(), state.heartbeats.begin() + state.heartbeat_count);
  --state.heartbeats_left;
}

void System::settle(State& state, Site site, size_t cell) const {
  rules_[cell].settle(state.history, state.sites[site].data.cells[cell], stable_at(state, site),
                      newest_common_rank(state, site), number_in_force(state, site));
}

// What others are known to have is lost as well, whatever of it could be had again from the log.
void System::crash(State& state, Site site) const {
  SiteState& its = state.sites[site];
  ChangesetSet lost = its.data.has & ~its.durable.has & all_of(site);
  for (Site other = 0; other < setting_.sites; ++other) {
    if (other != site) lost &= ~state.sites[other].data.has;
  }
  its.data = its.durable;
  its.known = {};
  state.history.forget(lost);
  --state.crashes_left;
}

void System::start_from(State& state, Site sponsor) const {
  const Site joiner = setting_.last_site();
  SiteState& its = state.sites[joiner];
  const SiteState& from = state.sites[sponsor];
  its.is_up = true;
  its.data = from.durable;
  its.known = from.known;
  its.known[sponsor] = from.durable.has;
  its.known[joiner] = 0;
  if (setting_.broken == BrokenRule::SnapshotWithoutWindows) {
    for (size_t cell = 0; cell < setting_.cells; ++cell) {
      const Outcome all = rules_[cell].show(state.history, its.data.cells[cell], number_in_force(state, joiner));
      its.data.cells[cell] = {};
      its.data.cells[cell].base = all;
    }
  }
  its.durable = its.data;
}

// States that differ only in what can have no effect any more are one.
void System::tidy(State& state) const {
  if (state.crashes_left > 0) return;
  for (SiteState& site : state.sites) site.durable = site.data;
  const auto is_known = [&](const HeartbeatUnderWay& heartbeat) {
    for (Site site = 0; site < setting_.sites; ++site) {
      const SiteState& its = state.sites[site];
      if (site == heartbeat.site || its.is_stopped) continue;
      if (!its.is_up || !covers(its.known[heartbeat.site], heartbeat.has)) return false;
    }
    return true;
  };
  const auto end = state.heartbeats.begin() + state.heartbeat_count;
  const auto rest = std::remove_if(state.heartbeats.begin(), end, is_known);
  std::fill(rest, end, HeartbeatUnderWay{});
  state.heartbeat_count = static_cast<uint8_t>(rest - state.heartbeats.begin());
}

ChangesetSet System::find(const State& state, ChangesetSet among, Purpose purpose) const {
  ChangesetSet found = 0;
  for_each_place(among, [&](Place place) {
    if (state.history.at(place).purpose == purpose) found |= set_of(place);
  });
  return found;
}

// An eviction is its own site's answer.
bool System::has_answered(const State& state, ChangesetSet has, Site site) const {
  const ChangesetSet own = has & all_of(site);
  return (find(state, own, Purpose::Eviction) | find(state, own, Purpose::Answer)) != 0;
}

bool System::is_eviction_complete(const State& state, ChangesetSet has) const {
  for (Site site = 0; site < setting_.last_site(); ++site) {
    if (!has_answered(state, has, site)) return false;
  }
  return true;
}

// Whether `site` waits for `member` before it calls something stable.
bool System::counts(const State& state, Site site, Site member) const {
  if (member == site) return false;
  const ChangesetSet has = state.sites[site].data.has;
  if (setting_.broken == BrokenRule::ForgetsAMember && member == (site == 0 ? 1 : 0)) return false;
  if (member != setting_.last_site()) return true;
  if (setting_.has_join) {
    if (find(state, has, Purpose::Join) == 0 || setting_.broken == BrokenRule::JoinerDoesNotCount) return false;
  }
  if (setting_.has_eviction) {
    if (setting_.broken == BrokenRule::EvictedCountsNoMore) return find(state, has, Purpose::Eviction) == 0;
    return !is_eviction_complete(state, has);
  }
  return true;
}

ChangesetSet System::stable_at(const State& state, Site site) const {
  ChangesetSet stable = state.sites[site].data.has;
  for (Site member = 0; member < setting_.sites; ++member) {
    if (counts(state, site, member)) stable &= state.sites[site].known[member];
  }
  return stable;
}

uint8_t System::newest_common_rank(const State& state, Site site) const {
  if (setting_.broken != BrokenRule::FoldsByStamp) return 0;
  uint8_t common = UINT8_MAX;
  for (Site member = 0; member < setting_.sites; ++member) {
    if (!counts(state, site, member)) continue;
    common = std::min(common, state.history.newest_rank(state.sites[site].data.has & all_of(member)));
  }
  return common;
}

uint8_t System::number_in_force(const State& state, Site site) const {
  if (setting_.later.empty()) return 0;
  return find(state, state.sites[site].data.has, Purpose::Assignment) != 0 ? 1 : 0;
}

}  // namespace quadrille::model_check
