#include "engine/exec/join_switch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "engine/exec/operators.h"
#include "engine/exec/pattern_reader.h"
#include "engine/exec/row_index.h"
#include "engine/plan/cost.h"
#include "engine/plan/pattern_access.h"

namespace quadrille::exec {

using plan::no_variable;
using plan::VariableId;

bool JoinSwitch::is_due(uint64_t lookups) {
  const auto made = static_cast<double>(lookups);
  if (made < run_.tuning.lookups_worth_a_switch) return false;
  if (!std::exchange(is_known_, true)) cost_ = cost_of_switch();
  // None needed: tests want it at once.
  return cost_ && (run_.tuning.lookups_worth_a_switch == 0 || made * run_.tuning.cost_of_lookup >= *cost_);
}

// Join variables must be bound on both sides, and be keys because they are the same variable, not by `=` alone.
bool JoinSwitch::is_possible() const {
  const plan::Plan& left = *index_join_.children.front();
  bool is_joined = false;
  for (size_t i = 0; i < 4; ++i) {
    const VariableId variable = plan::variable_of(index_join_.access, static_cast<model::Column>(i));
    if (index_join_.access.equal_to[i] != no_variable && !(variable != no_variable && left.has_column(variable))) {
      return false;
    }
    if (variable == no_variable || !left.has_column(variable)) continue;
    if (!left.certain.has(variable)) return false;
    is_joined = true;
  }
  return is_joined;
}

std::optional<double> JoinSwitch::cost_of_switch() {
  if (!is_possible()) return std::nullopt;
  auto scan = std::make_unique<plan::Plan>();
  scan->kind = plan::PlanKind::Scan;
  scan->access = index_join_.access;
  scan->access.equal_to.fill(no_variable);
  plan::choose_order(scan->access, {});
  const PatternReader reader(scan->access, {}, run_);
  const auto order = model::columns_of(scan->access.order);
  std::vector<TermId> prefix;
  for (size_t i = 0; i < scan->access.prefix_length; ++i) prefix.push_back(reader.constant(order[i]));
  scan->rows = static_cast<double>(run_.source.estimate_count(scan->access.order, prefix));
  for (size_t i = 0; i < 4; ++i) {
    const VariableId variable = plan::variable_of(scan->access, static_cast<model::Column>(i));
    if (variable == no_variable || scan->has_column(variable)) continue;
    scan->columns.push_back(variable);
    scan->certain.add(variable);
  }
  // Much less than all that is left: others need memory too, and a query must not fail for the sake of speed.
  const size_t bytes =
      static_cast<size_t>(scan->rows) * (scan->columns.size() * sizeof(TermId) + RowIndex::bytes_per_row);
  if (!run_.has_memory_for(4 * bytes)) return std::nullopt;

  auto left = std::make_unique<plan::Plan>();
  left->columns = index_join_.children.front()->columns;
  left->certain = index_join_.children.front()->certain;
  hash_join_.kind = plan::PlanKind::HashJoin;
  hash_join_.mode = index_join_.mode;
  hash_join_.columns = index_join_.columns;
  hash_join_.certain = index_join_.certain;
  for (const VariableId variable : scan->columns) {
    if (left->has_column(variable)) hash_join_.keys.push_back(variable);
  }
  const double cost = scan->rows * (plan::cost_of_scanning + plan::cost_of_building);
  hash_join_.children.push_back(std::move(left));
  hash_join_.children.push_back(std::move(scan));
  return cost;
}

OperatorPointer JoinSwitch::make(OperatorPointer left) {
  return make_hash_join(hash_join_, std::move(left), make_scan(*hash_join_.children[1], run_), run_);
}

}  // namespace quadrille::exec
