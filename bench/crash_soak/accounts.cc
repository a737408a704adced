#include "bench/crash_soak/accounts.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <vector>

namespace quadrille::crash_soak {
namespace {

const std::string account_prefix = "urn:soak:account:";

// "urn:soak:account:3,1000" as {3, 1000}.
std::optional<std::pair<int, int64_t>> read_row(std::string row) {
  if (row.ends_with('\r')) row.pop_back();
  const auto comma = row.find(',');
  if (!row.starts_with(account_prefix) || comma == std::string::npos) return {};
  std::pair<int, int64_t> read{-1, 0};
  std::from_chars(row.data() + account_prefix.size(), row.data() + comma, read.first);
  const auto end = std::from_chars(row.data() + comma + 1, row.data() + row.size(), read.second);
  if (end.ec != std::errc() || end.ptr != row.data() + row.size()) return {};
  if (read.first < 0 || read.first >= account_count) return {};
  return read;
}

}  // namespace

std::string accounts_graph(const std::string& site) { return "urn:soak:accounts:" + site; }

std::string account(int number) { return fmt::format("<{}{}>", account_prefix, number); }

std::string open_accounts(const std::string& site) {
  std::string text = fmt::format("INSERT DATA {{ GRAPH <{}> {{\n", accounts_graph(site));
  for (int i = 0; i < account_count; ++i) {
    text += fmt::format("{} <urn:soak:balance> {} .\n", account(i), first_balance);
  }
  return text + "} }";
}

BalancesAnswer read_balances(HttpSession& http, const std::string& url, const std::string& site) {
  const auto query =
      fmt::format("SELECT ?a ?b WHERE {{ GRAPH <{}> {{ ?a <urn:soak:balance> ?b }} }}", accounts_graph(site));
  const auto answer = http.post(url + "/sparql", "application/sparql-query", query, "text/csv");
  if (answer.status != 200) return {{}, fmt::format("status {}: {}", answer.status, answer.body), answer.status};
  std::array<std::vector<int64_t>, account_count> found;
  std::istringstream rows(answer.body);
  std::string row;
  std::getline(rows, row);  // the names
  bool is_empty = true;
  while (std::getline(rows, row)) {
    const auto read = read_row(row);
    if (!read) return {{}, fmt::format("not a balance: {}", row), 200};
    found[static_cast<size_t>(read->first)].push_back(read->second);
    is_empty = false;
  }
  if (is_empty) return {{}, {}, 200};
  Balances balances{};
  for (size_t i = 0; i < account_count; ++i) {
    if (found[i].size() != 1) {
      return {{}, fmt::format("account {} has {} balances; expected one", i, found[i].size()), 200};
    }
    balances[i] = found[i].front();
  }
  return {balances, {}, 200};
}

}  // namespace quadrille::crash_soak
