// The policy assignments that still count at a site, by number. DESIGN section 4, "Policy assignment".
//
// The highest number is in force: local updates are made under it. A changeset of another site is made under what was
// in force there, and says so; its cells are those of that assignment, for ever.
//
// Where two assignments give a property other cells, it is in transition: what was written under the older one is
// decided first, in its cells, and the newer over the result (mixed_cells.h). Where only policies differ, a component
// is decided under the newest number among its versions.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "reconcile/cell_rules.h"

namespace quadrille::reconcile {

// So many assignments may still count where another is made here; an older one stops to when every member is known to
// have a newer one and nothing older is left in the window. Sites that were apart may bring more together: a greeting
// holds eight times as many (sync/greeting.cc).
inline constexpr size_t assignments_max = 128;

// What says which properties a group has: its rules, and all that may match a property that one of those matches.
// Without their policies; sorted.
using GroupRules = std::vector<std::tuple<std::string, std::string, log::CellKind, std::string>>;
GroupRules rules_of_group(const Assignment& assignment, std::string_view group);

struct NumberedRules {
  NumberedRules(log::AssignmentNumber its_number, uint64_t its_seq, Assignment its, const PolicyRegistry& policies);
  log::AssignmentNumber number;
  uint64_t seq = 0;              // of the changeset that brought it; 0: that of `init`
  bool is_known_to_all = false;  // no assignment below it can come in any more
  Assignment assignment;
  CellRules rules;
  const GroupRules& rules_of_group(const std::string& group);

 private:
  std::map<std::string, GroupRules> groups_;  // that were asked for
};

// The writer's, and whoever checks a store. Not thread-safe. At least one assignment is in it.
class AssignmentHistory {
 public:
  explicit AssignmentHistory(const PolicyRegistry& policies) : policies_(policies) {}

  // Replaces what was there under the number. References stay good until remove() or clear().
  NumberedRules& add(log::AssignmentNumber number, uint64_t seq, Assignment assignment);
  void remove_before(const log::AssignmentNumber& number);
  void clear();

  NumberedRules& in_force() { return *numbered_.rbegin()->second; }
  const NumberedRules& in_force() const { return *numbered_.rbegin()->second; }
  NumberedRules* find(const log::AssignmentNumber& number);
  // The highest of which a changeset with these dependencies knows: what it must have been made under. Null: of none.
  NumberedRules* find_in_force_at(const log::VersionVector& dependencies);
  bool has_all_of(const AssignmentHistory& other) const;  // by number
  size_t size() const noexcept { return numbered_.size(); }
  uint64_t changes() const noexcept { return changes_; }  // grows with each add()

  // Whether a policy counts that reads other cells; and whether one may decide this cell.
  bool reads_context() const noexcept { return reads_context_; }
  bool may_read_context(const log::Cell& cell, const model::QuadSource& terms);

  // Whether the property has had other cells, and what was written in those may still count.
  bool is_in_transition(model::TermId graph, model::TermId property, const model::QuadSource& terms);
  bool is_in_transition(const log::Cell& cell, const model::QuadSource& terms);
  // The number with which the property's cells became what they are under `number`: the first of an unbroken row of
  // assignments that give it the same.
  const log::AssignmentNumber& cells_since(const log::AssignmentNumber& number, const log::Cell& cell,
                                           const model::QuadSource& terms);

 private:
  // Whether two assignments give the property the same cells. Records are the same where all that says which
  // properties their group has is.
  static bool has_same_group(NumberedRules& left, NumberedRules& right, const std::string& group) {
    return left.rules_of_group(group) == right.rules_of_group(group);
  }
  bool has_same_cells(NumberedRules& left, NumberedRules& right, model::TermId graph, model::TermId property,
                      const model::QuadSource& terms);

  void on_change();

  const PolicyRegistry& policies_;
  std::map<log::AssignmentNumber, std::unique_ptr<NumberedRules>> numbered_;
  std::map<std::pair<model::TermId, model::TermId>, bool> in_transition_;  // by graph and property
  std::map<model::TermId, bool> groups_in_transition_;
  bool reads_context_ = false;
  uint64_t changes_ = 0;
};

}  // namespace quadrille::reconcile
