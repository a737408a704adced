#include "policies/check/impurity.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/check/laws.h"

namespace quadrille::policies::check {
namespace {

std::string listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// What the file imports, as evidence.
void add_imports(Impurity& impurity, const std::vector<std::string>& names, std::string_view meaning) {
  if (!names.empty()) impurity.evidence.push_back(fmt::format("its file imports {}: {}", meaning, listed(names)));
}

void blame_clock(Impurity& impurity, const Imports& imports) {
  impurity.cause = "reads the clock";
  impurity.explanation =
      "Its answer depends on when it is asked. Sites ask at different moments. The stamps of the versions are the "
      "only time that is the same everywhere.";
  add_imports(impurity, imports.clock, "the clock");
}

void blame_chance(Impurity& impurity, const Imports& imports) {
  impurity.cause = "random";
  impurity.explanation =
      "Its answer is thrown with dice, which fall differently at each site. Where a choice must look random, hash "
      "what the conflict holds.";
  add_imports(impurity, imports.chance, "chance");
}

void explain_at_once(Impurity& impurity, const Imports& imports) {
  impurity.evidence.push_back(
      "two forks of one process, with the same memory, asked at the same moment, answered differently");
  if (!imports.chance.empty() && imports.clock.empty()) return blame_chance(impurity, imports);
  if (!imports.clock.empty() && imports.chance.empty()) return blame_clock(impurity, imports);
  impurity.cause = "random, or reads a fine clock";
  impurity.explanation = "Its answer depends on chance or on the moment, neither of which is the same at two sites.";
  add_imports(impurity, imports.chance, "chance");
  add_imports(impurity, imports.clock, "the clock");
}

void explain_later(Impurity& impurity, const Imports& imports) {
  impurity.evidence.push_back(
      "two forks of one process at the same moment answered alike, and a third one, a second later, differently");
  blame_clock(impurity, imports);
}

void explain_addresses(Impurity& impurity, const Imports& imports) {
  impurity.evidence.push_back("first calls in processes whose memory lies at other addresses answered differently");
  impurity.evidence.push_back("forks with the same memory answered alike, at once and a second later");
  impurity.cause = "depends on addresses or on unordered iteration";
  impurity.explanation =
      "It compares, sorts or hashes by where things lie in memory, or walks a container whose order follows from "
      "that. Sort by what the things are.";
  add_imports(impurity, imports.hashing, "hashing containers");
}

void explain_surroundings(Impurity& impurity, const Imports& imports) {
  impurity.evidence.push_back(
      "a process with another locale, time zone, user, home and working directory answered differently");
  impurity.evidence.push_back(
      "processes with the same surroundings answered alike, whatever their addresses and the moment");
  impurity.cause = "depends on locale or environment";
  impurity.explanation =
      "It reads variables, the locale, the time zone, the user or files, which are each machine's own.";
  add_imports(impurity, imports.environment, "the environment");
}

void explain_arrival(Impurity& impurity, const Imports&) {
  impurity.evidence.push_back(
      "asked as if each of three concurrent versions had come last, it always chose the one that came last");
  impurity.cause = "prefers what arrived last";
  impurity.explanation =
      "It remembers what it has been shown, and prefers what is new. What comes first at one site comes last at "
      "another.";
}

void explain_state(Impurity& impurity, const Imports& imports) {
  impurity.evidence.push_back(
      "first calls in new processes always answered alike; a later call in the same process differently");
  if (!imports.chance.empty()) {
    blame_chance(impurity, imports);
    impurity.evidence.push_back("each process begins the same row of numbers, so first calls agree");
    return;
  }
  impurity.cause = "keeps state between calls";
  impurity.explanation =
      "Its answer depends on what it was asked before, and sites are asked in different orders. Leave no static, "
      "global or mutable variable that a call changes.";
}

struct Step {
  Impurity::Experiment experiment;
  void (*explain)(Impurity&, const Imports&);
  const char* one;
  const char* other;
};

constexpr Step steps[] = {
    {&Experiments::at_once, explain_at_once, "one fork", "another fork at the same moment"},
    {&Experiments::later, explain_later, "at first", "a second later"},
    {&Experiments::other_addresses, explain_addresses, "one process", "a process with other addresses"},
    {&Experiments::other_surroundings, explain_surroundings, "a process with these surroundings", "one with others"},
    {&Experiments::second_call, explain_state, "the first call", "the second call"},
    {&Experiments::other_order, explain_state, "asked in one order", "asked in the other order"},
};

std::optional<size_t> shortest(const Differences& differences, std::span<const ConflictList> lists) {
  std::optional<size_t> best;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!differences[i]) continue;
    if (!best ||
        lists[i][differences[i]->conflict].versions.size() < lists[*best][differences[*best]->conflict].versions.size())
      best = i;
  }
  return best;
}

bool differs_by_rounding_always(const Differences& differences, std::span<const ConflictList> lists) {
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!differences[i]) continue;
    const Difference& found = *differences[i];
    if (!differ_by_rounding(lists[i][found.conflict], found.one, found.other)) return false;
  }
  return true;
}

void blame_rounding(Impurity& impurity) {
  impurity.evidence.insert(impurity.evidence.begin(),
                           "the answers are floating-point numbers that differ by rounding alone");
  impurity.evidence.push_back("taken for itself that would mean: " + impurity.cause);
  impurity.cause = "sums floating point in an order that it does not control";
  impurity.explanation =
      "Floating-point addition is not associative: the same numbers in another order give another sum. Add in the "
      "order of the versions, or exactly.";
}

}  // namespace

std::optional<Impurity> find_impurity(const Experiments& experiments, std::span<const ConflictList> lists,
                                      const Imports& imports) {
  for (const Step& step : steps) {
    const Differences differences = (experiments.*step.experiment)(lists);
    const auto list = shortest(differences, lists);
    if (!list) continue;
    Impurity impurity;
    impurity.experiment = step.experiment;
    impurity.one = step.one;
    impurity.other = step.other;
    impurity.list = *list;
    impurity.difference = *differences[*list];
    step.explain(impurity, imports);
    if (step.explain == explain_state && imports.chance.empty() && experiments.last_arrival_wins(lists)) {
      const Differences arrivals = experiments.other_arrival(lists);
      if (const auto shown = shortest(arrivals, lists)) {
        impurity.list = *shown;
        impurity.difference = *arrivals[*shown];
        impurity.experiment = &Experiments::other_arrival;
        impurity.one = "when one version came last";
        impurity.other = "when another came last";
      }
      explain_arrival(impurity, imports);
    }
    if (differs_by_rounding_always(differences, lists)) blame_rounding(impurity);
    return impurity;
  }
  return std::nullopt;
}

}  // namespace quadrille::policies::check
