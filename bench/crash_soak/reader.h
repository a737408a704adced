// A client that reads all accounts again and again: no transfer is ever seen by half, neither here nor from elsewhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/crash_soak/http_session.h"

namespace quadrille::crash_soak {

class Reader {
 public:
  // Until the site at `url` does not answer any more. The accounts of `own` have to be there; those of the other sites
  // may not have come yet.
  void read_until_gone(const std::string& url, const std::string& own, const std::vector<std::string>& sites,
                       const std::atomic<bool>& is_ending);

  const std::vector<std::string>& findings() const { return findings_; }
  uint64_t reads() const { return reads_; }

 private:
  HttpSession http_;
  std::vector<std::string> findings_;
  uint64_t reads_ = 0;
};

}  // namespace quadrille::crash_soak
