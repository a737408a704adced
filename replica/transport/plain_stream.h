// A connection without TLS that knows when the other side speaks TLS: reading then fails (DISCONNECTED) with a line
// that says so, instead of with whatever the first bytes would mean as a message.
#pragma once

#include <kj/async-io.h>

namespace quadrille::replica {

kj::Own<kj::AsyncIoStream> make_plain(kj::Own<kj::AsyncIoStream> network);

}  // namespace quadrille::replica
