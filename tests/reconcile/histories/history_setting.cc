#include "tests/reconcile/histories/history_setting.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::test {
namespace {

std::string iri(const std::string& name) { return "http://e/" + name; }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

// `count` that follow each other, from a place that moves on with the seed.
std::vector<std::string> some_of(const std::vector<std::string>& all, size_t count, uint32_t seed) {
  std::vector<std::string> some;
  count = std::min(count, all.size());
  for (size_t i = 0; i < count; ++i) some.push_back(all[(seed * count + i) % all.size()]);
  return some;
}

}  // namespace

reconcile::Assignment HistorySetting::assignment(size_t variant) const {
  using log::CellKind;
  const size_t turn = changes_policies ? variant : 0;
  const auto turned = [&](const std::vector<std::string>& policies, size_t index) {
    return policies[(index + turn) % policies.size()];
  };
  const bool has_other_cells =
      changes_cells && variant % 2 == 1;  // then v0 and the records are quads, and p0 is a value
  reconcile::Assignment all;
  all.default_policy = turned(quads, 0);
  if (has_other_cells) all.rules.push_back({{"*"}, {iri("p0")}, CellKind::Value, "", turned(values, 0)});
  for (size_t i = 1; i < quads.size(); ++i) {
    all.rules.push_back({{"*"}, {iri(fmt::format("p{}", i))}, CellKind::Quad, "", turned(quads, i)});
  }
  for (size_t i = has_other_cells ? 1 : 0; i < values.size(); ++i) {
    all.rules.push_back({{"*"}, {iri(fmt::format("v{}", i))}, CellKind::Value, "", turned(values, i)});
  }
  for (size_t i = 0; i < records.size() && !has_other_cells; ++i) {
    for (const char* part : {"a", "b"}) {
      const std::string group = fmt::format("r{}", i);
      all.rules.push_back({{"*"}, {iri(group + part)}, CellKind::Record, iri(group), turned(records, i)});
    }
  }
  return all;
}

std::string HistorySetting::describe() const {
  return fmt::format("quads: {}; values: {}; records: {}{}{}{}", join(quads), join(values), join(records),
                     is_hot ? "; hot" : "", changes_policies ? "; policies change" : "",
                     changes_cells ? "; cells change" : "");
}

std::vector<std::string> policies_for(const reconcile::PolicyRegistry& registry, log::CellKind kind) {
  std::vector<std::string> found;
  for (const std::string& name : registry.names()) {
    const auto policy = registry.find(name);
    if (!policy->decides(kind) || policy->reads_context()) continue;
    if (policy->check_argument("").ok()) {
      found.push_back(name);
    } else if (policy->check_argument("nyc, ams").ok()) {
      found.push_back(name + "(nyc, ams)");
    }
  }
  return found;
}

HistorySetting random_setting(uint32_t seed, const reconcile::PolicyRegistry& registry) {
  HistorySetting setting;
  setting.is_hot = seed % 3 == 2;
  const uint32_t turn = seed / 3 * 2 + seed % 3;  // so that each of the two sorts goes through all
  const uint32_t place = setting.is_hot ? seed / 3 : turn;
  setting.quads = some_of(policies_for(registry, log::CellKind::Quad), setting.is_hot ? 1 : 2, place);
  setting.values = some_of(policies_for(registry, log::CellKind::Value), setting.is_hot ? 1 : 3, place);
  setting.records = some_of(policies_for(registry, log::CellKind::Record), setting.is_hot ? 1 : 2, place);
  setting.changes_policies = seed % 5 == 3;
  setting.changes_cells = seed % 10 == 3;
  if (setting.changes_policies && setting.is_hot) {
    setting.quads = some_of(policies_for(registry, log::CellKind::Quad), 2, place);
    setting.values = some_of(policies_for(registry, log::CellKind::Value), 2, place);
  }
  setting.reads_context = seed % 4 == 1;
  if (setting.reads_context) {
    for (auto* policies : {&setting.quads, &setting.values, &setting.records}) policies->front() = "context-hash";
  }
  return setting;
}

}  // namespace quadrille::test
