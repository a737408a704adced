// What a policy says of versions that may leave a hot cell is true: without them the answer is the same, whatever still
// comes. Over random histories of a cell, in which versions leave as the policy allows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "policies/built_in.h"
#include "policies/sum.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using reconcile::Conflict;
using reconcile::Content;
using reconcile::Retention;

namespace {

// A version, and which of the versions before it it had seen: all that those had seen too.
struct Event {
  reconcile::Version version;
  std::vector<bool> seen;
};

class Histories {
 public:
  explicit Histories(uint64_t seed) : random_(seed) {}
  size_t below(size_t end) { return random_() % end; }

  // Sites write, or take in all that another one has.
  std::vector<Event> next(log::CellKind kind) {
    const size_t sites = 2 + below(3);
    const size_t count = 3 + below(9);
    std::vector<std::vector<bool>> has(sites, std::vector<bool>(count, false));
    std::vector<uint64_t> seqs(sites, 0);
    std::vector<Event> events;
    while (events.size() < count) {
      const size_t site = below(sites);
      if (below(3) == 0) {
        const size_t other = below(sites);
        for (size_t i = 0; i < count; ++i) has[site][i] = has[site][i] || has[other][i];
        continue;
      }
      int64_t stamp = static_cast<int64_t>(below(4));
      for (size_t i = 0; i < events.size(); ++i) {
        if (has[site][i]) stamp = std::max(stamp, events[i].version.stamp.physical_ms + 1);
      }
      const log::SiteId origin{"s" + std::to_string(site), 7};
      const Content saw = kind == log::CellKind::Quad ? nothing : content(kind);
      events.push_back({{{origin, ++seqs[site]}, {stamp, 0}, saw, content(kind), false}, has[site]});
      has[site][events.size() - 1] = true;
    }
    return events;
  }

 private:
  Content content(log::CellKind kind) {
    if (kind == log::CellKind::Quad) return below(2) == 0 ? nothing : one_value(model::Term::iri("http://e/o"));
    switch (below(9)) {
      case 0: return nothing;
      case 1: return strings({"x"});
      case 2: return typed("0.5", "decimal");
      case 3: return typed("0.1", "double");
      default: return typed(std::to_string(below(100)));
    }
  }
  std::mt19937_64 random_;
};

// Of those that stay, by (stamp, origin): which are connected by "neither had seen the other".
std::vector<std::vector<size_t>> components_of(const std::vector<Event>& events, const std::vector<size_t>& present) {
  std::vector<size_t> order = present;
  std::sort(order.begin(), order.end(), [&](size_t left, size_t right) {
    const auto key = [&](size_t i) { return std::tuple(events[i].version.stamp, events[i].version.id.origin); };
    return key(left) < key(right);
  });
  std::vector<size_t> component(order.size());
  std::iota(component.begin(), component.end(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const bool are_concurrent = !events[order[i]].seen[order[k]] && !events[order[k]].seen[order[i]];
      if (!are_concurrent || component[i] == component[k]) continue;
      const size_t joined = component[i];
      std::replace(component.begin(), component.end(), joined, component[k]);
    }
  }
  std::vector<std::vector<size_t>> components;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || component[i] != component[i - 1]) components.emplace_back();
    components.back().push_back(order[i]);
  }
  return components;
}

Conflict conflict_among(const std::vector<Event>& events, const std::vector<size_t>& component, log::CellKind kind) {
  Conflict conflict = kind == log::CellKind::Quad ? quad_conflict({}) : conflict_of({});
  conflict.seen.assign(component.size(), std::vector<bool>(component.size(), false));
  for (const size_t i : component) conflict.versions.push_back(events[i].version);
  for (size_t i = 0; i < component.size(); ++i) {
    conflict.versions[i].is_maximal =
        std::none_of(component.begin(), component.end(), [&](size_t k) { return events[k].seen[component[i]]; });
    for (size_t k = 0; k < component.size(); ++k) conflict.seen[i][k] = events[component[i]].seen[component[k]];
  }
  return conflict;
}

Content state_of(const std::vector<Event>& events, const std::vector<size_t>& present, const reconcile::Policy& policy,
                 log::CellKind kind) {
  Content state;
  for (const auto& component : components_of(events, present)) {
    if (component.size() == 1) {
      state = events[component.front()].version.left;
      continue;
    }
    Conflict conflict = conflict_among(events, component, kind);
    conflict.base = std::move(state);
    state = policy.resolve(conflict).content;
  }
  return state;
}

bool all_later_saw(const std::vector<Event>& events, size_t version, size_t known) {
  for (size_t i = known; i < events.size(); ++i) {
    if (!events[i].seen[version]) return false;
  }
  return true;
}

// One version that may leave now, if there is any.
std::optional<size_t> find_leaving(const std::vector<Event>& events, const std::vector<size_t>& present, size_t known,
                                   const reconcile::Policy& policy, log::CellKind kind) {
  for (const auto& component : components_of(events, present)) {
    if (component.size() == 1) continue;
    const Conflict conflict = conflict_among(events, component, kind);
    for (size_t i = 0; i < component.size(); ++i) {
      if (conflict.versions[i].is_maximal || policy.retention() == Retention::AllVersions) continue;
      if (policy.retention() == Retention::MaximalVersions) return component[i];
      if (all_later_saw(events, component[i], known) && policy.may_leave(conflict, i)) return component[i];
    }
  }
  return std::nullopt;
}

struct Outcome {
  size_t left = 0;    // versions that left
  size_t differ = 0;  // moments at which the cell is another one without them
};

Outcome try_histories(const reconcile::Policy& policy, log::CellKind kind, size_t count) {
  Histories histories(1);
  Outcome outcome;
  for (size_t run = 0; run < count; ++run) {
    const std::vector<Event> events = histories.next(kind);
    std::vector<size_t> all;
    std::vector<size_t> reduced;
    for (size_t known = 1; known <= events.size(); ++known) {
      all.push_back(known - 1);
      reduced.push_back(known - 1);
      while (const auto leaving = find_leaving(events, reduced, known, policy, kind)) {
        std::erase(reduced, *leaving);
        ++outcome.left;
      }
      if (state_of(events, all, policy, kind) != state_of(events, reduced, policy, kind)) ++outcome.differ;
    }
  }
  return outcome;
}

// Wrong: lets go what a maximal version has not seen.
class CarelessSum final : public reconcile::Policy {
 public:
  std::string_view name() const override { return "careless-sum"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Value; }
  reconcile::Decision resolve(const Conflict& conflict) const override { return Sum().resolve(conflict); }
  Retention retention() const override { return retention_claimed; }
  bool may_leave(const Conflict&, size_t) const override { return true; }
  Retention retention_claimed = Retention::AsItSays;
};

}  // namespace

TEST_CASE("each built-in policy answers the same without the versions that it says may leave, whatever comes later") {
  const auto registry = built_in();
  for (const std::string& name : registry.names()) {
    const auto policy = registry.find(name);
    for (const auto kind : {log::CellKind::Quad, log::CellKind::Value}) {
      if (!policy->decides(kind)) continue;
      INFO(name);
      const Outcome outcome = try_histories(*policy, kind, 1500);
      CHECK(outcome.differ == 0);
      CHECK(outcome.left > 500);
    }
  }
}

TEST_CASE("a sum that lets more go than it may is found out") {
  CarelessSum careless;
  CHECK(try_histories(careless, log::CellKind::Value, 1500).differ > 0);
  careless.retention_claimed = Retention::MaximalVersions;
  CHECK(try_histories(careless, log::CellKind::Value, 1500).differ > 0);
}
