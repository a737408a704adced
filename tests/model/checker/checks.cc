// What must hold in each state, and after quiet.
#include <fmt/format.h>

#include "tests/model/checker/names.h"
#include "tests/model/checker/system.h"

namespace quadrille::model_check {

std::optional<std::string> System::check_site(const State& state, Site site) const {
  const SiteData& data = state.sites[site].data;
  for (size_t cell = 0; cell < setting_.cells; ++cell) {
    const Outcome here = rules_[cell].show(state.history, data.cells[cell], number_in_force(state, site));
    const Outcome wanted = rules_[cell].show_all(state.history, data.has);
    for (size_t p = 0; p < setting_.policies.size(); ++p) {
      if (here.content[p] == wanted.content[p]) continue;
      const ModelPolicy policy = setting_.policies[p];
      return fmt::format("{}: {} shows {} in cell {}, and must show {}", name_of(policy), site_name(site),
                         describe(policy, here.content[p]), cell, describe(policy, wanted.content[p]));
    }
    if (setting_.compares_records && here.records != wanted.records) {
      return fmt::format("{} has other conflict records of cell {} than a site that keeps everything", site_name(site),
                         cell);
    }
  }
  return std::nullopt;
}

// One round; whether anything happened. Heartbeats are not counted here.
bool System::go_on_quietly(State& state) const {
  bool went_on = false;
  std::vector<Action> actions;
  state.transactions_left = 0;
  state.heartbeats_left = 0;
  find_actions(state, actions);
  for (const Action& action : actions) {
    // A new eviction or join is no part of quiet; an answer, and the start of a site that has joined, are.
    const bool is_unasked = action.kind == ActionKind::Evict || action.kind == ActionKind::Join ||
                            action.kind == ActionKind::Crash || action.kind == ActionKind::Assign ||
                            (action.kind == ActionKind::Start && find(state, state.history.issued, Purpose::Join) == 0);
    if (is_unasked) continue;
    act(state, action);
    return true;
  }
  for (Site from = 0; from < setting_.sites; ++from) {
    const SiteState& its = state.sites[from];
    if (!its.is_up || its.is_stopped) continue;
    for (Site to = 0; to < setting_.sites; ++to) {
      SiteState& other = state.sites[to];
      const ChangesetSet has = heartbeat_of(state, from);
      if (to == from || !other.is_up || other.is_stopped || !covers(other.data.has, has)) continue;
      went_on = went_on || !covers(other.known[from], has);
      other.known[from] |= has;
    }
  }
  return went_on;
}

std::optional<std::string> System::check_after_quiet(State state) const {
  state.crashes_left = 0;
  tidy(state);
  while (go_on_quietly(state)) {
  }
  std::optional<Site> first;
  for (Site site = 0; site < setting_.sites; ++site) {
    const SiteState& its = state.sites[site];
    if (!its.is_up || its.is_stopped) continue;
    if (!first) first = site;
    if (its.data.has != state.sites[*first].data.has) {
      return fmt::format("after quiet {} and {} have different changesets", site_name(*first), site_name(site));
    }
    for (size_t cell = 0; cell < setting_.cells; ++cell) {
      if (its.data.cells[cell].count > 0) {
        return fmt::format("after quiet the window of {} still holds cell {}", site_name(site), cell);
      }
    }
    if (auto trouble = check_site(state, site)) return "after quiet: " + *trouble;
  }
  return std::nullopt;
}

}  // namespace quadrille::model_check
