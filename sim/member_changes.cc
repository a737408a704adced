#include "sim/member_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

constexpr int64_t patience_us = 5'000'000;  // until what was asked is asked again
constexpr int64_t log_kept_ms = 3'600'000;

}  // namespace

bool may_write(SimulatedSite& site) {
  const auto membership = site.store().membership();
  return membership.is_member(site.id()) && !site.site().sync().is_told_evicted() &&
         (!site.store().identity().is_copy || membership.joined_by(site.id()));
}

MemberChanges::MemberChanges(Sites& sites, uint64_t seed, Agenda& agenda, VirtualTime& time, Trace& trace,
                             Events events)
    : sites_(sites),
      agenda_(agenda),
      time_(time),
      trace_(trace),
      events_(std::move(events)),
      incarnations_(seed, "incarnations of those who join") {}

SimulatedSite& MemberChanges::site(const std::string& name) {
  const auto found = std::find_if(sites_.begin(), sites_.end(), [&](const auto& each) { return each->name() == name; });
  QUADRILLE_CHECK(found != sites_.end(), "members are sites of the scenario");
  return **found;
}

bool MemberChanges::join(const std::string& name, const std::string& sponsor) {
  if (site(name).is_running() || joining_.contains(name) || !out_.contains(name)) return false;
  trace_.event(name, "is to join, by " + sponsor);
  joining_[name].sponsor = sponsor;
  return true;
}

// Two that evict each other, with nobody else to ask, are two clusters from then on: not without a third.
bool MemberChanges::evict(const std::string& name, const std::string& by) {
  auto& asked = site(by);
  if (!asked.is_running() || asked.is_paused() || !may_write(asked)) return false;
  const auto membership = asked.store().membership();
  if (membership.names().size() < membership.pending().size() + 3 || !membership.has_name(name)) return false;
  trace_.event(by, "is asked to evict " + name);
  given_up_.insert(site(name).id());
  asked.site().evict_member(name, [this, by, name](const auto& receipt) {
    trace_.event(by, receipt.ok() ? "has evicted " + name : "does not evict: " + receipt.error().message);
  });
  return true;
}

bool MemberChanges::back_up(const std::string& name) {
  auto& owner = site(name);
  if (!owner.is_running() || !may_write(owner)) return false;
  auto copy = owner.copy();
  trace_.event(name, copy.ok() ? "is backed up" : "is not backed up: " + copy.error().message);
  if (copy.ok()) backups_[name] = std::move(copy).value();
  return copy.ok();
}

bool MemberChanges::lose_disk(const std::string& name) {
  if (out_.contains(name) || joining_.contains(name)) return false;
  auto& owner = site(name);
  given_up_.insert(owner.id());
  out_.insert(name);
  owner.lose_disk();
  return true;
}

void MemberChanges::begin_restore(const std::string& name, const std::string& sponsor) {
  trace_.event(name, "is to be restored, by " + sponsor);
  auto& joining = joining_[name];
  joining.sponsor = sponsor;
  joining.uses_backup = backups_.contains(name);
}

SimulatedSite* MemberChanges::find_sponsor(const Joining& joining, const std::string& joiner) {
  SimulatedSite* found = nullptr;
  for (auto& each : sites_) {
    if (each->name() == joiner || !each->is_running() || each->is_paused() || !may_write(*each)) continue;
    if (!found || each->name() == joining.sponsor) found = each.get();
  }
  return found;
}

void MemberChanges::step() {
  std::vector<std::string> done;
  for (auto& [name, joining] : joining_) {
    if (step_one(name, joining)) done.push_back(name);
  }
  for (const auto& name : done) joining_.erase(name);
}

// Any store that tells of it: the changeset by which it was let in is durable somewhere.
bool MemberChanges::has_joined(const Joining& joining) const {
  return std::any_of(sites_.begin(), sites_.end(), [&](const auto& each) {
    return each->is_running() && each->store().membership().joined_by(joining.id);
  });
}

