#include "policies/check/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/check/impurity.h"
#include "policies/check/shrinking.h"
#include "policies/check/story.h"

namespace quadrille::policies::check {
namespace {

constexpr size_t sample_histories = 80;
constexpr size_t same_histories = 40;  // the one that showed it, again and again: addresses differ by chance
constexpr uint64_t looked_through = 2'000;
constexpr size_t all_of_them = 10'000;
constexpr size_t calls_max = 1'000;
constexpr size_t slow_at_once = 48;
constexpr size_t slow_calls_max = 20;  // each starts processes, or waits

bool is_impurity(Law law) {
  return law == Law::SecondCall || law == Law::OtherProcess || law == Law::SeveralThreads || law == Law::LocalChecks;
}

// The conflicts of histories, and what they point to.
struct Sample {
  std::vector<History> histories;
  std::vector<Played> played;
  std::vector<ConflictList> lists;

  void add(History history, Played one) {
    ConflictList& list = lists.emplace_back();
    for (const PlayedConflict& met : one.conflicts) list.push_back(met.conflict);
    histories.push_back(std::move(history));
    played.push_back(std::move(one));
  }
};

std::string cause_of(Law law) {
  switch (law) {
    case Law::InsideCell: return "answers quads of another cell";
    case Law::Choosing: return "choose() and resolve() disagree";
    case Law::MaximalOnly: return "claims \"maximal only\" and looks at the rest";
    case Law::MayLeave: return "a wrong combine step: what may_leave() lets go still counts";
    case Law::Convergence: return "sites diverge";
    default: return std::string(name_of(law));
  }
}

}  // namespace

std::vector<Finding> Diagnosis::explain(const SearchResult& result) const {
  std::vector<Finding> findings;
  std::vector<Law> also;
  const BrokenCase* impure = nullptr;
  for (const auto& found : result.broken) {
    if (found && is_impurity(found->broken.law) && !impure) impure = &*found;
  }
  if (impure) findings.push_back(explain_impurity(*impure));
  for (const auto& found : result.broken) {
    if (!found || &*found == impure) continue;
    const Law law = found->broken.law;
    if (law == Law::NeverFails) {
      findings.push_back(explain_failure(*found, result.coverage));
    } else if (law == Law::InsideCell || (!impure && (law != Law::Convergence || findings.empty()))) {
      findings.push_back(explain_law(*found));
    } else {
      also.push_back(law);  // it follows from what was explained, or cannot be told apart from it
    }
  }
  if (!findings.empty()) findings.front().laws.insert(findings.front().laws.end(), also.begin(), also.end());
  return findings;
}

Finding Diagnosis::explain_law(const BrokenCase& found) const {
  const Law law = found.broken.law;
  const auto breaks = [&](const History& history) {
    return find_broken(law, play(history, checked_.policy, pool_), checked_.policy, pool_);
  };
  const History smallest = shrink(
      generator_.make(found.number),
      [&](std::span<const History> histories) -> std::optional<size_t> {
        for (size_t i = 0; i < histories.size(); ++i) {
          if (breaks(histories[i])) return i;
        }
        return std::nullopt;
      },
      all_of_them, calls_max);
  Finding finding;
  finding.cause = cause_of(law);
  finding.explanation = explanation_of(law);
  finding.laws = {law};
  finding.number = found.number;
  const auto broken = breaks(smallest);
  tell(finding, smallest, broken ? *broken : found.broken);
  if (!broken)
    finding.evidence.push_back("played again, the same history did not show it: it does not always answer alike");
  const Played played = play(smallest, checked_.policy, pool_);
  const bool is_of_conflict = broken && broken->conflict < played.conflicts.size();
  if (is_of_conflict &&
      differ_by_rounding(played.conflicts[broken->conflict].conflict, broken->expected, broken->got)) {
    finding.evidence.push_back("the answers are floating-point numbers that differ by rounding alone");
    finding.evidence.push_back("taken for itself that would mean: " + finding.cause);
    finding.cause = "sums floating point in an order that it does not control";
    finding.explanation +=
        " Floating-point addition is not associative: what is added in another order, or in other groups, gives "
        "another sum.";
  }
  return finding;
}

Finding Diagnosis::explain_failure(const BrokenCase& found, const Coverage& coverage) const {
  Finding finding = explain_law(found);
  std::vector<std::string> always;
  for (size_t i = 0; i < value_families; ++i) {
    const FamilyCounts& counts = coverage.families[i];
    if (counts.failed == 0) continue;
    const std::string name(name_of(static_cast<ValueFamily>(i)));
    finding.evidence.push_back(
        fmt::format("between {} alone it failed in {} of {} conflicts", name, counts.failed, counts.conflicts));
    always.push_back(name);
  }
  if (always.empty()) {
    finding.cause = "throws";
  } else {
    const bool is_any = always.size() == value_families;
    finding.cause = is_any ? "throws for every kind of value" : fmt::format("throws for {}", fmt::join(always, ", "));
  }
  if (always.size() < value_families && !always.empty()) {
    finding.evidence.push_back(
        fmt::format("between values of the {} other kinds it did not fail", value_families - always.size()));
  }
  return finding;
}

Finding Diagnosis::explain_impurity(const BrokenCase& found) const {
  Finding finding;
  finding.cause = "does not always answer alike";
  finding.explanation = explanation_of(found.broken.law);
  finding.laws = {found.broken.law};
  finding.number = found.number;
  const History history = generator_.make(found.number);
  const auto give_up = [&](const char* why) {
    finding.evidence.emplace_back(why);
    tell(finding, history, found.broken);
    return finding;
  };
  if (!elsewhere_) return give_up("no other process could be asked");
  const Experiments experiments(*elsewhere_);
  Sample sample;
  sample.add(history, play(history, checked_.policy, pool_));
  for (size_t i = 1; i < same_histories; ++i) sample.add(history, play(history, checked_.policy, pool_));
  for (uint64_t i = 0; sample.histories.size() < sample_histories; ++i) {
    const uint64_t number = found.number + i;
    History one = generator_.make(number);
    Played played = play(one, checked_.policy, pool_);
    const bool shows_it = find_broken(Law::SecondCall, played, checked_.policy, pool_).has_value();
    if (shows_it || i % 100 == 0 || i >= looked_through) sample.add(std::move(one), std::move(played));
  }
  const auto impurity = find_impurity(experiments, sample.lists, checked_.imports);
  if (!impurity && found.broken.law == Law::SeveralThreads)
    finding.cause = "not safe to be called from several threads at once";
  if (!impurity) return give_up("none of the experiments in other processes showed it");

  finding.cause = impurity->cause;
  finding.explanation = impurity->explanation;
  finding.evidence = impurity->evidence;
  Difference difference = impurity->difference;
  const auto find_still_broken = [&](std::span<const History> histories) -> std::optional<size_t> {
    Sample simpler;
    for (const History& one : histories) simpler.add(one, play(one, checked_.policy, pool_));
    const Differences differences = (experiments.*impurity->experiment)(simpler.lists);
    for (size_t i = 0; i < differences.size(); ++i) {
      if (!differences[i]) continue;
      difference = *differences[i];
      return i;
    }
    return std::nullopt;
  };
  const History smallest = shrink(sample.histories[impurity->list], find_still_broken, slow_at_once, slow_calls_max);
  const Broken broken{found.broken.law, difference.conflict, {}, difference.one, difference.other};
  tell(finding, smallest, broken);
  finding.computed = {fmt::format("{}: {}", impurity->one, describe(difference.one)),
                      fmt::format("{}: {}", impurity->other, describe(difference.other))};
  return finding;
}

void Diagnosis::tell(Finding& finding, const History& history, const Broken& broken) const {
  const Played played = play(history, checked_.policy, pool_);
  finding.history = history;
  finding.size = tell_size(history, played);
  finding.story = tell_events(history, played, pool_);
  if (broken.conflict < played.conflicts.size())
    finding.conflict = tell_conflict(played.conflicts[broken.conflict].conflict);
  if (!broken.what.empty()) finding.computed = {broken.what};
  if (broken.law != Law::Convergence) return;
  for (const PlayedConflict& met : played.conflicts) {
    std::string versions;
    for (const auto& version : met.conflict.versions) {
      versions += fmt::format("{}{}:{}", versions.empty() ? "" : ", ", version.id.origin.name, version.id.seq);
    }
    finding.computed.push_back(fmt::format("{} asked about {} over {}: {}", site_name(met.site), versions,
                                           describe(met.conflict.base), describe(met.answer)));
  }
}

}  // namespace quadrille::policies::check
