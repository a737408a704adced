// Which hash a changeset had: of those that this site wrote or took in lately, also when the log no longer keeps them;
// and of its own that were answered before they were durable. Callable from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "log/changeset.h"
#include "replica/site/version_token.h"

namespace quadrille::replica {

class ChangesetMemory {
 public:
  // Of each origin the last so many.
  explicit ChangesetMemory(size_t per_origin_max = 16'384) : per_origin_max_(per_origin_max) {}

  // It is in the store, durably.
  void add(const log::ChangesetHeader& header);
  std::optional<ShortHash> find(const log::ChangesetId& changeset) const;

  // One of this site's own whose client was told of it, while its group is still open; and what came of it.
  void add_open(const log::ChangesetHeader& header);
  void end_open(const log::ChangesetHeader& header);
  // Nothing: it is not open. Else its hash.
  bool is_open(const VersionToken::Entry& entry) const;

 private:
  struct Recent {
    uint64_t first_seq = 0;
    std::deque<ShortHash> hashes;
  };

  const size_t per_origin_max_;
  mutable std::mutex mutex_;  // of what follows
  std::map<log::SiteId, Recent> recent_;
  std::multimap<uint64_t, ShortHash> open_;  // by seq: a group that fails is followed by others with the same numbers
};

}  // namespace quadrille::replica
