#include "tests/model/checker/scopes.h"

namespace quadrille::model_check {
namespace {

using Menu = std::vector<std::array<Write, cells_max>>;

constexpr Write any = Write::A;  // which one follows from site and number

// Of one cell. What a transaction writes elsewhere does not matter to the cell, only that the transaction was.
Menu one_cell() { return {{any, Write::None}}; }
Menu one_cell_or_another() { return {{any, Write::None}, {Write::None, Write::None}}; }
Menu all_values() { return {{Write::A, Write::None}, {Write::B, Write::None}, {Write::Delete, Write::None}}; }
Menu two_cells() { return {{any, Write::None}, {Write::None, any}, {any, any}}; }

Setting scope(std::string name, uint8_t transactions, uint8_t heartbeats, Menu menu) {
  Setting setting;
  setting.name = std::move(name);
  setting.transactions = transactions;
  setting.heartbeats = heartbeats;
  setting.menu = std::move(menu);
  setting.chooses_values = setting.menu.size() > 2 && setting.menu[1] == Menu::value_type{Write::B, Write::None};
  return setting;
}

struct Bounds {
  uint8_t transactions;
  uint8_t heartbeats;
};

std::vector<Setting> scopes_without_policies(Size size) {
  const auto pick = [&](Bounds short_form, Bounds full_form) { return size == Size::Short ? short_form : full_form; };
  std::vector<Setting> all;
  const auto add = [&](std::string name, Bounds bounds, Menu menu) -> Setting& {
    all.push_back(scope(std::move(name), bounds.transactions, bounds.heartbeats, std::move(menu)));
    return all.back();
  };
  add("three sites", pick({3, 1}, {4, 1}), one_cell_or_another());
  add("five transactions", pick({4, 0}, {5, 1}), one_cell()).by_site_max = {2, 2, 1};
  add("more heartbeats", pick({2, 3}, {3, 3}), one_cell());
  add("all values", pick({3, 0}, {4, 0}), all_values());
  add("all values, folds", pick({2, 1}, {3, 1}), all_values());
  add("two sites", pick({3, 2}, {4, 2}), all_values()).sites = 2;
  add("two sites, five transactions", pick({4, 0}, {5, 2}), one_cell_or_another()).sites = 2;
  add("a line of sites", pick({3, 1}, {4, 1}), one_cell()).topology = Topology::Line;
  auto& cells = add("two cells", pick({2, 1}, {3, 1}), two_cells());
  cells.cells = 2;
  add("a join", pick({2, 1}, {3, 2}), one_cell()).has_join = true;
  add("an eviction", pick({2, 1}, {3, 1}), one_cell()).has_eviction = true;
  add("a crash", pick({2, 1}, {3, 1}), one_cell()).crashes = 1;
  auto& everything = add("a join, an eviction and a crash", pick({1, 0}, {2, 1}), one_cell());
  everything.has_join = true;
  everything.has_eviction = true;
  everything.crashes = 1;
  return all;
}

}  // namespace

std::vector<ModelPolicy> policies_with(Retention retention) {
  std::vector<ModelPolicy> policies;
  for (const ModelPolicy policy : all_model_policies()) {
    if (retention_of(policy) == retention) policies.push_back(policy);
  }
  return policies;
}

namespace {

// From each retention to each other: a policy that is given less, and one that is given more.
std::vector<Setting> changes_of_assignment(Size size) {
  const std::vector<std::pair<std::vector<ModelPolicy>, std::vector<ModelPolicy>>> changes = {
      {{ModelPolicy::LastWriterWins, ModelPolicy::MaximalHash}, {ModelPolicy::HistoryHash, ModelPolicy::HistoryHash}},
      {{ModelPolicy::HistoryHash, ModelPolicy::HistoryHash}, {ModelPolicy::KeepAll, ModelPolicy::MaximalHash}},
      {{ModelPolicy::SettledHash}, {ModelPolicy::HistoryHash}},
      {{ModelPolicy::HistoryHash}, {ModelPolicy::SettledHash}},
      {{ModelPolicy::MaximalHash, ModelPolicy::Max}, {ModelPolicy::SettledHash, ModelPolicy::Sum}},
      {{ModelPolicy::SettledHash, ModelPolicy::Sum}, {ModelPolicy::MaximalHash, ModelPolicy::Min}}};
  std::vector<Setting> all;
  for (const auto& [before, after] : changes) {
    for (const bool is_pair : {false, true}) {
      const bool is_short = size == Size::Short;
      Setting setting = scope("a change of policies", is_pair ? (is_short ? 4 : 5) : (is_short ? 2 : 3), 1, one_cell());
      if (is_pair) setting.sites = 2;
      setting.policies = before;
      setting.later = after;
      all.push_back(setting);
    }
  }
  return all;
}

}  // namespace

std::vector<Setting> scopes(Size size) {
  std::vector<Setting> all;
  for (const Setting& setting : scopes_without_policies(size)) {
    for (const Retention retention :
         {Retention::AllVersions, Retention::MaximalVersions, Retention::UnlessStableAndAllSeen}) {
      all.push_back(setting);
      all.back().policies = policies_with(retention);
    }
  }
  for (Setting& setting : changes_of_assignment(size)) all.push_back(std::move(setting));
  return all;
}

Setting scope_of(BrokenRule rule) {
  Setting setting = scope(std::string(name_of(rule)), 2, 1, all_values());
  setting.broken = rule;
  setting.compares_records = false;  // quads that differ make the better story
  setting.policies = {ModelPolicy::LastWriterWins};
  switch (rule) {
    case BrokenRule::FoldsByStamp:
      setting.sites = 2;
      setting.policies = {ModelPolicy::AddWins};
      break;
    case BrokenRule::FoldsSingleVersions:
    case BrokenRule::FoldsPartsOfComponents: setting.policies = {ModelPolicy::AddWins}; break;
    case BrokenRule::FoldsWhatDoesNotLead:
    case BrokenRule::HeartbeatCountsAtOnce:
    case BrokenRule::HeartbeatPastUnsent: setting.sites = 2; break;
    case BrokenRule::HeartbeatBeforeDurable:
    case BrokenRule::SendsBeforeDurable:
      setting.sites = 2;
      setting.crashes = 1;
      break;
    case BrokenRule::JoinerDoesNotCount:
    case BrokenRule::JoinerWritesAtOnce: setting.has_join = true; break;
    case BrokenRule::SnapshotKnowsMore:
      setting.has_join = true;
      setting.crashes = 1;
      setting.heartbeats = 0;
      break;
    case BrokenRule::SnapshotWithoutWindows:
      setting.has_join = true;
      setting.policies = {ModelPolicy::AddWins};
      break;
    case BrokenRule::EvictedCountsNoMore:
    case BrokenRule::TakesFromEvicted: setting.has_eviction = true; break;
    case BrokenRule::UnstableVersionsLeave:
      setting = scope(setting.name, 5, 0, one_cell());
      setting.broken = rule;
      setting.compares_records = false;
      setting.by_site_max = {2, 2, 1};
      setting.policies = {ModelPolicy::Sum};
      break;
    case BrokenRule::PrunesForEveryPolicy:
      setting.sites = 2;
      setting.transactions = 3;
      setting.policies = {ModelPolicy::HistoryHash};
      break;
    case BrokenRule::DecidesByWhatIsInForce:
      setting.sites = 2;
      setting.later = {ModelPolicy::FirstWriterWins};
      break;
    case BrokenRule::ShowsOfOtherPolicies:
      setting = scope(setting.name, 4, 0, one_cell());
      setting.broken = rule;
      setting.compares_records = false;
      setting.sites = 2;
      setting.later = {ModelPolicy::HistoryHash};
      setting.policies = {ModelPolicy::LastWriterWins};
      break;
    case BrokenRule::ComponentsFoundAnew:
    case BrokenRule::IgnoresWhatLeft:
      setting = scope(setting.name, 5, 1, one_cell());
      setting.broken = rule;
      setting.compares_records = false;
      setting.by_site_max = {2, 3, 0};
      setting.policies = {ModelPolicy::SettledHash};
      break;
    case BrokenRule::ForgetsAMember:
    case BrokenRule::None: break;
  }
  return setting;
}

}  // namespace quadrille::model_check
