// How a program's memory is managed, for its main function.
#pragma once

namespace quadrille::base {

// Memory that was freed is kept for the next one who asks, for some seconds, and comes in large pages: a bulk load
// else spends more time in page faults than in work. Does something only in programs that are linked with mimalloc.
void keep_freed_memory() noexcept;

}  // namespace quadrille::base
