#include "log/version_vector.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::log {
namespace {

auto find_place(auto& entries, const SiteId& origin) {
  return std::lower_bound(entries.begin(), entries.end(), origin,
                          [](const VersionVector::Entry& entry, const SiteId& site) { return entry.first < site; });
}

}  // namespace

uint64_t VersionVector::at(const SiteId& origin) const noexcept {
  const auto place = find_place(entries_, origin);
  return place != entries_.end() && place->first == origin ? place->second : 0;
}

bool VersionVector::covers(const VersionVector& other) const noexcept {
  return std::all_of(other.entries_.begin(), other.entries_.end(),
                     [this](const Entry& entry) { return covers(entry.first, entry.second); });
}

void VersionVector::raise(const SiteId& origin, uint64_t seq) {
  if (seq == 0) return;
  const auto place = find_place(entries_, origin);
  if (place != entries_.end() && place->first == origin) {
    place->second = std::max(place->second, seq);
  } else {
    entries_.insert(place, {origin, seq});
  }
}

void VersionVector::merge(const VersionVector& other) {
  for (const auto& [origin, seq] : other.entries_) raise(origin, seq);
}

void VersionVector::intersect(const VersionVector& other) {
  for (auto& [origin, seq] : entries_) seq = std::min(seq, other.at(origin));
  std::erase_if(entries_, [](const Entry& entry) { return entry.second == 0; });
}

std::string to_string(const VersionVector& vector) {
  std::string text = "{";
  for (const auto& [origin, seq] : vector.entries()) {
    text += fmt::format("{}{}:{}", text.size() > 1 ? ", " : "", to_string(origin), seq);
  }
  return text + "}";
}

}  // namespace quadrille::log
