// Reaches other sites by TLS over TCP.
#pragma once

#include <string>

#include "replica/transport/certificate_names.h"
#include "replica/transport/dialer.h"
#include "replica/transport/tls_certificates.h"

namespace quadrille::replica {

// As AsioDialer; a connection is there once both sides have proved which members they are. Whoever dials limits the
// time.
class TlsDialer final : public sync::Dialer {
 public:
  // All outlive it.
  TlsDialer(AsioDialer& tcp, TlsCertificates& certificates, IsMember is_member)
      : tcp_(tcp), certificates_(certificates), is_member_(std::move(is_member)) {}
  kj::Promise<sync::Connection> dial(const std::string& address) override;

 private:
  AsioDialer& tcp_;
  TlsCertificates& certificates_;
  IsMember is_member_;
};

}  // namespace quadrille::replica
