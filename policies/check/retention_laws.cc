#include "policies/check/retention_laws.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/check/concurrency.h"

namespace quadrille::policies::check {
namespace {

using reconcile::Conflict;
using reconcile::Policy;
using reconcile::Retention;
using reconcile::Version;

std::vector<bool> maximal_in(const Conflict& conflict) {
  std::vector<bool> maximal;
  for (const Version& version : conflict.versions) maximal.push_back(version.is_maximal);
  return maximal;
}

// The same shape, other content in what is not maximal.
Conflict altered(const Conflict& conflict, const ValuePool& pool) {
  Conflict other = conflict;
  for (Version& version : other.versions) {
    if (version.is_maximal) continue;
    if (conflict.cell.kind == log::CellKind::Quad) {
      version.left = version.left.empty() ? reconcile::Content{{conflict.cell.property, *conflict.cell.object}}
                                          : reconcile::Content{};
      continue;
    }
    const reconcile::Content& like = version.left.empty() ? conflict.base : version.left;
    const model::Term property = like.empty() ? conflict.cell.property : like.front().property;
    version.left = {{property, pool.at({ValueFamily::Integer, 8})}};
    version.saw.clear();
  }
  return other;
}

std::string name_of(const Version& version) { return fmt::format("{}:{}", version.id.origin.name, version.id.seq); }

std::optional<Broken> compare(const Policy& policy, const PlayedConflict& met, size_t number, const Conflict& other,
                              std::string_view how) {
  const Answer answer = ask(policy, other);
  if (answer == met.answer) return std::nullopt;
  return Broken{Law::MaximalOnly, number,
                fmt::format("With all versions it answered {}; with those that are not maximal {} it answered {}.",
                            describe(met.answer), how, describe(answer)),
                met.answer, answer};
}

// What may leave one conflict must not count in `later` either, if all that came since has seen it.
bool is_later(const Played& played, uint64_t members, uint64_t later, size_t version) {
  if (!contains(later, version) || (members & ~later) != 0) return false;
  for (uint64_t fresh = later & ~members; fresh != 0; fresh &= fresh - 1) {
    if (!contains(played.versions[static_cast<size_t>(std::countr_zero(fresh))].seen, version)) return false;
  }
  return true;
}

std::optional<Broken> compare_without(const Played& played, const Policy& policy, size_t number, size_t later,
                                      size_t version) {
  const PlayedConflict& met = played.conflicts[later];
  const std::vector<uint8_t> order = in_order(played.versions, met.members);
  std::vector<bool> kept(order.size(), true);
  for (size_t i = 0; i < order.size(); ++i) kept[i] = order[i] != version;
  const Answer answer = ask(policy, only(met.conflict, kept));
  if (answer == met.answer) return std::nullopt;
  const char* const when = number == later ? "" : ", after more had come that had seen it,";
  return Broken{Law::MayLeave, later,
                fmt::format("may_leave() says that {} may leave. With it the answer{} is {}; without it {}.",
                            name_of(played.versions[version].version), when, describe(met.answer), describe(answer)),
                met.answer, answer};
}

std::optional<Broken> find_wrong_leave_from(const Played& played, const Policy& policy, size_t number) {
  const PlayedConflict& met = played.conflicts[number];
  const std::vector<uint8_t> order = in_order(played.versions, met.members);
  for (size_t place = 0; place < order.size(); ++place) {
    if (met.conflict.versions[place].is_maximal || !policy.may_leave(met.conflict, place)) continue;
    for (size_t later = 0; later < played.conflicts.size(); ++later) {
      if (later != number && !is_later(played, met.members, played.conflicts[later].members, order[place])) continue;
      if (auto broken = compare_without(played, policy, number, later, order[place])) return broken;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Broken> find_look_at_the_rest(const Played& played, const Policy& policy, const ValuePool& pool) {
  if (policy.retention() != Retention::MaximalVersions) return std::nullopt;
  for (size_t i = 0; i < played.conflicts.size(); ++i) {
    const PlayedConflict& met = played.conflicts[i];
    const std::vector<bool> maximal = maximal_in(met.conflict);
    if (std::all_of(maximal.begin(), maximal.end(), [](bool is_maximal) { return is_maximal; })) continue;
    if (auto broken = compare(policy, met, i, only(met.conflict, maximal), "taken away")) return broken;
    if (auto broken = compare(policy, met, i, altered(met.conflict, pool), "altered")) return broken;
  }
  return std::nullopt;
}

std::optional<Broken> find_wrong_leave(const Played& played, const Policy& policy) {
  if (policy.retention() != Retention::AsItSays) return std::nullopt;
  for (size_t i = 0; i < played.conflicts.size(); ++i) {
    if (auto broken = find_wrong_leave_from(played, policy, i)) return broken;
  }
  return std::nullopt;
}

}  // namespace quadrille::policies::check
