#include "reconcile/replayed_versions.h"

#include <algorithm>

namespace quadrille::reconcile {

std::vector<log::HistoryComponent> components_within(CellEvaluator& evaluator,
                                                     const std::vector<log::WindowVersion>& versions,
                                                     const log::SeenVector& replayed) {
  std::vector<log::WindowVersion> within;
  for (const log::WindowVersion& version : versions) {
    if (replayed.covers(version.origin, version.seq)) within.push_back(version);
  }
  std::vector<log::HistoryComponent> components;
  if (within.empty()) return components;
  for (const Component& component : find_components(evaluator.places_of(within))) {
    log::HistoryComponent& made = components.emplace_back();
    for (const size_t version : component) made.versions.push_back(within[version]);
  }
  return components;
}

std::optional<std::vector<log::HistoryComponent>> replayed_components(CellEvaluator& evaluator,
                                                                      const log::CellHistory& history,
                                                                      const log::SeenVector& replayed) {
  const bool is_whole =
      std::all_of(history.components.begin(), history.components.end(),
                  [&](const log::HistoryComponent& component) { return component.is_seen_by(replayed); });
  if (is_whole) return std::nullopt;
  std::vector<log::HistoryComponent> components;
  for (const log::HistoryComponent& component : history.components) {
    if (component.is_seen_by(replayed)) {
      components.push_back(component);
      continue;
    }
    for (log::HistoryComponent& part : components_within(evaluator, component.versions, replayed)) {
      components.push_back(std::move(part));
    }
  }
  return components;
}

}  // namespace quadrille::reconcile
