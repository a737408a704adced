// A last word when native code of a policy ends the process: which policy was deciding which cell.
#pragma once

#include <cstddef>
#include <memory>

namespace quadrille::replica {

// From now on a fatal signal (a bad address, a division by zero, an abort) first writes one line to standard error, if
// a policy was deciding something on the thread that it meets (policies/deciding_now.h). Then the process ends as it
// would have. For main, before there are threads; leaves alone what a sanitizer has installed.
void report_crashes() noexcept;

// A stack for signal handlers, of the thread that makes it, as long as it lives: without one a policy that recurses
// without end has left no room for the last word.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;  // none where the thread has had a stack before
};

}  // namespace quadrille::replica
