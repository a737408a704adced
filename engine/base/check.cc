#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace quadrille::base {

void fail_check(const char* condition, const char* why, const char* file, int line) noexcept {
  std::fprintf(stderr, "quadrille: bug at %s:%d: %s (%s)\n", file, line, why, condition);
  std::abort();
}

}  // namespace quadrille::base
