// What happened, in order: a running hash over every event, and on demand the text.
//
// Two runs of one seed must give the same hash. So no event may hold an address, a date of the real world, a path, or
// anything in the order of an unordered container.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sim/virtual_time.h"

namespace quadrille::sim {

class Trace {
 public:
  // `print`, if given, gets each event as a line.
  explicit Trace(const VirtualTime& time, std::function<void(std::string_view line)> print = {});

  void event(std::string_view site, std::string_view what);
  // What a site put on a link. Happens so often that only `print` and the hash hear of it.
  void message(std::string_view from, std::string_view to, std::string_view bytes);

  uint64_t hash() const;
  uint64_t event_count() const noexcept { return event_count_; }
  // The last events, oldest first, without messages: of a failing seed, how it came to that.
  const std::deque<std::string>& recent() const noexcept { return recent_; }

 private:
  struct FreeHashState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };

  const VirtualTime& time_;
  std::function<void(std::string_view)> print_;
  std::unique_ptr<XXH3_state_t, FreeHashState> hash_;
  uint64_t event_count_ = 0;
  std::deque<std::string> recent_;
};

}  // namespace quadrille::sim
