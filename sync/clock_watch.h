// This site's clock beside those of the others: which stamps are too far ahead of it, and whether it is itself too far
// ahead for them.
//
// Two sites whose clocks differ cannot know which of the two is right. So two rules, and each site follows both by
// itself:
//   - What is stamped more than SyncOptions::max_clock_skew_ms ahead of this site's clock is held back here: it is not
//     taken, moves no hybrid clock, and is asked for again when its time has come.
//   - A site refuses updates while what it stamps is too far ahead for at least half of the sites whose clocks it
//   knows,
//     itself counted as one that is content. So one site that is behind stops no cluster of three; of two, the one that
//     is ahead stops, because what it wrote would reach nobody, while the other's updates reach both.
// A clock counts once it was heard of in this run of the process, also when its site is away: it is known by the timer,
// which goes on.
#pragma once

#include <kj/timer.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "log/site_id.h"
#include "log/stamp.h"
#include "reconcile/membership.h"
#include "reconcile/site_store.h"
#include "sync/clock_status.h"
#include "sync/peer_clock.h"

namespace quadrille::sync {

class ClockWatch {
 public:
  ClockWatch(const base::WallClock& wall, kj::Timer& timer, int64_t skew_ms_max)
      : wall_(wall), timer_(timer), skew_ms_max_(skew_ms_max) {}

  int64_t wall_ms() const { return wall_.now_ms(); }
  int64_t skew_ms_max() const noexcept { return skew_ms_max_; }
  // Stamps up to this physical time are taken now.
  int64_t reach_ms() const { return wall_ms() + skew_ms_max_; }

  // What that member's clock shows, as PeerClock::add.
  void on_answer(const log::SiteId& site, kj::TimePoint asked, int64_t wall_ms, int64_t skew_ms_max);
  std::optional<PeerSkew> skew_of(const log::SiteId& site) const;
  // This site gave a stamp, or took one of another.
  void on_own_stamp(log::Stamp stamp) { own_stamp_ = std::max(own_stamp_, stamp); }
  // A changeset or heartbeat of that site is stamped beyond reach, or is not. True: that is news.
  bool on_early(const log::SiteId& site, log::Stamp stamp);
  void on_timely(const log::SiteId& site) { early_.erase(site); }
  // Who is no member, or is evicted, has no say.
  void keep_members(const reconcile::Membership& membership);

  ClockStatus status() const;
  reconcile::ClockRuling ruling() const;

 private:
  // By whose clock this site is off, and how far.
  struct Difference {
    std::string site;
    int64_t ms = 0;
    int64_t their_wall_ms = 0;
  };
  struct Judgement {
    std::vector<Difference> ahead_of;  // what this site stamps is too far ahead there
    std::vector<Difference> behind;    // what is stamped there is too far ahead here
    bool is_clock_ahead = false;       // not only what it has stamped before
    size_t voices = 1;                 // clocks that are known, its own included
    bool is_ahead() const { return !ahead_of.empty() && 2 * ahead_of.size() >= voices; }
    bool is_behind() const { return !behind.empty() && 2 * behind.size() >= voices; }
  };
  Judgement judge() const;
  std::string describe_ahead(const Judgement& judgement) const;
  static std::string describe_behind(const Judgement& judgement);
  static std::string list(const std::vector<Difference>& differences);

  const base::WallClock& wall_;
  kj::Timer& timer_;
  int64_t skew_ms_max_;
  log::Stamp own_stamp_;
  std::map<log::SiteId, PeerClock> clocks_;  // of members, one a name
  std::map<log::SiteId, log::Stamp> early_;  // of members, one a name: the latest
};

}  // namespace quadrille::sync
