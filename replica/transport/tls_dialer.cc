#include "replica/transport/tls_dialer.h"

#include "replica/transport/tls_stream.h"

namespace quadrille::replica {

kj::Promise<sync::Connection> TlsDialer::dial(const std::string& address) {
  return tcp_.connect(address).then([this](kj::Own<kj::AsyncIoStream> network) {
    return make_tls(kj::mv(network), certificates_.new_connection(), TlsRole::Caller, is_member_);
  });
}

}  // namespace quadrille::replica
