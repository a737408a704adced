#include "engine/plan/cost.h"

namespace quadrille::plan {
namespace {

double cost_of_operator(const Plan& plan, const Tuning& tuning) {
  switch (plan.kind) {
    case PlanKind::Scan: return plan.rows * cost_of_scanning;
    case PlanKind::IndexJoin: return plan.children[0]->rows * tuning.cost_of_lookup + plan.rows * cost_of_output;
    case PlanKind::HashJoin:
    case PlanKind::Minus:
      return plan.children[0]->rows * cost_of_probing + plan.children[1]->rows * cost_of_building +
             plan.rows * cost_of_output;
    case PlanKind::Path: return plan.rows * cost_of_walking;
    default: return plan.rows * cost_of_output;
  }
}

}  // namespace

double cost_of(const Plan& plan, const Tuning& tuning) {
  double cost = cost_of_operator(plan, tuning);
  for (const auto& child : plan.children) cost += cost_of(*child, tuning);
  return cost;
}

}  // namespace quadrille::plan
