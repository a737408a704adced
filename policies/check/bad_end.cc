#include "policies/check/bad_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "policies/check/shrinking.h"
#include "policies/check/story.h"
#include "policies/policy_failure.h"

namespace quadrille::policies::check {
namespace {

constexpr size_t crashing_trials_max = 1'500;  // a millisecond or two each
constexpr size_t endless_trials_max = 1'000;   // of which those that show it take the limit
constexpr int64_t hasty_part = 40;             // of the limit, while shrinking
constexpr int64_t hasty_ms_min = 100;

// Counts calls, and from one on fails instead of calling.
class StopsAtCall final : public ForwardingPolicy {
 public:
  StopsAtCall(const reconcile::Policy& policy, uint64_t calls, std::string why)
      : ForwardingPolicy(policy), left_(calls), why_(std::move(why)) {}

  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    if (!has_calls_left()) throw PolicyFailure(why_);
    return ForwardingPolicy::resolve(conflict);
  }
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override {
    return has_calls_left() && ForwardingPolicy::may_leave(conflict, version);
  }

 private:
  bool has_calls_left() const {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  mutable uint64_t left_;
  std::string why_;
};

std::string describe(const Ending& ending) {
  if (ending.kind == EndKind::Endless) return "it did not come to an end";
  return fmt::format("it crashed: {}", ending.how);
}

class Explanation {
 public:
  Explanation(const CheckedPolicy& checked, const CheckOptions& options, const Ending& ending,
              const Isolation& isolation, int64_t call_ms_max)
      : policy_(checked.policy),
        generator_(checked.policy, pool_, options.property, options.argument, options.seed),
        ending_(ending),
        isolation_(isolation),
        call_ms_max_(call_ms_max) {}

  base::Result<Finding> explain() const {
    Finding finding = name_bad_end(ending_);
    for (const uint64_t number : ending_.cases) {
      QUADRILLE_ASSIGN(const Ending again, play_apart(generator_.make(number), call_ms_max_));
      if (again.kind != ending_.kind) continue;
      finding.number = number;
      QUADRILLE_TRY(tell_smallest(finding, generator_.make(number)));
      return finding;
    }
    finding.evidence.push_back(
        fmt::format("played again by {} in a process apart, no history showed it: it happens while several threads "
                    "ask, after other calls, or by chance",
                    ending_.cases.size() == 1 ? "itself" : "themselves"));
    return finding;
  }

 private:
  base::Result<Ending> play_apart(const History& history, int64_t call_ms_max) const {
    return isolation_.run(
        [&](Watcher& watcher) {
          const AnnouncedPolicy policy(policy_, watcher);
          const Played played = play(history, policy, pool_);
          for (size_t law = 0; law < law_count; ++law) find_broken(static_cast<Law>(law), played, policy, pool_);
          return std::string();
        },
        call_ms_max, true);
  }

  base::Result<void> tell_smallest(Finding& finding, const History& found) const {
    const bool is_crash = ending_.kind == EndKind::Crashed;
    const int64_t hasty_ms = is_crash ? call_ms_max_ : std::max(call_ms_max_ / hasty_part, hasty_ms_min);
    History smallest = shrink(
        found,
        [&](std::span<const History> one) -> std::optional<size_t> {
          const auto end = play_apart(one.front(), hasty_ms);
          if (end && end->kind == ending_.kind) return 0;
          return std::nullopt;
        },
        1, is_crash ? crashing_trials_max : endless_trials_max);
    QUADRILLE_ASSIGN(Ending shown, play_apart(smallest, call_ms_max_));
    if (shown.kind != ending_.kind) {  // it only took long
      smallest = found;
      QUADRILLE_ASSIGN(shown, play_apart(found, call_ms_max_));
    }
    tell(finding, smallest, shown);
    return {};
  }

  // What came before the last call is played once more.
  void tell(Finding& finding, const History& history, const Ending& shown) const {
    const std::string why = describe(shown);
    const Played played = play(history, StopsAtCall(policy_, shown.calls, why), pool_);
    finding.history = history;
    finding.size = tell_size(history, played);
    finding.story = tell_events(history, played, pool_);
    auto met = std::find_if(played.conflicts.begin(), played.conflicts.end(),
                            [&](const PlayedConflict& one) { return one.answer.failure == why; });
    if (met == played.conflicts.end()) met = played.conflicts.begin();
    if (met != played.conflicts.end()) finding.conflict = tell_conflict(met->conflict);
    finding.computed = {fmt::format("There is none: {}.", why)};
  }

  const reconcile::Policy& policy_;
  const ValuePool pool_;
  const HistoryGenerator generator_;
  const Ending& ending_;
  const Isolation& isolation_;
  const int64_t call_ms_max_;
};

}  // namespace

Finding name_bad_end(const Ending& ending) {
  Finding finding;
  finding.laws = {Law::NeverFails};
  if (ending.kind == EndKind::Endless) {
    finding.cause = "it does not come to an end";
    finding.explanation =
        "A site's writer waits for the answer, for ever: a clock that cut it off would do so at one site and not at "
        "another.";
  } else {
    finding.cause = "it crashes";
    finding.explanation =
        "A policy runs inside the site, which crashes with it, and again after a restart: the conflict is still there.";
    finding.evidence.push_back(fmt::format("the process ended: {}", ending.how));
  }
  if (!ending.cases.empty()) finding.number = ending.cases.front();
  if (ending.histories == 0) finding.evidence.emplace_back("it happened before it was asked anything: at loading");
  return finding;
}

base::Result<Finding> explain_bad_end(const CheckedPolicy& checked, const CheckOptions& options, const Ending& ending,
                                      const Isolation& isolation, int64_t call_ms_max) {
  return Explanation(checked, options, ending, isolation, call_ms_max).explain();
}

}  // namespace quadrille::policies::check
