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

reconcile::Assignment HistorySetting::assignment() const {
  reconcile::Assignment all;
  all.default_policy = quads.front();
  for (size_t i = 1; i < quads.size(); ++i) {
    all.rules.push_back({{"*"}, {iri(fmt::format("p{}", i))}, log::CellKind::Quad, "", quads[i]});
  }
  for (size_t i = 0; i < values.size(); ++i) {
    all.rules.push_back({{"*"}, {iri(fmt::format("v{}", i))}, log::CellKind::Value, "", values[i]});
  }
  for (size_t i = 0; i < records.size(); ++i) {
    for (const char* part : {"a", "b"}) {
      const std::string group = fmt::format("r{}", i);
      all.rules.push_back({{"*"}, {iri(group + part)}, log::CellKind::Record, iri(group), records[i]});
    }
  }
  return all;
}

std::string HistorySetting::describe() const {
  return fmt::format("quads: {}; values: {}; records: {}{}", join(quads), join(values), join(records),
                     is_hot ? "; hot" : "");
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
  return setting;
}

}  // namespace quadrille::test
