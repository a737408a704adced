#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

#include "reconcile/components.h"

using namespace quadrille;
using reconcile::Component;
using reconcile::VersionPlace;

namespace {

struct History {
  log::LogState state;
  std::vector<log::SeenVector> seen;
  std::vector<VersionPlace> places;
};

// Random writes of `sites` sites that now and then take in what others wrote.
History random_history(uint32_t seed, size_t sites, size_t writes) {
  std::mt19937 random(seed);
  History history;
  for (size_t i = 0; i < sites; ++i) history.state.number_of({"s" + std::to_string(i), 1});
  std::vector<log::VersionVector> have(sites);
  std::vector<int64_t> clocks(sites, 0);
  history.seen.reserve(writes);
  for (size_t i = 0; i < writes;) {
    const size_t site = random() % sites;
    if (random() % 3 == 0) {
      const size_t other = random() % sites;
      have[site].merge(have[other]);
      clocks[site] = std::max(clocks[site], clocks[other]);
      continue;
    }
    const log::SiteId& id = history.state.origins[site].site;
    history.seen.emplace_back(have[site], history.state);
    const uint64_t seq = have[site].at(id) + 1;
    history.places.push_back({static_cast<uint32_t>(site), seq, {++clocks[site], 0}, &id, &history.seen.back()});
    have[site].raise(id, seq);
    ++i;
  }
  std::shuffle(history.places.begin(), history.places.end(), random);
  return history;
}

bool are_concurrent(const VersionPlace& left, const VersionPlace& right) {
  return !left.has_seen(right) && !right.has_seen(left);
}

// By the definition: connected by "concurrent".
std::set<std::set<size_t>> by_definition(const std::vector<VersionPlace>& places) {
  std::vector<size_t> label(places.size());
  for (size_t i = 0; i < label.size(); ++i) label[i] = i;
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!are_concurrent(places[i], places[k]) || label[i] == label[k]) continue;
      const size_t old = label[i];
      for (size_t& one : label) one = one == old ? label[k] : one;
    }
  }
  std::map<size_t, std::set<size_t>> groups;
  for (size_t i = 0; i < label.size(); ++i) groups[label[i]].insert(i);
  std::set<std::set<size_t>> result;
  for (const auto& [name, group] : groups) result.insert(group);
  return result;
}

}  // namespace

TEST_CASE("components are what 'concurrent' connects, and each has seen the whole of those before it") {
  size_t of_several = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const History history = random_history(seed, 2 + seed % 3, 1 + seed % 12);
    const auto components = reconcile::find_components(history.places);
    std::set<std::set<size_t>> found;
    for (const Component& component : components) found.emplace(component.begin(), component.end());
    REQUIRE(found == by_definition(history.places));
    for (size_t i = 1; i < components.size(); ++i) {
      for (const size_t later : components[i]) {
        for (const size_t earlier : components[i - 1]) {
          REQUIRE(history.places[later].has_seen(history.places[earlier]));
        }
      }
    }
    for (const Component& component : components) of_several += component.size() > 1 && components.size() > 1;
  }
  CHECK(of_several > 100);  // else this says little
}

TEST_CASE("the versions of a component stand by stamp, then origin") {
  log::LogState state;
  state.number_of({"zzz", 1});
  state.number_of({"aaa", 1});
  const log::SeenVector nothing;
  const std::vector<VersionPlace> places = {{0, 1, {5, 0}, &state.origins[0].site, &nothing},
                                            {1, 1, {5, 0}, &state.origins[1].site, &nothing}};
  CHECK(reconcile::find_components(places) == std::vector<Component>{{1, 0}});
}
