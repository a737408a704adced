#include "replica/recent_trouble.h"

#include <algorithm>

namespace quadrille::replica {

void RecentTrouble::add(const std::string& line) {
  const int64_t now = clock_.now_ms();
  const auto known =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& each) { return each.told.text == line; });
  if (known != lines_.end()) {
    lines_.splice(lines_.begin(), lines_, known);
  } else {
    lines_.push_front({{line, 0, 0}, now - quiet_ms_});
    if (lines_.size() > lines_max_) lines_.pop_back();
  }
  Line& newest = lines_.front();
  newest.told.last_ms = now;
  ++newest.told.count;
  const int64_t since_said = now - newest.said_ms;
  if (since_said >= 0 && since_said < quiet_ms_) return;  // less than nothing: the clock was set back
  newest.said_ms = now;
  if (say_) say_(line);
}

std::vector<TroubleLine> RecentTrouble::lines() const {
  std::vector<TroubleLine> told;
  for (const Line& line : lines_) told.push_back(line.told);
  return told;
}

}  // namespace quadrille::replica
