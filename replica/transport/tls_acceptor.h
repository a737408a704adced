// Takes callers in by TLS: a handshake has a limit of time, and only so many are under way at once. One more: the
// oldest is hung up on, so that callers who never end theirs keep nobody out.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "replica/transport/certificate_names.h"
#include "replica/transport/tls_certificates.h"
#include "sync/connection.h"

namespace quadrille::replica {

class TlsAcceptor final : private kj::TaskSet::ErrorHandler {
 public:
  struct Parts {
    TlsCertificates& certificates;
    IsMember is_member;
    kj::Timer& timer;
    std::function<void(sync::Connection)> accepted;      // must not throw
    std::function<void(const std::string&)> on_refused;  // one line: from where, and why
    uint64_t handshake_ms_max = 10'000;
    size_t handshakes_max = 64;
  };
  explicit TlsAcceptor(Parts parts);
  ~TlsAcceptor() noexcept;  // hangs up on those under way

  // `from`: the caller's address.
  void accept(kj::Own<kj::AsyncIoStream> network, const std::string& from);
  size_t handshakes() const noexcept { return handshakes_.size(); }

 private:
  struct Handshake {
    std::string from;
    kj::Promise<void> promise;
  };
  void end(uint64_t number);
  void refuse(const std::string& from, const std::string& why);
  void taskFailed(kj::Exception&& exception) override;

  Parts parts_;
  uint64_t last_number_ = 0;
  std::map<uint64_t, Handshake> handshakes_;  // under way, by age
  kj::TaskSet tasks_;
};

}  // namespace quadrille::replica
