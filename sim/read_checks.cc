#include "sim/read_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/site_query.h"
#include "sim/workload.h"

namespace quadrille::sim {
namespace {

using Row = std::pair<std::string, std::string>;

using Rows = std::vector<Row>;

// Subjects and objects of a property.
base::Result<Rows> select(SimulatedSite& site, const char* property) {
  return select_rows(site, fmt::format("SELECT ?subject ?object WHERE {{ ?subject <{}> ?object }}", property));
}

std::optional<checks::Violation> failed(const SimulatedSite& site, const base::Error& error) {
  return checks::Violation{"reads", fmt::format("  {} does not answer a query: {}", site.name(), error.message)};
}

std::optional<checks::Violation> found(const SimulatedSite& site, const char* check, const std::string& what) {
  return checks::Violation{check, fmt::format("  read at {}: {}", site.name(), what)};
}

// The number after the last `separator`, or all of it.
int64_t number_after(std::string_view text, char separator) {
  auto digits = text.substr(text.rfind(separator) + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool is_quad_cell(const reconcile::CellRule& rule) { return rule.kind == log::CellKind::Quad; }

}  // namespace

ReadChecks::ReadChecks(const reconcile::Assignment& assignment, const reconcile::PolicyRegistry& policies) {
  const auto rule_of = [&](const char* property) { return reconcile::find_rule(assignment, policies, "", property); };
  const auto left = rule_of(iri_left);
  const auto right = rule_of(iri_right);
  pairs_are_whole_ = is_quad_cell(left) && is_quad_cell(right) && left.decided_by.text == right.decided_by.text;
  const auto name = rule_of(iri_name);
  names_are_single_ = name.kind == log::CellKind::Value && !name.decided_by.policy->accepts_several_values();
  const auto balance = rule_of(iri_balance);
  balances_agree_ = balance.kind == log::CellKind::Value && balance.decided_by.policy->name() == "sum" &&
                    is_quad_cell(rule_of(iri_entry));
  bulks_are_whole_ = is_quad_cell(rule_of(iri_item));
}

std::optional<checks::Violation> ReadChecks::read(SimulatedSite& site) const {
  if (auto violation = check_pairs(site)) return violation;
  if (auto violation = check_names(site)) return violation;
  if (auto violation = check_balances(site)) return violation;
  return check_bulks(site);
}

std::optional<checks::Violation> ReadChecks::check_pairs(SimulatedSite& site) const {
  if (!pairs_are_whole_) return std::nullopt;
  const auto left = select(site, iri_left);
  if (!left.ok()) return failed(site, left.error());
  const auto right = select(site, iri_right);
  if (!right.ok()) return failed(site, right.error());
  const std::set<Row> lefts(left->begin(), left->end());
  const std::set<Row> rights(right->begin(), right->end());
  for (const auto& [one, other, has, lacks] :
       {std::tuple(&lefts, &rights, "left", "right"), std::tuple(&rights, &lefts, "right", "left")}) {
    for (const auto& row : *one) {
      if (other->contains(row)) continue;
      return found(site, "whole transactions",
                   fmt::format("<{}> has {} \"{}\" and lacks {}, though each transaction writes both", row.first, has,
                               row.second, lacks));
    }
  }
  return std::nullopt;
}

std::optional<checks::Violation> ReadChecks::check_names(SimulatedSite& site) const {
  if (!names_are_single_) return std::nullopt;
  const auto names = select(site, iri_name);
  if (!names.ok()) return failed(site, names.error());
  std::map<std::string, std::string> seen;
  for (const auto& [person, name] : *names) {
    const auto [place, is_first] = seen.emplace(person, name);
    if (!is_first) {
      return found(site, "one value", fmt::format("<{}> has the names \"{}\" and \"{}\"", person, place->second, name));
    }
  }
  return std::nullopt;
}

std::optional<checks::Violation> ReadChecks::check_balances(SimulatedSite& site) const {
  if (!balances_agree_) return std::nullopt;
  const auto balances = select(site, iri_balance);
  if (!balances.ok()) return failed(site, balances.error());
  const auto entries = select(site, iri_entry);
  if (!entries.ok()) return failed(site, entries.error());
  std::map<std::string, int64_t> expected;
  for (const auto& [account, balance] : *balances) {
    if (!expected.emplace(account, opening_balance).second) {
      return found(site, "one value", fmt::format("<{}> has two balances", account));
    }
  }
  for (const auto& [account, entry] : *entries) {
    const auto place = expected.find(account);
    if (place == expected.end()) {
      return found(site, "whole transactions", fmt::format("<{}> has the entry \"{}\" and no balance", account, entry));
    }
    place->second += number_after(entry, ' ');
  }
  for (const auto& [account, balance] : *balances) {
    if (number_after(balance, ' ') == expected.at(account)) continue;
    return found(
        site, "ledger",
        fmt::format("<{}> has the balance {}, and entries that make {}", account, balance, expected.at(account)));
  }
  return std::nullopt;
}

std::optional<checks::Violation> ReadChecks::check_bulks(SimulatedSite& site) const {
  if (!bulks_are_whole_) return std::nullopt;
  const auto items = select(site, iri_item);
  if (!items.ok()) return failed(site, items.error());
  std::map<std::string, int64_t> counts;
  for (const auto& [bulk, item] : *items) ++counts[bulk];
  for (const auto& [bulk, count] : counts) {
    const int64_t written = number_after(bulk, '/');
    if (count != written) {
      return found(site, "whole transactions",
                   fmt::format("<{}> has {} items of {} that were written together", bulk, count, written));
    }
  }
  return std::nullopt;
}

}  // namespace quadrille::sim
