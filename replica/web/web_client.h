// Fetches from addresses that the site's configuration allows, over HTTP (libcurl), and from nowhere else.
//
// Each address, also one that a redirect leads to, is compared with the list, and the socket that is to be opened with
// what the list says of its host: no name, however it resolves, leads into a private network. No proxy is used, no
// cookie kept, nothing decompressed. What is read is bounded. Connections are kept for the next request of the same
// reach.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "replica/site/allow_list.h"
#include "replica/web/connections.h"

namespace quadrille::web {

struct WebRequest {
  std::string url;
  std::string accept;
  std::optional<std::string> form = std::nullopt;  // sent by POST, as application/x-www-form-urlencoded; absent: GET
  uint64_t bytes_max = 0;                          // of the answer's body; more is ResourceExhausted
  std::optional<int64_t> deadline_us = std::nullopt;
  const std::atomic<bool>* cancelled = nullptr;
};

struct WebReply {
  std::string url;           // where it was found in the end, without a fragment
  std::string content_type;  // as it was sent
  std::string body;
};

// Callable from any thread, by several at once.
class WebClient {
 public:
  // The clock, which deadlines are told by, outlives the client.
  WebClient(replica::AllowList allowed, const base::SteadyClock& clock) : allowed_(std::move(allowed)), clock_(clock) {}

  // An answer with a status of 2xx. Refused: the address is not allowed. Unavailable: nobody answers, or not so.
  // Timeout, ResourceExhausted as above. Errors name the address.
  base::Result<WebReply> send(const WebRequest& request);

 private:
  replica::AllowList allowed_;
  const base::SteadyClock& clock_;
  Connections connections_;
};

}  // namespace quadrille::web
