// What somebody has: for each origin, all changesets up to a sequence number.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "log/site_id.h"

namespace quadrille::log {

// A value; absent origins stand at 0. Kept sorted by origin, so equal vectors compare equal and encode to equal bytes.
class VersionVector {
 public:
  using Entry = std::pair<SiteId, uint64_t>;

  uint64_t at(const SiteId& origin) const noexcept;
  bool covers(const SiteId& origin, uint64_t seq) const noexcept { return at(origin) >= seq; }
  bool covers(const VersionVector& other) const noexcept;
  // Never lowers an entry.
  void raise(const SiteId& origin, uint64_t seq);
  void merge(const VersionVector& other);                                  // the larger of each
  void intersect(const VersionVector& other);                              // the smaller of each
  const std::vector<Entry>& entries() const noexcept { return entries_; }  // no zeros
  bool empty() const noexcept { return entries_.empty(); }

  friend bool operator==(const VersionVector&, const VersionVector&) = default;

 private:
  std::vector<Entry> entries_;
};
std::string to_string(const VersionVector& vector);  // "{ams.00c0ffee00c0ffee:12, nyc.…:7}"

}  // namespace quadrille::log
