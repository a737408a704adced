#include "policies/check/policy_check.h"

#include <fmt/format.h>

#include "policies/check/diagnosis.h"
#include "policies/check/search.h"

namespace quadrille::policies::check {
namespace {

constexpr uint64_t first_block = 2'000;
constexpr uint64_t block = 20'000;

std::vector<Law> laws_of(const reconcile::Policy& policy, const Elsewhere* elsewhere, size_t threads) {
  std::vector<Law> laws = {Law::InsideCell, Law::NeverFails, Law::SecondCall};
  if (elsewhere) laws.push_back(Law::OtherProcess);
  if (threads > 1) laws.push_back(Law::SeveralThreads);
  laws.push_back(Law::Choosing);
  if (policy.retention() == reconcile::Retention::MaximalVersions) laws.push_back(Law::MaximalOnly);
  if (policy.retention() == reconcile::Retention::AsItSays) laws.push_back(Law::MayLeave);
  if (policy.checks_local_changes()) laws.push_back(Law::LocalChecks);
  laws.push_back(Law::Convergence);
  return laws;
}

void add_note(std::vector<std::string>& notes, const std::vector<std::string>& names, std::string_view what) {
  if (names.empty()) return;
  notes.push_back(fmt::format("its file imports {} ({}): no answer was seen to depend on it, and none may", what,
                              fmt::join(names, ", ")));
}

// Whether an answer changes with the incarnations of the sites, which restores and evictions renew.
bool depends_on_incarnations(const reconcile::Policy& policy, const HistoryGenerator& generator,
                             const ValuePool& pool) {
  for (uint64_t number = 0; number < 200; ++number) {
    const History history = generator.make(number);
    const Played played = play(history, policy, pool);
    for (const PlayedConflict& met : played.conflicts) {
      reconcile::Conflict renamed = met.conflict;
      for (auto& version : renamed.versions) version.id.origin.incarnation ^= 0x5555;
      if (ask(policy, renamed) != met.answer) return true;
    }
  }
  return false;
}

bool answers_several_values(const Coverage& coverage) {
  uint64_t several = coverage.mixed.several;
  for (const FamilyCounts& counts : coverage.families) several += counts.several;
  return several > 0;
}

std::vector<std::string> notes_of(const CheckedPolicy& checked, const HistoryGenerator& generator,
                                  const ValuePool& pool, const Coverage& coverage) {
  std::vector<std::string> notes;
  const reconcile::Policy& policy = checked.policy;
  add_note(notes, checked.imports.clock, "the clock");
  add_note(notes, checked.imports.chance, "chance");
  add_note(notes, checked.imports.environment, "the environment");
  if (depends_on_incarnations(policy, generator, pool)) {
    notes.emplace_back(
        "its answers change with the incarnations of sites. That is allowed, for they are the same everywhere; but a "
        "site that is restored has a new one, and then counts as another");
  }
  if (!policy.accepts_several_values() && answers_several_values(coverage)) {
    notes.emplace_back(
        "it answers several values for one cell, though it does not declare that it accepts several: a local update "
        "could not leave them");
  }
  if (policy.retention() == reconcile::Retention::AllVersions) {
    notes.emplace_back(
        "it declares nothing of versions that may leave: the window of a cell that is written all the time grows");
  }
  return notes;
}

}  // namespace

base::Result<CheckReport> check_policy(const CheckedPolicy& checked, const CheckOptions& options,
                                       base::TaskRunner& runner, const Elsewhere* elsewhere, Watcher* watcher) {
  QUADRILLE_TRY(checked.policy.check_argument(options.argument));
  const ValuePool pool;
  const HistoryGenerator generator(checked.policy, pool, options.property, options.argument, options.seed);
  const Search search(checked.policy, generator, pool, elsewhere, watcher);
  SearchResult all;
  const uint64_t begin = options.only_case.value_or(0);
  const uint64_t end = options.only_case ? begin + 1 : options.cases;
  for (uint64_t first = begin; first < end && !all.is_any_broken();) {
    const uint64_t next = std::min(end, first + (first == 0 ? first_block : block));
    all.add(search.run(first, next, runner));
    if (all.trouble) return *all.trouble;
    first = next;
  }
  CheckReport report;
  report.coverage = all.coverage;
  report.looked_for = laws_of(checked.policy, elsewhere, runner.width());
  report.questions_elsewhere = all.questions_elsewhere;
  report.findings = Diagnosis(checked, generator, pool, elsewhere).explain(all);
  if (report.findings.empty()) report.notes = notes_of(checked, generator, pool, all.coverage);
  return report;
}

}  // namespace quadrille::policies::check
