// What a policy of native code is deciding on this thread: for the report of a crash, which is the one thing that can
// still be said then (replica/crash_report.h).
#pragma once

#include <string_view>

#include "reconcile/policy.h"

namespace quadrille::policies {

// Holds the note as long as it lives. Not nested: a policy asks no other policy.
class DecidingNow {
 public:
  DecidingNow(std::string_view policy, const reconcile::CellName& cell) noexcept;
  explicit DecidingNow(std::string_view policy) noexcept;  // of a cell that is not known here
  ~DecidingNow();
  DecidingNow(const DecidingNow&) = delete;
  DecidingNow& operator=(const DecidingNow&) = delete;
};

// "policy 'p' on the cell <subject> <property> ...", or empty. Of the calling thread; safe in a signal handler.
const char* deciding_now() noexcept;

}  // namespace quadrille::policies
