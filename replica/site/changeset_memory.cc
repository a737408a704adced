#include "replica/site/changeset_memory.h"

#include <algorithm>

namespace quadrille::replica {

void ChangesetMemory::add(const log::ChangesetHeader& header) {
  const std::lock_guard lock(mutex_);
  Recent& recent = recent_[header.id.origin];
  if (header.id.seq != recent.first_seq + recent.hashes.size()) recent = {header.id.seq, {}};
  recent.hashes.push_back(short_hash(header.hash));
  if (recent.hashes.size() <= per_origin_max_) return;
  recent.hashes.pop_front();
  ++recent.first_seq;
}

std::optional<ShortHash> ChangesetMemory::find(const log::ChangesetId& changeset) const {
  const std::lock_guard lock(mutex_);
  const auto found = recent_.find(changeset.origin);
  if (found == recent_.end() || changeset.seq < found->second.first_seq) return std::nullopt;
  const uint64_t place = changeset.seq - found->second.first_seq;
  if (place >= found->second.hashes.size()) return std::nullopt;
  return found->second.hashes[place];
}

void ChangesetMemory::add_open(const log::ChangesetHeader& header) {
  const std::lock_guard lock(mutex_);
  open_.emplace(header.id.seq, short_hash(header.hash));
}

void ChangesetMemory::end_open(const log::ChangesetHeader& header) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = open_.equal_range(header.id.seq);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return entry.second == short_hash(header.hash); });
  if (found != end) open_.erase(found);
}

bool ChangesetMemory::is_open(const VersionToken::Entry& entry) const {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = open_.equal_range(entry.changeset.seq);
  return std::any_of(begin, end, [&](const auto& open) { return !entry.hash || open.second == *entry.hash; });
}

}  // namespace quadrille::replica
