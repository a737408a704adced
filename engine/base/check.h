// Checks that stay on in release builds: a failed check is a bug in Quadrille, never bad input.
#pragma once

namespace quadrille::base {

// Writes one line to standard error and aborts the process. Never returns.
[[noreturn]] void fail_check(const char* condition, const char* why, const char* file, int line) noexcept;

}  // namespace quadrille::base

#define QUADRILLE_CHECK(condition, why)                \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::quadrille::base::fail_check(#condition, why, __FILE__, __LINE__))
