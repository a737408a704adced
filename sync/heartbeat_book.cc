#include "sync/heartbeat_book.h"

#include <algorithm>

namespace quadrille::sync {

bool HeartbeatBook::add(const reconcile::Heartbeat& heartbeat) {
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
