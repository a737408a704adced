#include "policies/check/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "engine/model/value.h"
#include "policies/check/concurrency.h"
#include "policies/check/retention_laws.h"

namespace quadrille::policies::check {
namespace {

using reconcile::Conflict;
using reconcile::Policy;

std::optional<Broken> find_outside(const Played& played) {
  for (size_t i = 0; i < played.conflicts.size(); ++i) {
    const Answer& answer = played.conflicts[i].answer;
    if (!answer.is_outside) continue;
    return Broken{Law::InsideCell,
                  i,
                  fmt::format("It answered {}, which is not all of this cell.", describe(answer)),
                  {},
                  answer};
  }
  return std::nullopt;
}

std::optional<Broken> find_failure(const Played& played) {
  for (size_t i = 0; i < played.conflicts.size(); ++i) {
    const Answer& answer = played.conflicts[i].answer;
    if (answer.failure.empty()) continue;
    return Broken{
        Law::NeverFails,
        i,
        fmt::format("It did not decide: \"{}\". A site falls back to {} then.", answer.failure,
                    played.conflicts[i].conflict.cell.kind == log::CellKind::Quad ? "add-wins" : "last-writer-wins"),
        {},
        answer};
  }
  return std::nullopt;
}

std::optional<Broken> find_other_second_answer(const Played& played, const Policy& policy) {
  for (size_t i = played.conflicts.size(); i-- > 0;) {
    const PlayedConflict& met = played.conflicts[i];
    const Answer again = ask(policy, met.conflict);
    if (again == met.answer) continue;
    return Broken{Law::SecondCall, i,
                  fmt::format("The first call answered {}; a later call with the same conflict answered {}.",
                              describe(met.answer), describe(again)),
                  met.answer, again};
  }
  return std::nullopt;
}

std::optional<size_t> chosen(const Policy& policy, const Conflict& conflict) {
  std::vector<reconcile::VersionOutline> outlines;
  for (const auto& version : conflict.versions) {
    outlines.push_back({&version.id.origin, version.stamp, version.is_maximal, version.left.empty()});
  }
  return policy.choose({outlines, conflict.argument});
}

std::optional<Broken> find_other_choice(const Played& played, const Policy& policy) {
  for (size_t i = 0; i < played.conflicts.size(); ++i) {
    const PlayedConflict& met = played.conflicts[i];
    if (!met.answer.decided()) continue;
    try {
      const auto place = chosen(policy, met.conflict);
      if (!place) continue;
      if (*place < met.conflict.versions.size() && met.conflict.versions[*place].left == met.answer.content) continue;
      const bool is_there = *place < met.conflict.versions.size();
      Answer other;
      if (is_there) other.content = met.conflict.versions[*place].left;
      return Broken{Law::Choosing, i,
                    fmt::format("choose() says version {} of {}, which left {}; resolve() answers {}.", *place + 1,
                                met.conflict.versions.size(), is_there ? describe(other.content) : "what is not there",
                                describe(met.answer)),
                    met.answer, other};
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {
      return Broken{
          Law::Choosing, i, fmt::format("choose() failed: \"{}\"; resolve() did not.", failure.what()), {}, {}};
    }
  }
  return std::nullopt;
}

std::optional<Broken> find_other_check(const Played& played, const Policy& policy) {
  if (!policy.checks_local_changes() || played.conflicts.empty()) return std::nullopt;
  const Conflict& conflict = played.conflicts.front().conflict;
  for (size_t i = 0; i < played.versions.size(); ++i) {
    const reconcile::LocalChange change = local_change(played, i, conflict.cell, conflict.argument);
    const Answer first = ask_check(policy, change);
    const Answer again = ask_check(policy, change);
    if (first == again) continue;
    return Broken{Law::LocalChecks, played.conflicts.size(),
                  fmt::format("check() of an update from {} to {} said first: {}, then: {}.", describe(change.saw),
                              describe(change.left), describe(first), describe(again)),
                  first, again};
  }
  return std::nullopt;
}

std::optional<Broken> find_divergence(const Played& played) {
  for (const SiteEnd& end : played.ends) {
    for (const auto* content : {&end.before_folding, &end.content}) {
      if (*content == played.expected) continue;
      Answer expected, got;
      expected.content = played.expected;
      got.content = *content;
      return Broken{
          Law::Convergence, played.conflicts.size(),
          fmt::format("When all sites have all changes, {} holds {}; a site that folded nothing and let nothing "
                      "leave holds {}.",
                      site_name(end.site), describe(*content), describe(played.expected)),
          expected, got};
    }
  }
  return std::nullopt;
}

std::optional<double> number_in(const Answer& answer) {
  if (!answer.decided() || answer.content.size() != 1) return std::nullopt;
  const model::Value value = model::value_of(answer.content.front().object);
  if (!value.is_numeric()) return std::nullopt;
  return value.to_double();
}

}  // namespace

std::string_view name_of(Law law) {
  switch (law) {
    case Law::InsideCell: return "nothing outside the cell";
    case Law::NeverFails: return "every conflict is decided";
    case Law::SecondCall: return "same answer in a second call and another order of calls";
    case Law::OtherProcess: return "same answer in another process, environment and moment";
    case Law::SeveralThreads: return "same answer in several threads at once";
    case Law::Choosing: return "choose() and resolve() agree";
    case Law::MaximalOnly: return "only maximal versions count, as declared";
    case Law::MayLeave: return "what may leave does not count, as declared";
    case Law::LocalChecks: return "check() says the same again";
    case Law::Convergence: return "sites hold the same in the end";
  }
  return "";
}

std::string_view explanation_of(Law law) {
  switch (law) {
    case Law::InsideCell: return "A policy decides one cell; a site does not take statements of another one from it.";
    case Law::NeverFails:
      return "A policy that fails does not decide: the site falls back, which is seldom what its author meant.";
    case Law::SecondCall: return "Sites ask at different moments, and some ask again: each call must give the same.";
    case Law::OtherProcess: return "Every site is another process on another machine: they all must decide the same.";
    case Law::SeveralThreads: return "A site may ask from several threads at once.";
    case Law::Choosing: return "A site may ask either, and must decide the same.";
    case Law::MaximalOnly:
      return "The policy declares that it looks at the base and the maximal versions alone, so sites drop the "
             "others, each at its own moment.";
    case Law::MayLeave: return "Sites drop the versions that the policy says may leave, each at its own moment.";
    case Law::LocalChecks: return "The same update must meet the same fate wherever it is sent.";
    case Law::Convergence: return "This is what reconciliation is for.";
  }
  return "";
}

std::optional<Broken> find_broken(Law law, const Played& played, const Policy& policy, const ValuePool& pool) {
  switch (law) {
    case Law::InsideCell: return find_outside(played);
    case Law::NeverFails: return find_failure(played);
    case Law::SecondCall: return find_other_second_answer(played, policy);
    case Law::Choosing: return find_other_choice(played, policy);
    case Law::MaximalOnly: return find_look_at_the_rest(played, policy, pool);
    case Law::MayLeave: return find_wrong_leave(played, policy);
    case Law::LocalChecks: return find_other_check(played, policy);
    case Law::Convergence: return find_divergence(played);
    case Law::OtherProcess:
    case Law::SeveralThreads: return std::nullopt;
  }
  return std::nullopt;
}

Answer ask_check(const Policy& policy, const reconcile::LocalChange& change) {
  Answer answer;
  try {
    reconcile::LocalDecision decision = policy.check(change);
    if (decision.refused) answer.failure = "refused: " + *decision.refused;
    if (!decision.refused) answer.content = decision.completed.value_or(change.left);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    answer.failure = failure.what();
  } catch (...) {
    answer.failure = "it threw something that is no std::exception";
  }
  std::sort(answer.content.begin(), answer.content.end());
  return answer;
}

reconcile::LocalChange local_change(const Played& played, size_t version, const reconcile::CellName& cell,
                                    const std::string& argument) {
  return {cell, played.versions[version].version.saw, played.versions[version].version.left, argument};
}

bool differ_by_rounding(const Conflict& conflict, const Answer& one, const Answer& other) {
  const auto left = number_in(one);
  const auto right = number_in(other);
  if (!left || !right || *left == *right || !std::isfinite(*left) || !std::isfinite(*right)) return false;
  if (model::value_of(one.content.front().object).is_exact() ||
      model::value_of(other.content.front().object).is_exact()) {
    return false;
  }
  double largest = 0;
  for (const reconcile::Version& version : conflict.versions) {
    for (const auto* content : {&version.saw, &version.left}) {
      for (const auto& statement : *content) {
        const model::Value value = model::value_of(statement.object);
        if (value.is_numeric() && std::isfinite(value.to_double()))
          largest = std::max(largest, std::fabs(value.to_double()));
      }
    }
  }
  return std::fabs(*left - *right) <= 16 * largest * std::numeric_limits<double>::epsilon();
}

}  // namespace quadrille::policies::check
