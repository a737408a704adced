#include "tests/model/checker/cell.h"

#include <algorithm>
#include <bit>

#include "engine/base/check.h"

namespace quadrille::model_check {

ChangesetSet window_of(const CellState& state) {
  ChangesetSet versions = 0;
  for (size_t i = 0; i < state.count; ++i) versions |= state.open[i].here;
  return versions;
}

Outcome CellRules::first_outcome() const {
  Outcome outcome;
  for (size_t p = 0; p < setting_.policies.size(); ++p) outcome.content[p] = first_content(setting_.policies[p]);
  return outcome;
}

Outcome CellRules::resolve(const History& history, const Outcome& before, ChangesetSet versions,
                           uint8_t in_force) const {
  Outcome after = before;
  if (std::has_single_bit(versions)) {
    const Place only = static_cast<Place>(std::countr_zero(versions));
    after.content = history.at(only).writes[cell_].left;
    return after;
  }
  const std::vector<Place> in_order = in_stamp_order(history, versions);
  const ChangesetSet maximal = history.maximal(versions);
  const bool is_broken = setting_.broken == BrokenRule::DecidesByWhatIsInForce;
  const uint8_t number = is_broken ? in_force : history.newest_number(versions);
  for (size_t p = 0; p < setting_.policies.size(); ++p) {
    after.content[p] = model_check::resolve(setting_.policy(p, number), p, history, cell_, before.content[p],
                                            shown_to(p, number, history, in_order, maximal), maximal);
    bool is_conflict = false;
    uint64_t record = mix(mix(mix(cell_, p), number), after.content[p]);
    const Content first = history.at(static_cast<Place>(std::countr_zero(maximal))).writes[cell_].left[p];
    for_each_place(maximal, [&](Place place) {
      const Content left = history.at(place).writes[cell_].left[p];
      is_conflict = is_conflict || left != first;
      record = mix(mix(record, place), left);
    });
    if (is_conflict) after.records += record;
  }
  return after;
}

// What was made under another policy may have left elsewhere by that policy's leave, unless it is maximal.
std::vector<Place> CellRules::shown_to(size_t policy, uint8_t number, const History& history,
                                       const std::vector<Place>& in_order, ChangesetSet maximal) const {
  std::vector<Place> shown = in_order;
  if (setting_.later.empty() || setting_.broken == BrokenRule::ShowsOfOtherPolicies) return shown;
  std::erase_if(shown, [&](Place place) {
    const bool is_own = setting_.policy(policy, history.at(place).number) == setting_.policy(policy, number);
    return !is_own && !contains(maximal, place);
  });
  return shown;
}

Outcome CellRules::show(const History& history, const CellState& state, uint8_t in_force) const {
  Outcome outcome = state.base;
  for (size_t i = 0; i < state.count; ++i) outcome = resolve(history, outcome, state.open[i].here, in_force);
  return outcome;
}

Outcome CellRules::show_all(const History& history, ChangesetSet has) const {
  Outcome outcome = first_outcome();
  for (const ChangesetSet component : find_components(history, history.writers(has, cell_))) {
    outcome = resolve(history, outcome, component, history.newest_number(component));
  }
  return outcome;
}

// Whatever of the window it has not seen is concurrent with it, for nothing here has seen it. A component that it has
// not seen in full becomes one with it, and so do all later ones, whose versions have seen what it has not.
void CellRules::enter(const History& history, CellState& state, Place version) const {
  const ChangesetSet seen = history.at(version).seen;
  size_t first = 0;
  const auto is_seen = [&](const OpenComponent& component) {
    if (setting_.broken == BrokenRule::IgnoresWhatLeft) return covers(seen, component.here);
    return covers(seen, component.here | component.gone);
  };
  while (first < state.count && is_seen(state.open[first])) ++first;
  OpenComponent merged{set_of(version), 0};
  for (size_t i = first; i < state.count; ++i) {
    merged.here |= state.open[i].here;
    let_go(merged, state.open[i].gone);
    state.open[i] = {};
  }
  QUADRILLE_CHECK(first < components_max, "more components than transactions");
  state.open[first] = merged;
  state.count = static_cast<uint8_t>(first + 1);
  if (setting_.broken == BrokenRule::ComponentsFoundAnew) find_anew(history, state, window_of(state));
}

void CellRules::leave_superseded(const History& history, CellState& state, ChangesetSet stable) const {
  for (size_t i = 0; i < state.count; ++i) {
    ChangesetSet superseded = 0;
    for_each_place(state.open[i].here & stable, [&](Place place) { superseded |= history.at(place).seen; });
    ChangesetSet leaving = 0;
    for_each_place(state.open[i].here & superseded, [&](Place place) {
      if (setting_.retention(history.at(place).number) == Retention::MaximalVersions) leaving |= set_of(place);
    });
    if (leaving != 0) let_go(state.open[i], leaving);
  }
}

void CellRules::leave_stable(const History& history, CellState& state, ChangesetSet stable) const {
  if (setting_.broken == BrokenRule::UnstableVersionsLeave) stable = ~ChangesetSet{0};
  for (size_t i = 0; i < state.count; ++i) {
    const uint8_t number = history.newest_number(state.open[i].here);
    if (setting_.retention(number) != Retention::UnlessStableAndAllSeen) continue;
    ChangesetSet seen_by_all = ~ChangesetSet{0};
    for_each_place(history.maximal(state.open[i].here), [&](Place place) { seen_by_all &= history.at(place).seen; });
    ChangesetSet leaving = state.open[i].here & seen_by_all & stable;
    for_each_place(leaving, [&](Place place) {
      if (history.at(place).number != number) leaving &= ~set_of(place);
    });
    if (leaving != 0) let_go(state.open[i], leaving);
  }
}

void CellRules::let_go(OpenComponent& component, ChangesetSet leaving) const {
  component.here &= ~leaving;
  component.gone |= leaving;
  ChangesetSet newest = 0;
  for (Site origin = 0; origin < sites_max; ++origin) newest |= std::bit_floor(component.gone & all_of(origin));
  component.gone = newest;
}

void CellRules::settle(const History& history, CellState& state, ChangesetSet stable, uint8_t newest_common,
                       uint8_t in_force) const {
  switch (setting_.broken) {
    case BrokenRule::FoldsByStamp: {
      ChangesetSet old = 0;
      for_each_place(window_of(state), [&](Place place) {
        if (history.at(place).rank <= newest_common) old |= set_of(place);
      });
      return fold_versions(history, state, old, in_force);
    }
    case BrokenRule::FoldsSingleVersions: return fold_versions(history, state, window_of(state) & stable, in_force);
    case BrokenRule::FoldsPartsOfComponents:
      if (state.count > 0) fold_versions(history, state, state.open[0].here & stable, in_force);
      return;
    case BrokenRule::FoldsWhatDoesNotLead: return fold_last_stable(history, state, stable, in_force);
    default: break;
  }
  fold_leading(history, state, stable, in_force);
  leave_superseded(history, state, stable);
  leave_stable(history, state, stable);
  if (setting_.broken == BrokenRule::ComponentsFoundAnew) find_anew(history, state, window_of(state));
}

void CellRules::fold_leading(const History& history, CellState& state, ChangesetSet stable, uint8_t in_force) const {
  size_t folded = 0;
  while (folded < state.count && covers(stable, state.open[folded].here | state.open[folded].gone)) {
    state.base = resolve(history, state.base, state.open[folded].here, in_force);
    ++folded;
  }
  std::shift_left(state.open.begin(), state.open.end(), static_cast<std::ptrdiff_t>(folded));
  state.count = static_cast<uint8_t>(state.count - folded);
  for (size_t i = state.count; i < components_max; ++i) state.open[i] = {};
}

void CellRules::fold_last_stable(const History& history, CellState& state, ChangesetSet stable,
                                 uint8_t in_force) const {
  for (size_t i = state.count; i-- > 0;) {
    if (!covers(stable, state.open[i].here | state.open[i].gone)) continue;
    state.base = resolve(history, state.base, state.open[i].here, in_force);
    std::shift_left(state.open.begin() + static_cast<std::ptrdiff_t>(i), state.open.end(), 1);
    --state.count;
    state.open[state.count] = {};
    return;
  }
}

void CellRules::fold_versions(const History& history, CellState& state, ChangesetSet folding, uint8_t in_force) const {
  if (folding == 0) return;
  const ChangesetSet rest = window_of(state) & ~folding;
  for (const ChangesetSet part : find_components(history, folding))
    state.base = resolve(history, state.base, part, in_force);
  find_anew(history, state, rest);
}

void CellRules::find_anew(const History& history, CellState& state, ChangesetSet versions) const {
  state.open = {};
  state.count = 0;
  for (const ChangesetSet component : find_components(history, versions)) {
    state.open[state.count++] = {component, 0};
  }
}

}  // namespace quadrille::model_check
