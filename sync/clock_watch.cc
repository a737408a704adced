#include "sync/clock_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::sync {

namespace {

constexpr std::string_view what_to_do = "see \"Clocks\" in docs/operations.md";

std::string duration(int64_t ms) {
  constexpr int64_t day_ms = 86'400'000;
  if (ms >= 3 * day_ms) return fmt::format("{} days", ms / day_ms);
  return ms >= 10'000 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

// So that who makes up incarnations of a member takes no memory.
template <class Map>
void forget_other_lives(Map& map, const log::SiteId& site) {
  std::erase_if(map, [&](const auto& entry) { return entry.first.name == site.name && entry.first != site; });
}

}  // namespace

std::optional<PeerSkew> ClockWatch::skew_of(const log::SiteId& site) const {
  const auto clock = clocks_.find(site);
  if (clock == clocks_.end()) return std::nullopt;
  const auto theirs = clock->second.wall_ms_at(timer_.now());
  if (!theirs) return std::nullopt;
  return PeerSkew{*theirs - wall_ms(), clock->second.round_trip_ms()};
}

void ClockWatch::on_answer(const log::SiteId& site, kj::TimePoint asked, int64_t wall_ms, int64_t skew_ms_max) {
  forget_other_lives(clocks_, site);
  clocks_[site].add(asked, timer_.now(), wall_ms, skew_ms_max);
}

bool ClockWatch::on_early(const log::SiteId& site, log::Stamp stamp) {
  forget_other_lives(early_, site);
  const auto [entry, is_new] = early_.try_emplace(site, stamp);
  entry->second = std::max(entry->second, stamp);
  return is_new;
}

void ClockWatch::keep_members(const reconcile::Membership& membership) {
  const auto is_gone = [&](const auto& entry) { return !membership.is_member(entry.first); };
  std::erase_if(clocks_, is_gone);
  std::erase_if(early_, is_gone);
}

ClockWatch::Judgement ClockWatch::judge() const {
  Judgement judgement;
  const int64_t wall = wall_ms();
  const int64_t own = std::max(wall, own_stamp_.physical_ms);
  for (const auto& [site, clock] : clocks_) {
    const auto theirs = clock.wall_ms_at(timer_.now());
    if (!theirs) continue;
    ++judgement.voices;
    const int64_t allowed = *theirs + clock.skew_ms_max();
    if (own > allowed) judgement.ahead_of.push_back({site.name, own - *theirs, *theirs});
    if (wall > allowed) judgement.is_clock_ahead = true;
    if (*theirs > reach_ms()) judgement.behind.push_back({site.name, *theirs - wall, *theirs});
  }
  return judgement;
}

std::string ClockWatch::list(const std::vector<Difference>& differences) {
  constexpr size_t shown_max = 5;
  std::string text;
  for (size_t i = 0; i < std::min(shown_max, differences.size()); ++i) {
    text += fmt::format("{}{} (by {})", i == 0 ? "" : ", ", differences[i].site, duration(differences[i].ms));
  }
  return differences.size() > shown_max ? text + " and others" : text;
}

std::string ClockWatch::describe_ahead(const Judgement& judgement) const {
  const std::string others = list(judgement.ahead_of);
  if (!judgement.is_clock_ahead) {
    return fmt::format(
        "this site has stamped changes up to {}, further ahead of the clock of {} than is allowed there: it takes no "
        "updates until that time comes, or it was evicted and joins anew; {}",
        log::to_string(own_stamp_), others, what_to_do);
  }
  return fmt::format(
      "the clock of this site is further ahead of that of {} than is allowed there{}: it takes no updates "
      "until the clock is put right; {}",
      others, judgement.voices == 2 ? ", unless the other one is wrong" : "", what_to_do);
}

std::string ClockWatch::describe_behind(const Judgement& judgement) {
  return fmt::format(
      "the clock of this site is too far behind that of {}{}: what is written there waits until the clock "
      "is put right; {}",
      list(judgement.behind), judgement.voices == 2 ? ", unless the other one is wrong" : "", what_to_do);
}

ClockStatus ClockWatch::status() const {
  const Judgement judgement = judge();
  ClockStatus status;
  status.skew_ms_max = skew_ms_max_;
  if (judgement.is_ahead()) {
    status.state = ClockState::Ahead;
    status.text = describe_ahead(judgement);
  } else if (judgement.is_behind()) {
    status.state = ClockState::Behind;
    status.text = describe_behind(judgement);
  }
  for (const auto& [site, stamp] : early_) status.held_back.push_back({site, stamp, stamp.physical_ms - skew_ms_max_});
  return status;
}

// What this site must say all the same is stamped by the clock of those who find it ahead: they take that.
reconcile::ClockRuling ClockWatch::ruling() const {
  reconcile::ClockRuling ruling;
  const Judgement judgement = judge();
  if (!judgement.is_ahead()) return ruling;
  ruling.refusal = describe_ahead(judgement);
  for (const Difference& one : judgement.ahead_of) {
    ruling.believed_ms_max = std::min(ruling.believed_ms_max, one.their_wall_ms);
  }
  return ruling;
}

}  // namespace quadrille::sync
