#include "sync/heartbeat_book.h"

#include <algorithm>

namespace quadrille::sync {

namespace {

// A member has one, and for a while a second one when it was restored. More are made up.
constexpr size_t incarnations_per_member_max = 4;

}  // namespace

bool HeartbeatBook::is_one_too_many(const log::SiteId& site) const {
  if (last_number_.contains(site)) return false;
  const auto is_of_member = [&](const auto& each) { return each.first.name == site.name; };
  const auto count = std::count_if(last_number_.begin(), last_number_.end(), is_of_member);
  return static_cast<size_t>(count) >= incarnations_per_member_max;
}

bool HeartbeatBook::add(const reconcile::Heartbeat& heartbeat) {
  if (is_one_too_many(heartbeat.site)) return false;
  uint64_t& last = last_number_[heartbeat.site];
  if (heartbeat.number <= last) return false;
  last = heartbeat.number;
  auto& waiting = waiting_[heartbeat.site];
  if (waiting.size() == 2) waiting.pop_back();
  waiting.push_back(heartbeat);
  return true;
}

bool HeartbeatBook::has_covered(const log::VersionVector& own) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& each) {
    return std::any_of(each.second.begin(), each.second.end(),
                       [&](const reconcile::Heartbeat& heartbeat) { return own.covers(heartbeat.vector); });
  });
}

std::vector<HeartbeatBook::Ready> HeartbeatBook::take_covered(const log::VersionVector& own, uint64_t last_position) {
  std::vector<Ready> taken;
  for (auto& [site, waiting] : waiting_) {
    bool found = false;
    std::erase_if(waiting, [&, key = site](const reconcile::Heartbeat& heartbeat) {
      if (!own.covers(heartbeat.vector)) return false;
      ready_[key] = {heartbeat, last_position};
      return found = true;
    });
    if (found) taken.push_back(ready_[site]);
  }
  return taken;
}

}  // namespace quadrille::sync
