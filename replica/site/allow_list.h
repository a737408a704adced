// Which addresses of others a site may ask for SERVICE and LOAD: [federation] allow.
//
// An entry is "http" or "https", a host, maybe a port, maybe a path: "https://query.example/sparql",
// "http://10.0.0.5:7878". It allows the addresses of the same scheme, host and port whose path is that path or goes on
// from it behind a '/'; without a path, all of that origin. Where its host resolves to is the operator's business: an
// address of a private network, or of this machine, is allowed so, and only so.
// The entry "*" allows every address whose host is somewhere on the public internet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::replica {

// What is compared of a URL that was parsed: scheme and host in lower case, an IPv6 address in its brackets, the port
// that is meant, the path without dot segments.
struct UrlParts {
  std::string scheme;
  std::string host;
  uint16_t port = 0;
  std::string path;
};

enum class Reach : uint8_t {
  Nowhere,
  PublicAddresses,
  AnyAddress,
};

class AllowList {
 public:
  AllowList() = default;  // allows nothing
  // InvalidInput: which entry, and what was expected.
  static base::Result<AllowList> parse(const std::vector<std::string>& entries);

  bool is_empty() const noexcept { return texts_.empty(); }
  // As they were given.
  const std::vector<std::string>& texts() const noexcept { return texts_; }
  Reach reach(const UrlParts& url) const;

 private:
  std::vector<std::string> texts_;
  std::vector<UrlParts> entries_;
  bool allows_public_ = false;
};

}  // namespace quadrille::replica
