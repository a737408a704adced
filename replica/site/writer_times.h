// How long a site's writer is held by one piece of work.
#pragma once

#include <cstdint>

namespace quadrille::replica {

// How long the writer was held, since it started: whoever comes then waits so long.
struct WriterTimes {
  uint64_t groups = 0;
  uint64_t longest_group_us = 0;       // from its begin to its commit, and that too
  uint64_t longest_commit_us = 0;      // of a group: the flush, mostly
  uint64_t compaction_steps = 0;       // those that wrote something, and those that found nothing to do
  uint64_t longest_compaction_us = 0;  // a step, with its commit
};

}  // namespace quadrille::replica
