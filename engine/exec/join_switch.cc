#include "engine/exec/join_switch.h"

#include <utility>
#include <vector>

#include "engine/exec/operators.h"
#include "engine/exec/pattern_reader.h"
#include "engine/exec/row_index.h"
#include "engine/plan/cost.h"
#include "engine/plan/pattern_access.h"

namespace quadrille::exec {

using plan::no_variable;
using plan::VariableId;

JoinSwitch::JoinSwitch(const plan::Plan& plan, RunState& run)
    : index_join_(plan), run_(run), sides_(run.pipeline == nullptr ? nullptr : &run.pipeline->parts.sides) {}

bool JoinSwitch::is_due(uint64_t lookups) {
  const plan::Tuning& tuning = run_.tuning;
  const auto made = static_cast<double>(lookups);
  const bool has_another_switched = sides_ != nullptr && sides_->find(index_join_) != nullptr;
  if (made < tuning.lookups_worth_a_switch && !has_another_switched) return false;
  if (!std::exchange(is_planned_, true)) hash_join_ = hash_join_plan();
  if (hash_join_ == nullptr) return false;
  if (has_another_switched) return true;
  const double cost = hash_join_->children[1]->rows * (plan::cost_of_scanning + plan::cost_of_building);
  return tuning.lookups_worth_a_switch == 0 || made * tuning.cost_of_lookup >= cost;  // 0: tests want it at once
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

// The pattern by itself.
std::unique_ptr<plan::Plan> JoinSwitch::scan_plan() const {
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
    if (variable != no_variable && !scan->has_column(variable)) scan->columns.push_back(variable);
  }
  return scan;
}

std::unique_ptr<const plan::Plan> JoinSwitch::hash_join_plan() const {
  if (!is_possible()) return nullptr;
  auto scan = scan_plan();
  // Much less than all that is left: others need memory too, and a query must not fail for the sake of speed.
  const size_t bytes =
      static_cast<size_t>(scan->rows) * (scan->columns.size() * sizeof(TermId) + RowIndex::bytes_per_row);
  if (!run_.has_memory_for(4 * bytes)) return nullptr;
  auto left = std::make_unique<plan::Plan>();
  left->columns = index_join_.children.front()->columns;
  auto join = std::make_unique<plan::Plan>();
  join->kind = plan::PlanKind::HashJoin;
  join->mode = index_join_.mode;
  join->columns = index_join_.columns;
  for (const VariableId variable : scan->columns) {
    if (left->has_column(variable)) join->keys.push_back(variable);
  }
  join->children.push_back(std::move(left));
  join->children.push_back(std::move(scan));
  return join;
}

OperatorPointer JoinSwitch::make(OperatorPointer left) {
  const auto make_side = [&] {
    const plan::Plan& scan = *hash_join_->children[1];
    auto side = std::make_shared<KeptRows>(make_scan(scan, run_), scan.columns, hash_join_->keys, run_);
    side->read();
    return side;
  };
  auto right = sides_ == nullptr ? make_side() : sides_->find_or_make(index_join_, make_side);
  return make_hash_join(*hash_join_, std::move(left), std::move(right), run_);
}

}  // namespace quadrille::exec
