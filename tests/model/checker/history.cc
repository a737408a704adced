#include "tests/model/checker/history.h"

#include <algorithm>

namespace quadrille::model_check {

ChangesetSet History::writers(ChangesetSet set, size_t cell) const {
  ChangesetSet found = 0;
  for_each_place(set, [&](Place place) {
    if (changesets[place].writes[cell].write != Write::None) found |= set_of(place);
  });
  return found;
}

ChangesetSet History::maximal(ChangesetSet set) const {
  ChangesetSet seen = 0;
  for_each_place(set, [&](Place place) { seen |= changesets[place].seen; });
  return set & ~seen;
}

uint8_t History::newest_rank(ChangesetSet set) const {
  uint8_t newest = 0;
  for_each_place(set, [&](Place place) { newest = std::max(newest, changesets[place].rank); });
  return newest;
}

uint8_t History::newest_number(ChangesetSet set) const {
  uint8_t newest = 0;
  for_each_place(set, [&](Place place) { newest = std::max(newest, changesets[place].number); });
  return newest;
}

void History::issue(Place place, const Changeset& changeset) {
  if (changeset.rank > 0) {
    for_each_place(issued, [&](Place other) {
      if (changesets[other].rank >= changeset.rank) ++changesets[other].rank;
    });
  }
  issued |= set_of(place);
  changesets[place] = changeset;
}

void History::forget(ChangesetSet lost) {
  issued &= ~lost;
  for_each_place(lost, [&](Place place) {
    const uint8_t rank = changesets[place].rank;
    changesets[place] = {};
    if (rank == 0) return;
    for (Changeset& other : changesets) {
      if (other.rank > rank) --other.rank;
    }
  });
}

std::vector<Place> in_stamp_order(const History& history, ChangesetSet set) {
  std::vector<Place> places;
  places.reserve(changesets_max);
  for_each_place(set, [&](Place place) { places.push_back(place); });
  std::sort(places.begin(), places.end(),
            [&](Place left, Place right) { return history.at(left).rank < history.at(right).rank; });
  return places;
}

std::vector<ChangesetSet> find_components(const History& history, ChangesetSet versions) {
  std::vector<ChangesetSet> components;
  // A component's first version by stamp has seen all of the components before it, so they come out in causal order.
  for (const Place first : in_stamp_order(history, versions)) {
    if (!contains(versions, first)) continue;
    ChangesetSet component = set_of(first);
    for (bool grew = true; grew;) {
      const ChangesetSet before = component;
      for_each_place(versions & ~component, [&](Place candidate) {
        for_each_place(before, [&](Place member) {
          if (history.are_concurrent(candidate, member)) component |= set_of(candidate);
        });
      });
      grew = component != before;
    }
    versions &= ~component;
    components.push_back(component);
  }
  return components;
}

}  // namespace quadrille::model_check
