// SERVICE: a pattern that another endpoint answers. https://www.w3.org/TR/sparql11-federated-query/
//
// How many solutions there are is not known here, but they have to travel. So the patterns of this store come first,
// and what they found is handed over (a bound join), unless that is more than can be sent.
#include <algorithm>
#include <utility>

#include "engine/plan/planning.h"
#include "engine/sparql/scope.h"

namespace quadrille::plan {

using sparql::Algebra;

namespace {

constexpr double rows_of_service = 100'000;  // what is taken for the size of an answer

const sparql::Variable* endpoint_variable(const Algebra& service) {
  return std::get_if<sparql::Variable>(&service.graph);
}

}  // namespace

PlanPointer Planning::plan_service(const Algebra& algebra, const Around& around) {
  Scope& scope = *around.scope;
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Service;
  made->service = &algebra;
  for (const auto& variable : sparql::visible_variables(*algebra.left)) {
    if (is_read_elsewhere(variable.name)) made->columns.push_back(scope.id_of(variable));
  }
  const auto* endpoint = endpoint_variable(algebra);
  if (endpoint != nullptr) {
    made->variable = scope.id_of(*endpoint);
    if (!made->has_column(made->variable)) made->columns.push_back(made->variable);
    const bool is_known = around.seed != nullptr &&
                          std::count(around.seed->variables.begin(), around.seed->variables.end(), made->variable) > 0;
    if (!is_known) {
      stop(base::ErrorKind::InvalidInput, "SERVICE ?" + endpoint->name + ": nothing in its group binds ?" +
                                              endpoint->name + "; expected a pattern that gives it the endpoint");
    }
  }
  // Where it fails silently nothing is certain, but what was handed over.
  const VariableSet inside = variables_of(*algebra.left, scope).certain;
  for (VariableId id : made->columns) {
    if (!algebra.silent && inside.has(id)) made->certain.add(id);
  }
  made->rows = rows_of_service;
  if (around.seed == nullptr) return made;

  const SeedRows& seed = *around.seed;
  made->seed = seed.seed;
  made->seed_variables = seed.variables;
  made->row_variable = seed.row_variable;
  for (VariableId id : seed.variables) {
    if (!seed.certain.has(id) || !made->has_column(id)) continue;
    if (inside.has(id)) made->keys.push_back(id);
    if (inside.has(id) || id == made->variable) made->certain.add(id);
  }
  if (!made->keys.empty()) made->rows = seed.rows;
  return join_plans(std::move(made), seed_plan(seed), JoinMode::Inner);
}

// The distinct values of what both sides surely bind are handed over, and so is the endpoint, where that is a variable.
PlanPointer Planning::join_service(PlanPointer current, const Algebra& service, JoinMode mode, const Around& around) {
  Scope& scope = *around.scope;
  const VariableSet inside = variables_of(*service.left, scope).certain;
  const auto* endpoint = endpoint_variable(service);
  const VariableId endpoint_id = endpoint == nullptr ? no_variable : scope.id_of(*endpoint);
  std::vector<VariableId> keys;
  for (VariableId id : current->columns) {
    if ((current->certain.has(id) && inside.has(id)) || id == endpoint_id) keys.push_back(id);
  }
  if (!keys.empty()) return plan_lateral(std::move(current), service, std::move(keys), mode, around);
  Around alone = around;
  alone.seed = nullptr;
  return join_plans(std::move(current), plan_service(service, alone), mode);
}

PlanPointer Planning::join_services(PlanPointer current, JoinGroup& group, const Around& around) {
  while (!group.services.empty()) {
    // In the order of writing, but for those whose endpoint another one finds.
    auto next = std::find_if(group.services.begin(), group.services.end(), [&](const Algebra* service) {
      const auto* endpoint = endpoint_variable(*service);
      return endpoint == nullptr || (current && current->has_column(around.scope->id_of(*endpoint)));
    });
    if (next == group.services.end()) next = group.services.begin();
    const Algebra& service = **next;
    group.services.erase(next);
    current = current ? join_service(std::move(current), service, JoinMode::Inner, around) : plan(service, around);
  }
  return current;
}

// None where each endpoint has yet to be found.
PlanPointer Planning::start_with_service(JoinGroup& group, const Around& around) {
  const auto first = std::find_if(group.services.begin(), group.services.end(),
                                  [](const Algebra* service) { return endpoint_variable(*service) == nullptr; });
  if (first == group.services.end()) return nullptr;
  const Algebra& service = **first;
  group.services.erase(first);
  return plan_service(service, around);
}

}  // namespace quadrille::plan
