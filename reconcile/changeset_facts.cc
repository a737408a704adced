#include "reconcile/changeset_facts.h"

#include "log/stored_operations.h"

namespace quadrille::reconcile {
namespace {

constexpr size_t facts_max = 100'000;

}  // namespace

const ChangesetFacts& ChangesetFactsCache::get(log::ChangesetKey changeset, const log::ChangeLog& log,
                                               const log::LogState& state, AssignmentHistory& assignments) {
  if (const auto known = facts_.find(changeset); known != facts_.end()) return known->second;
  const auto header = log.find_header(changeset);
  if (!header) log::fail_as_corrupt("log.headers");
  NumberedRules* rules = assignments.find(header->assignment);
  if (!rules) log::fail_as_corrupt("reconcile.assignments");
  ChangesetFacts facts{header->stamp, {header->dependencies, state}, rules};
  return facts_.emplace(changeset, std::move(facts)).first->second;
}

void ChangesetFactsCache::put(log::ChangesetKey changeset, ChangesetFacts facts) {
  facts_.insert_or_assign(changeset, std::move(facts));
}

void ChangesetFactsCache::make_room() {
  if (facts_.size() > facts_max) facts_.clear();
}

}  // namespace quadrille::reconcile
