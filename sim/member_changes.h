// Sites that join, are evicted, and come back from a backup, as `quadrille init --from`, `member evict` and `restore`
// do it: over some seconds, again when whoever was asked is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/temporary_file.h"
#include "sim/agenda.h"
#include "sim/random_stream.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"

namespace quadrille::sim {

// Whether it knows itself to be a member that takes updates. Of one that is running.
bool may_write(SimulatedSite& site);

class MemberChanges {
 public:
  using Sites = std::vector<std::unique_ptr<SimulatedSite>>;
  struct Events {
    std::function<void(SimulatedSite&)> start;  // one that is not running
    // A new life begins, with so much of another one's store.
    std::function<void(const SimulatedSite&, const log::VersionVector&, uint64_t position)> on_new_life;
  };

  // All outlive it.
  MemberChanges(Sites& sites, uint64_t seed, Agenda& agenda, VirtualTime& time, Trace& trace, Events events);

  // Each returns whether it began.
  bool join(const std::string& site, const std::string& sponsor);
  bool evict(const std::string& site, const std::string& by);
  bool back_up(const std::string& site);
  // The disk is lost at once; it comes back through `begin_restore`.
  bool lose_disk(const std::string& site);
  void begin_restore(const std::string& site, const std::string& sponsor);

  // A step of what is under way. Outside of the event loop, every now and then.
  void step();
  bool is_under_way() const noexcept { return !joining_.empty(); }
  std::string describe() const;

  // Whether somebody evicted that life, or its disk was lost: what only it had may be gone.
  bool is_given_up(const log::SiteId& site) const { return given_up_.contains(site); }
  // Whether the site is out for now, or on its way in: it is not started by anybody else.
  bool is_out(const std::string& site) const { return out_.contains(site); }
  void set_out(const std::string& site) { out_.insert(site); }

 private:
  enum class Phase : uint8_t { NameIsTaken, KeepingLog, Asked };
  struct Joining {
    std::string sponsor;
    Phase phase = Phase::NameIsTaken;
    bool uses_backup = false;
    log::SiteId id;             // in its new life, once it is Asked
    uint64_t sponsor_life = 0;  // what was asked of an earlier life is not answered
    int64_t asked_us = 0;
    std::optional<bool> answer;  // to what was asked last
  };

  SimulatedSite& site(const std::string& name);
  // Who is to be asked: the one that was named, or else any member.
  SimulatedSite* find_sponsor(const Joining& joining, const std::string& joiner);
  bool step_one(const std::string& name, Joining& joining);
  void free_name(const std::string& name, Joining& joining, SimulatedSite& sponsor);
  void keep_log(const std::string& name, Joining& joining, SimulatedSite& sponsor);
  void ask(const std::string& name, Joining& joining, SimulatedSite& sponsor);
  bool has_joined(const Joining& joining) const;
  void answered(const std::string& name, const log::SiteId& id, bool is_ok);

  Sites& sites_;
  Agenda& agenda_;
  VirtualTime& time_;
  Trace& trace_;
  Events events_;
  RandomStream incarnations_;
  std::map<std::string, Joining> joining_;  // by name
  std::map<std::string, std::unique_ptr<base::TemporaryFile>> backups_;
  std::set<log::SiteId> given_up_;
  std::set<std::string> out_;
};

}  // namespace quadrille::sim
