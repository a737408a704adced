#include <utility>

#include "engine/exec/operators.h"
#include "engine/exec/profile.h"

namespace quadrille::exec {

using plan::Plan;
using plan::PlanKind;

namespace {

OperatorPointer make_unobserved(const Plan& plan, RunState& run) {
  const auto child = [&](size_t index) { return make_operator(*plan.children[index], run); };
  switch (plan.kind) {
    case PlanKind::Nothing: return make_nothing(plan);
    case PlanKind::OneRow: return make_one_row();
    case PlanKind::Seed: return make_seed(plan, run);
    case PlanKind::Scan: return make_scan(plan, run);
    case PlanKind::IndexJoin: return make_index_join(plan, child(0), run);
    case PlanKind::HashJoin: {
      OperatorPointer left = child(0);
      return make_hash_join(plan, std::move(left), child(1), run);
    }
    case PlanKind::Lateral: return make_lateral(plan, child(0), run);
    case PlanKind::Minus: {
      OperatorPointer left = child(0);
      return make_minus(plan, std::move(left), child(1), run);
    }
    case PlanKind::Filter: return make_filter(plan, child(0), run);
    case PlanKind::Extend: return make_extend(plan, child(0), run);
    case PlanKind::Union: {
      std::vector<OperatorPointer> children;
      for (size_t i = 0; i < plan.children.size(); ++i) children.push_back(child(i));
      return make_union(plan, std::move(children));
    }
    case PlanKind::Values: return make_values(plan, run);
    case PlanKind::Path: return make_path(plan, child(0), run);
    case PlanKind::EachGraph: return make_each_graph(plan, run);
    case PlanKind::NamedGraphs: return make_named_graphs(plan, run);
    case PlanKind::Group: return make_group(plan, child(0), run);
    case PlanKind::OrderBy: return make_order_by(plan, child(0), run);
    case PlanKind::Project: return make_project(plan, child(0));
    case PlanKind::Distinct: return make_distinct(plan, child(0), run);
    case PlanKind::Service: return make_service(plan, run);
    case PlanKind::Slice: return make_slice(plan, child(0));
  }
  return make_nothing(plan);
}

}  // namespace

OperatorPointer make_operator(const Plan& plan, RunState& run) {
  OperatorPointer made = make_unobserved(plan, run);
  return run.profile == nullptr ? std::move(made) : run.profile->observe(plan, std::move(made));
}

}  // namespace quadrille::exec
