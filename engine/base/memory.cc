#include "engine/base/memory.h"

#include <mimalloc.h>

// Not there in tests, nor under sanitizers, which bring memory of their own.
extern "C" __attribute__((weak)) void mi_option_set(mi_option_t option, long value);

namespace quadrille::base {

void keep_freed_memory() noexcept {
  constexpr long delay_ms = 10'000;
  if (mi_option_set == nullptr) return;
  mi_option_set(mi_option_decommit_delay, delay_ms);
  mi_option_set(mi_option_large_os_pages, 1);
}

}  // namespace quadrille::base
