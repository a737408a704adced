#include "engine/plan/pipelines.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/algebra_variables.h"

namespace quadrille::plan {
namespace {

bool draws_on_chance(const sparql::Expression& expression) {
  if (expression.kind == sparql::ExpressionKind::Call && sparql::draws_on_chance(expression.function)) return true;
  return std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const sparql::Expression& argument) { return draws_on_chance(argument); });
}

bool may_be_split(const Plan& plan);

bool may_be_split_below(const Plan& plan) {
  return may_be_split(plan) && std::all_of(plan.children.begin(), plan.children.end(),
                                           [](const auto& child) { return may_be_split_below(*child); });
}

// What the operator itself computes. Other endpoints are asked by one thread, with all the rows that there are.
bool may_be_split(const Plan& plan) {
  bool may = plan.kind != PlanKind::Service;
  for_each_expression(plan, [&](const PlannedExpression& planned) {
    if (planned.expression != nullptr && draws_on_chance(*planned.expression)) may = false;
    for (const auto& [source, exists] : planned.exists) {
      if (!may_be_split_below(*exists->plan)) may = false;
      if (exists->whole && !may_be_split_below(*exists->whole)) may = false;
    }
  });
  return may;
}

// Whether the operator makes of each row of its first child what it does whatever the others are.
bool is_link(const Plan& plan) {
  switch (plan.kind) {
    case PlanKind::IndexJoin:
    case PlanKind::HashJoin:
    case PlanKind::Filter:
    case PlanKind::Extend:
    case PlanKind::Project: return may_be_split(plan);
    case PlanKind::Minus: return plan.row_variable == no_variable && may_be_split(plan);
    case PlanKind::Lateral: return may_be_split(plan) && may_be_split_below(*plan.children[1]);
    default: return false;
  }
}

// Calls whose results are ids that need no memory of their own: floats, integers, booleans.
bool gives_small_values(const sparql::Expression& expression) {
  if (expression.kind != sparql::ExpressionKind::Call) return false;
  switch (expression.function) {
    case sparql::Function::StrLen:
    case sparql::Function::Year:
    case sparql::Function::Month:
    case sparql::Function::Day:
    case sparql::Function::Hours:
    case sparql::Function::Minutes: return true;
    case sparql::Function::ByIri:
      return expression.function_iri == "http://www.w3.org/2001/XMLSchema#float" ||
             expression.function_iri == "http://www.w3.org/2001/XMLSchema#integer" ||
             expression.function_iri == "http://www.w3.org/2001/XMLSchema#boolean";
    default: return false;
  }
}

// What the group reads of its rows; nothing: it may be anything.
std::optional<VariableSet> columns_read(const Plan& group) {
  VariableSet found;
  bool is_known = true;
  for (const PlannedAggregate& aggregate : group.aggregates) {
    // COUNT(DISTINCT *) looks at whole rows.
    if (aggregate.argument.expression == nullptr && aggregate.aggregate->distinct) is_known = false;
  }
  for_each_expression(group, [&](const PlannedExpression& planned) {
    if (planned.expression == nullptr) return;
    const auto read = variables_read(planned);
    is_known = is_known && read;
    if (read) found.add_all(*read);
  });
  return is_known ? std::optional(std::move(found)) : std::nullopt;
}

class Marking {
 public:
  Marking(PlannedQuery& query, const Tuning& tuning) : query_(query), tuning_(tuning) {}

  void visit(Plan& plan) {
    std::vector<Plan*> chain;
    Plan* below = &plan;
    for (; is_link(*below); below = below->children.front().get()) chain.push_back(below);
    if (!chain.empty()) mark(chain, *below);
    for (Plan* link : chain) {
      if (link->kind == PlanKind::HashJoin || link->kind == PlanKind::Minus) visit(*link->children[1]);
    }
    // What is seeded, or made anew for each graph, runs within another's step.
    if (below->kind == PlanKind::EachGraph) return;
    if (below->kind == PlanKind::Group) compute_arguments_below(*below);
    const size_t count = below->kind == PlanKind::Lateral ? 1 : below->children.size();
    for (size_t i = 0; i < count; ++i) visit(*below->children[i]);
  }

 private:
  void mark(const std::vector<Plan*>& chain, const Plan& below) const {
    const Plan* leaf = &below;
    size_t links = chain.size();
    while (links > 0 && leaf->rows < tuning_.rows_worth_threads) leaf = chain[--links];
    const bool has_work = std::any_of(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(links),
                                      [](const Plan* link) { return link->kind != PlanKind::Project; });
    if (has_work) chain.front()->leaf = leaf;
  }

  // So that they are computed by whoever runs the chain, and the group only takes them in.
  void compute_arguments_below(Plan& group) {
    if (group.children.front()->rows < tuning_.rows_worth_threads) return;
    for (PlannedAggregate& aggregate : group.aggregates) {
      const sparql::Expression* argument = aggregate.argument.expression;
      if (argument == nullptr || !aggregate.argument.exists.empty()) continue;
      if (!gives_small_values(*argument) || draws_on_chance(*argument)) continue;
      Scope& scope = query_.scopes.emplace_back(query_.variables);
      const sparql::Variable name{".argument" + std::to_string(query_.expressions.size())};
      auto extend = std::make_unique<Plan>();
      extend->kind = PlanKind::Extend;
      extend->is_for_aggregate = true;
      extend->variable = scope.id_of(name);
      extend->expression = std::move(aggregate.argument);
      extend->columns = group.children.front()->columns;
      extend->columns.push_back(extend->variable);
      extend->certain = group.children.front()->certain;
      extend->rows = group.children.front()->rows;
      extend->children.push_back(std::move(group.children.front()));
      group.children.front() = std::move(extend);
      aggregate.argument = {&query_.expressions.emplace_back(sparql::Expression::of(name)), &scope, {}};
    }
    drop_columns_below(group);
  }

  // What goes from one thread to another is copied.
  static void drop_columns_below(Plan& group) {
    const auto read = columns_read(group);
    if (!read) return;
    auto project = std::make_unique<Plan>();
    project->kind = PlanKind::Project;
    for (VariableId id : group.children.front()->columns) {
      if (read->has(id)) project->columns.push_back(id);
    }
    if (project->columns.size() == group.children.front()->columns.size()) return;
    project->certain = group.children.front()->certain;
    project->certain.keep_only(*read);
    project->rows = group.children.front()->rows;
    project->children.push_back(std::move(group.children.front()));
    group.children.front() = std::move(project);
  }

  PlannedQuery& query_;
  const Tuning& tuning_;
};

}  // namespace

void mark_pipelines(PlannedQuery& query, const Tuning& tuning) { Marking(query, tuning).visit(*query.root); }

}  // namespace quadrille::plan
