// A TCP connection as a kj stream.
//
// Caveats. A kj promise may be dropped at any time, and its buffer with it. So Asio never holds a buffer of kj's: it is
// only asked to say when the socket is ready, and reading and writing are done here, without blocking. Dropping the
// promise of a read loses nothing; dropping the promise of a write leaves the stream half-written, and it should be
// closed. No exception leaves a handler: errors of the network become kj exceptions of type DISCONNECTED.
//
// This header is for the sources of replica/transport: it includes Asio.
#pragma once

#include <kj/async-io.h>

#include <asio/ip/tcp.hpp>

namespace quadrille::replica {

// Takes the connected socket; sets TCP_NODELAY and keep-alive.
kj::Own<kj::AsyncIoStream> make_stream(asio::ip::tcp::socket socket);

}  // namespace quadrille::replica
