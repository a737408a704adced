#include "policies/check/coverage.h"

#include <algorithm>
#include <optional>

#include "policies/check/concurrency.h"

namespace quadrille::policies::check {
namespace {

using reconcile::Conflict;
using reconcile::Content;
using reconcile::Version;

template <class Holds>
bool any_maximal(const Conflict& conflict, Holds&& holds) {
  return std::any_of(conflict.versions.begin(), conflict.versions.end(),
                     [&](const Version& version) { return version.is_maximal && holds(version); });
}

bool has_same_value(const Conflict& conflict) {
  std::vector<const Content*> met;
  return any_maximal(conflict, [&](const Version& version) {
    const bool is_met = std::any_of(met.begin(), met.end(), [&](const Content* one) { return *one == version.left; });
    met.push_back(&version.left);
    return is_met;
  });
}

bool has_equal_stamps(const Conflict& conflict) {
  return std::adjacent_find(conflict.versions.begin(), conflict.versions.end(), [](const auto& one, const auto& other) {
           return one.stamp == other.stamp;
         }) != conflict.versions.end();
}

bool has_chain(const Conflict& conflict) {
  return !std::all_of(conflict.versions.begin(), conflict.versions.end(),
                      [](const auto& one) { return one.is_maximal; });
}

// Bit per family of what maximal versions left.
uint32_t families_of(const Conflict& conflict) {
  uint32_t families = 0;
  for (const Version& version : conflict.versions) {
    if (!version.is_maximal) continue;
    for (const auto& statement : version.left) families |= 1u << static_cast<uint32_t>(family_of(statement.object));
  }
  return families;
}

bool is_criss_cross(const Played& played) {
  const auto& versions = played.versions;
  const auto concurrent = [&](size_t one, size_t other) {
    return !contains(versions[one].seen, other) && !contains(versions[other].seen, one);
  };
  for (size_t later = 0; later < versions.size(); ++later) {
    for (size_t other = later + 1; other < versions.size(); ++other) {
      if (!concurrent(later, other)) continue;
      const uint64_t both = versions[later].seen & versions[other].seen;
      for (uint64_t rest = both; rest != 0; rest &= rest - 1) {
        const auto one = static_cast<size_t>(std::countr_zero(rest));
        if ((both & ~versions[one].seen & ~bit(one)) == 0) continue;
        for (uint64_t more = rest & (rest - 1); more != 0; more &= more - 1) {
          if (concurrent(one, static_cast<size_t>(std::countr_zero(more)))) return true;
        }
      }
    }
  }
  return false;
}

void count_answer(FamilyCounts& counts, const PlayedConflict& met) {
  ++counts.conflicts;
  const Content& content = met.answer.content;
  if (!met.answer.decided()) {
    ++counts.failed;
  } else if (any_maximal(met.conflict, [&](const Version& version) { return version.left == content; })) {
    ++counts.kept_one;
  } else if (content.empty()) {
    ++counts.emptied;
  } else if (content == met.conflict.base) {
    ++counts.kept_base;
  } else if (content.size() > 1) {
    ++counts.several;
  } else {
    ++counts.made_new;
  }
}

}  // namespace

bool is_real_conflict(const Conflict& conflict) {
  const Content* first = nullptr;
  return any_maximal(conflict, [&](const Version& version) {
    if (!first) first = &version.left;
    return version.left != *first;
  });
}

void Coverage::count(const Played& played) {
  struct Flags {
    bool conflict = false, chain = false, fold = false, mixed = false, deletion = false, same = false, stamps = false;
  } has;
  for (const PlayedConflict& met : played.conflicts) {
    const bool is_real = is_real_conflict(met.conflict);
    has.conflict = has.conflict || is_real;
    has.chain = has.chain || has_chain(met.conflict);
    has.fold = has.fold || (is_real && met.after_fold);
    has.same = has.same || has_same_value(met.conflict);
    has.stamps = has.stamps || has_equal_stamps(met.conflict);
    if (!is_real) continue;
    has.deletion =
        has.deletion || any_maximal(met.conflict, [](const Version& version) { return version.left.empty(); });
    if (met.conflict.cell.kind == log::CellKind::Quad) continue;
    const uint32_t kinds = families_of(met.conflict);
    if (kinds == 0) continue;
    has.mixed = has.mixed || !std::has_single_bit(kinds);
    count_answer(std::has_single_bit(kinds) ? families[static_cast<size_t>(std::countr_zero(kinds))] : mixed, met);
  }
  ++histories;
  with_conflict += has.conflict ? 1 : 0;
  chain += has.chain ? 1 : 0;
  fold_between += has.fold ? 1 : 0;
  mixed_types += has.mixed ? 1 : 0;
  with_deletion += has.deletion ? 1 : 0;
  same_value += has.same ? 1 : 0;
  equal_stamps += has.stamps ? 1 : 0;
  criss_cross += is_criss_cross(played) ? 1 : 0;
  no_ops += played.no_ops > 0 ? 1 : 0;
  joins += played.joins > 0 ? 1 : 0;
  evictions += played.evictions > 0 ? 1 : 0;
  leaving += played.left_window > 0 ? 1 : 0;
  calls += played.conflicts.size();
}

void Coverage::add(const Coverage& other) {
  for (const auto field : {&Coverage::histories, &Coverage::with_conflict, &Coverage::criss_cross, &Coverage::chain,
                           &Coverage::fold_between, &Coverage::mixed_types, &Coverage::with_deletion,
                           &Coverage::same_value, &Coverage::equal_stamps, &Coverage::no_ops, &Coverage::joins,
                           &Coverage::evictions, &Coverage::leaving, &Coverage::calls}) {
    this->*field += other.*field;
  }
  const auto add_counts = [](FamilyCounts& one, const FamilyCounts& more) {
    for (const auto field :
         {&FamilyCounts::conflicts, &FamilyCounts::kept_one, &FamilyCounts::kept_base, &FamilyCounts::made_new,
          &FamilyCounts::several, &FamilyCounts::emptied, &FamilyCounts::failed}) {
      one.*field += more.*field;
    }
  };
  for (size_t i = 0; i < value_families; ++i) add_counts(families[i], other.families[i]);
  add_counts(mixed, other.mixed);
}

}  // namespace quadrille::policies::check
