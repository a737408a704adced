// The accounts of a site: each has one balance, and transfers between them leave their sum as it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/crash_soak/http_session.h"

namespace quadrille::crash_soak {

constexpr int account_count = 12;
constexpr int64_t first_balance = 1000;
using Balances = std::array<int64_t, account_count>;

std::string accounts_graph(const std::string& site);  // an IRI
std::string account(int number);                      // "<urn:soak:account:3>"

// The update that opens them.
std::string open_accounts(const std::string& site);

// The balances of a site's accounts as the site at `url` has them; what is wrong with the answer, if it is not one
// balance for each account; nothing, if none has come there yet.
struct BalancesAnswer {
  std::optional<Balances> balances;
  std::string trouble;
  int status = 0;  // 0: nobody answered
};
BalancesAnswer read_balances(HttpSession& http, const std::string& url, const std::string& site);

}  // namespace quadrille::crash_soak
