#include "bench/crash_soak/reader.h"

#include <fmt/format.h>

#include <numeric>

#include "bench/crash_soak/accounts.h"

namespace quadrille::crash_soak {
namespace {

// Empty if the answer shows a whole state.
std::string trouble_of(const BalancesAnswer& answer, bool may_be_missing) {
  if (!answer.trouble.empty()) return answer.trouble;
  if (!answer.balances) return may_be_missing ? "" : "no account is there";
  const auto sum = std::accumulate(answer.balances->begin(), answer.balances->end(), int64_t{0});
  const auto expected = account_count * first_balance;
  return sum == expected ? "" : fmt::format("the balances sum up to {}; expected {}", sum, expected);
}

}  // namespace

void Reader::read_until_gone(const std::string& url, const std::string& own, const std::vector<std::string>& sites,
                             const std::atomic<bool>& is_ending) {
  while (findings_.empty()) {
    for (const auto& site : sites) {
      const auto answer = read_balances(http_, url, site);
      if (answer.status != 200 && is_ending) return;
      ++reads_;
      if (const auto trouble = trouble_of(answer, site != own); !trouble.empty()) {
        findings_.push_back(fmt::format("a reader at {} of the accounts of {}: {}", own, site, trouble));
      }
    }
  }
}

}  // namespace quadrille::crash_soak