bool MemberChanges::step_one(const std::string& name, Joining& joining) {
  if (joining.phase == Phase::Asked && has_joined(joining)) {
    out_.erase(name);
    events_.start(site(name));
    return true;
  }
  auto* sponsor = find_sponsor(joining, name);
  if (!sponsor) return false;
  const bool is_the_same = sponsor->name() == joining.sponsor && sponsor->life_number() == joining.sponsor_life;
  const bool is_back = sponsor->name() == joining.sponsor && !is_the_same;
  const bool is_late = time_.now_us() > joining.asked_us + patience_us;
  const bool is_hopeless = time_.now_us() > joining.asked_us + 6 * patience_us;
  switch (joining.phase) {
    case Phase::NameIsTaken:
      if (sponsor->store().membership().has_name(name)) {
        if (is_late || !is_the_same) free_name(name, joining, *sponsor);
      } else {
        keep_log(name, joining, *sponsor);
      }
      return false;
    case Phase::KeepingLog:
      if (!is_the_same || joining.answer == false) {
        joining.phase = Phase::NameIsTaken;
      } else if (joining.answer == true) {
        ask(name, joining, *sponsor);
      }
      return false;
    case Phase::Asked:
      // One that was asked and is gone may have let it in all the same: then its log says so when it is back.
      if (joining.answer == false || (is_late && is_the_same) || is_back || is_hopeless) {
        joining.phase = Phase::NameIsTaken;
      }
      return false;
  }
  return false;
}

void MemberChanges::free_name(const std::string& name, Joining& joining, SimulatedSite& sponsor) {
  joining.sponsor = sponsor.name();
  joining.sponsor_life = sponsor.life_number();
  joining.asked_us = time_.now_us();
  sponsor.site().evict_member(name, [this, name, by = sponsor.name()](const auto& receipt) {
    trace_.event(by, receipt.ok() ? "has evicted " + name : "does not evict: " + receipt.error().message);
  });
}

void MemberChanges::keep_log(const std::string& name, Joining& joining, SimulatedSite& sponsor) {
  joining.phase = Phase::KeepingLog;
  joining.sponsor = sponsor.name();
  joining.sponsor_life = sponsor.life_number();
  joining.asked_us = time_.now_us();
  joining.answer.reset();
  joining.id = {name, incarnations_.next()};
  const int64_t until_ms = sponsor.wall_clock().now_ms() + log_kept_ms;
  sponsor.site().writer().submit(
      [until_ms](reconcile::WriteGroup& group) { group.keep_log_until(until_ms); },
      [this, name, id = joining.id](const auto& committed) { answered(name, id, committed.ok()); });
}

void MemberChanges::ask(const std::string& name, Joining& joining, SimulatedSite& sponsor) {
  auto& joiner = site(name);
  const auto backup = backups_.find(name);
  const bool uses_backup = std::exchange(joining.uses_backup, false) && backup != backups_.end();
  std::unique_ptr<base::TemporaryFile> copy;
  if (!uses_backup) {
    auto made = sponsor.copy();
    if (!made.ok()) {
      trace_.event(sponsor.name(), "makes no copy: " + made.error().message);
      joining.phase = Phase::NameIsTaken;
      return;
    }
    copy = std::move(made).value();
  }
  log::VersionVector has;
  uint64_t position = 0;
  const auto adopted = joiner.adopt(uses_backup ? *backup->second : *copy, joining.id, &has, &position);
  if (!adopted.ok()) {
    trace_.event(name, "takes no copy: " + adopted.error().message);
    joining.phase = Phase::NameIsTaken;
    return;
  }
  trace_.event(name, fmt::format("has {} of {}, {}", uses_backup ? "its backup" : "a copy",
                                 uses_backup ? name : sponsor.name(), log::to_string(has)));
  events_.on_new_life(joiner, has, position);
  joining.phase = Phase::Asked;
  joining.answer.reset();
  joining.asked_us = time_.now_us();
  sponsor.site().add_member(joining.id, has, [this, name, id = joining.id, by = sponsor.name()](const auto& receipt) {
    trace_.event(by, receipt.ok() ? "lets " + name + " join" : "does not let it join: " + receipt.error().message);
    answered(name, id, receipt.ok());
  });
}

void MemberChanges::answered(const std::string& name, const log::SiteId& id, bool is_ok) {
  const auto found = joining_.find(name);
  if (found != joining_.end() && found->second.id == id) found->second.answer = is_ok;
}

std::string MemberChanges::describe() const {
  std::string text;
  for (const auto& [name, joining] : joining_) {
    constexpr const char* phases[] = {"its name is taken", "the log is to be kept", "it was asked for"};
    text +=
        fmt::format("  {} is to join by {}: {}\n", name, joining.sponsor, phases[static_cast<size_t>(joining.phase)]);
  }
  return text;
}

}  // namespace quadrille::sim
