// Keeps a connection to one address: dials, waits until the connection has ended, and dials again.
//
// The delay doubles with each failure, up to a maximum, and is cut by chance by up to a half, so that sites that lost
// each other at one moment do not all call at one moment. After a refusal it is the maximum at once. While the site
// behind the address is connected by a connection that it made itself, nothing is dialed.
#pragma once

#include <kj/async-io.h>
#include <kj/timer.h>

#include <functional>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "sync/alarm.h"
#include "sync/session.h"
#include "sync/sync_node.h"

namespace quadrille::sync {

class PeerDialer {
 public:
  struct Parts {
    Dialer& dialer;
    kj::Timer& timer;
    base::RandomSource& random;
    const SyncOptions& options;
    // The connection is there; the result is the session, which reports its end to on_session_ended().
    std::function<const Session*(Connection)> on_connected;
    std::function<bool(const log::SiteId&)> is_connected_to;
    std::function<void(const PeerDialer&)> on_failed;  // trouble() has changed
  };
  PeerDialer(Parts parts, std::string address);

  void start() { dial(); }
  void on_session_ended(const Session& session);
  // A connection with that site has ended, whoever made it.
  void on_site_left(const log::SiteId& site);

  const std::string& address() const noexcept { return address_; }
  const std::optional<log::SiteId>& site() const noexcept { return site_; }  // once greeted
  const std::string& trouble() const noexcept { return trouble_; }           // of the last attempt
  bool is_refused() const noexcept { return is_refused_; }
  const Session* session() const noexcept { return session_; }

 private:
  void dial();
  void fail(std::string trouble);
  void dial_later();

  Parts parts_;
  std::string address_;
  std::optional<log::SiteId> site_;
  std::string trouble_;
  bool is_refused_ = false;
  uint32_t failures_ = 0;
  const Session* session_ = nullptr;
  bool is_waiting_for_site_ = false;
  Alarm alarm_;
  kj::Promise<void> dialing_ = nullptr;
};

}  // namespace quadrille::sync
