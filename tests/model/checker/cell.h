// One cell at one site: what has folded into its base, and its window, as components in causal order.
#pragma once

#include "tests/model/checker/rules.h"

namespace quadrille::model_check {

struct OpenComponent {
  ChangesetSet here = 0;  // its versions in the window
  ChangesetSet gone = 0;  // of those that left the window early: per origin, the newest

  friend bool operator==(const OpenComponent&, const OpenComponent&) = default;
};

inline constexpr size_t components_max = 6;

// What a cell shows, and its conflict records: a sum of hashes over cell, policy, candidates and what was chosen.
struct Outcome {
  Contents content{};
  uint64_t records = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct CellState {
  Outcome base;  // the final records with it
  uint8_t count = 0;
  std::array<OpenComponent, components_max> open;
};

// The rules of a setting, applied to one cell.
class CellRules {
 public:
  CellRules(const Setting& setting, size_t cell) : setting_(setting), cell_(cell) {}

  Outcome first_outcome() const;
  // The outcome of one component over what was before it: by the newest assignment that a version of it was made under,
  // which is shown the maximal versions, and of the others those that were made under the same policy. `in_force`: at
  // this site; must not matter.
  Outcome resolve(const History& history, const Outcome& before, ChangesetSet versions, uint8_t in_force) const;
  // What a site shows.
  Outcome show(const History& history, const CellState& state, uint8_t in_force) const;
  // What a site with all of `has` must show: nothing folded, nothing let go.
  Outcome show_all(const History& history, ChangesetSet has) const;

  // A version that nobody here has seen.
  void enter(const History& history, CellState& state, Place version) const;
  // Folds all that may, and lets go what may leave. `newest_common`: the rank up to which each member was heard of.
  void settle(const History& history, CellState& state, ChangesetSet stable, uint8_t newest_common,
              uint8_t in_force) const;

 private:
  void leave_superseded(const History& history, CellState& state, ChangesetSet stable) const;
  void leave_stable(const History& history, CellState& state, ChangesetSet stable) const;
  void fold_leading(const History& history, CellState& state, ChangesetSet stable, uint8_t in_force) const;
  void fold_last_stable(const History& history, CellState& state, ChangesetSet stable, uint8_t in_force) const;
  void fold_versions(const History& history, CellState& state, ChangesetSet folding, uint8_t in_force) const;
  std::vector<Place> shown_to(size_t policy, uint8_t number, const History& history, const std::vector<Place>& in_order,
                              ChangesetSet maximal) const;
  void let_go(OpenComponent& component, ChangesetSet leaving) const;
  void find_anew(const History& history, CellState& state, ChangesetSet versions) const;

  const Setting& setting_;
  size_t cell_;
};

ChangesetSet window_of(const CellState& state);

}  // namespace quadrille::model_check
