// TLS 1.3 over any kj stream, both sides with certificates. RFC 8446, by OpenSSL.
//
// OpenSSL never sees a socket: it reads from and writes to memory, and what goes to and comes from the network is moved
// here, by promises that belong to the stream. So a promise of a read or write that is dropped loses nothing of the
// TLS connection beneath, as stream.h says of plain ones.
//
// After the handshake the listening side says one byte: the caller is let in. In TLS 1.3 a caller is through with its
// handshake before the other side has looked at its certificate; so it hears of a refusal here, with the reason,
// before anybody speaks the protocol.
//
// This header is for the sources of replica/transport.
#pragma once

#include <kj/async-io.h>

#include "replica/transport/certificate_names.h"
#include "replica/transport/openssl_handles.h"
#include "sync/connection.h"

namespace quadrille::replica {

enum class TlsRole : uint8_t { Caller, Listener };

// Both sides have shown a certificate that a CA of `ssl`'s has signed, and that names one member: the connection says
// which. Else the promise fails (DISCONNECTED) with one line, which goes on after "ADDRESS: ". Nothing of `plain` is
// left then. There is no limit of time.
kj::Promise<sync::Connection> make_tls(kj::Own<kj::AsyncIoStream> plain, SslHandle ssl, TlsRole role,
                                       IsMember is_member);

}  // namespace quadrille::replica
