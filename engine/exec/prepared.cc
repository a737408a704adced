#include "engine/exec/prepared.h"

#include "engine/exec/column_map.h"

namespace quadrille::exec {

size_t Prepared::column_of_name(const std::string& name) const {
  const plan::VariableId id = plan->scopes.front().find(name);
  return id == plan::no_variable ? no_column : column_of(plan->root->columns, id);
}

base::Result<Prepared> prepare(const sparql::Algebra& pattern, const std::vector<sparql::Variable>& wanted,
                               const plan::Dataset& dataset, const model::QuadSource& source, const RunLimits& limits) {
  Prepared made;
  QUADRILLE_ASSIGN(made.plan, plan::make_plan(pattern, wanted, dataset, source, limits.plan_memory, limits.tuning));
  made.run = std::make_unique<RunState>(source, limits, *made.plan);
  made.root = make_operator(*made.plan->root, *made.run);
  return made;
}

}  // namespace quadrille::exec
