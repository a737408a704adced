#include "engine/plan/planner.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>

#include "engine/plan/pipelines.h"
#include "engine/plan/planning.h"
#include "engine/plan/shape.h"

namespace quadrille::plan {

using sparql::Algebra;
using sparql::AlgebraKind;

namespace {

constexpr int max_depth = 2000;

// Rows with the constants of a pattern, in any graph; where the subject and the object are constants, with the object.
class PatternCounter {
 public:
  PatternCounter(const model::QuadSource& source, KnownTerms& terms) : source_(source), terms_(terms) {}

  double operator()(const sparql::TriplePattern& triple) {
    const auto* predicate = std::get_if<model::Term>(&triple.predicate);
    if (const auto* object = std::get_if<model::Term>(&triple.object)) {
      return predicate == nullptr ? count(model::QuadOrder::Ospg, {object})
                                  : count(model::QuadOrder::Posg, {predicate, object});
    }
    if (const auto* subject = std::get_if<model::Term>(&triple.subject)) {
      return predicate == nullptr ? count(model::QuadOrder::Spog, {subject})
                                  : count(model::QuadOrder::Spog, {subject, predicate});
    }
    if (predicate == nullptr) return count(model::QuadOrder::Spog, {});
    const auto [entry, is_new] = of_predicates_.try_emplace(predicate->text());
    if (is_new) entry->second = count(model::QuadOrder::Posg, {predicate});
    return entry->second;
  }

 private:
  double count(model::QuadOrder order, std::initializer_list<const model::Term*> constants) const {
    std::array<model::TermId, 2> prefix;
    size_t length = 0;
    for (const model::Term* constant : constants) {
      const auto id = terms_.find(*constant);
      if (!id) return 0;
      prefix[length++] = *id;
    }
    return static_cast<double>(source_.estimate_count(order, std::span(prefix).first(length)));
  }

  const model::QuadSource& source_;
  KnownTerms& terms_;
  std::map<std::string, double> of_predicates_;  // that stand alone: one often stands in several patterns
};

}  // namespace

base::Result<std::unique_ptr<PlannedQuery>> make_plan(const Algebra& pattern,
                                                      const std::vector<sparql::Variable>& wanted,
                                                      const Dataset& dataset, const model::QuadSource& source,
                                                      PlanMemory* memory, const Tuning& tuning) {
  KnownTerms terms(source);
  std::string shape;
  std::shared_ptr<const Choices> earlier;
  if (memory != nullptr) {
    shape = shape_of(pattern, wanted, dataset, PatternCounter(source, terms));
    earlier = memory->find(shape);
  }
  if (earlier) {
    auto query = std::make_unique<PlannedQuery>();
    try {
      QUADRILLE_TRY(Planning(dataset, source, terms, *query, tuning, std::move(earlier)).plan_root(pattern, wanted));
      return query;
    } catch (const ChoiceRecord::DoesNotFit&) {
      // Then as if nothing was known.
    }
  }
  auto query = std::make_unique<PlannedQuery>();
  Planning planning(dataset, source, terms, *query, tuning, nullptr);
  QUADRILLE_TRY(planning.plan_root(pattern, wanted));
  if (memory != nullptr && planning.choices().is_worth_keeping()) memory->keep(shape, planning.choices().take());
  return query;
}

base::Result<void> Planning::plan_root(const Algebra& pattern, const std::vector<sparql::Variable>& wanted) {
  try {
    count_names(pattern);
    for (const auto& variable : wanted) name_counts_[variable.name] += 2;
    Scope& scope = query_.scopes.emplace_back(query_.variables);
    query_.root = plan_root_node(pattern, Around{&scope, dataset_.default_graph, nullptr});
    mark_pipelines(query_, tuning_);
  } catch (Stopped& stopped) {
    return std::move(stopped.error);
  }
  return {};
}

void Planning::stop(base::ErrorKind kind, std::string message) {
  throw Stopped{base::Error{kind, std::move(message), std::nullopt}};
}

// The outermost Project is not a sub-query: it shares the scope of what is below it.
PlanPointer Planning::plan_root_node(const Algebra& algebra, const Around& around) {
  switch (algebra.kind) {
    case AlgebraKind::Project: return plan_project(algebra, around);
    case AlgebraKind::Distinct:
    case AlgebraKind::Reduced: return plan_distinct(algebra, around);
    case AlgebraKind::Slice: return plan_slice(algebra, around);
    default: return plan(algebra, around);
  }
}

PlanPointer Planning::plan(const Algebra& algebra, const Around& around, Conditions conditions) {
  if (++depth_ > max_depth) {
    stop(base::ErrorKind::ResourceExhausted, "the query is nested too deeply; expected fewer groups in one another");
  }
  PlanPointer made = plan_by_kind(algebra, around, std::move(conditions));
  --depth_;
  return made;
}

PlanPointer Planning::plan_by_kind(const Algebra& algebra, const Around& around, Conditions conditions) {
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern:
    case AlgebraKind::PropertyPath:
    case AlgebraKind::Join: return plan_group(algebra, around, std::move(conditions));
    case AlgebraKind::Graph:
      if (is_join_operand(algebra, around)) return plan_group(algebra, around, std::move(conditions));
      return apply(plan_each_graph(algebra, around), std::move(conditions), around);
    case AlgebraKind::Filter: {
      Conditions own = split(*algebra.expression, *around.scope);
      const AlgebraVariables below = variables_of(*algebra.left, *around.scope);
      Conditions after;
      for (Condition& condition : own) {
        // An EXISTS sees all that is bound: it may run where all is that it mentions, and gets no more.
        if (condition.has_exists) {
          condition.variables = variables_of(*condition.expression, *around.scope);
          condition.variables.keep_only(below.possible);
        }
        const bool early = below.certain.covers(condition.variables);
        (early ? conditions : after).push_back(std::move(condition));
      }
      return apply(plan(*algebra.left, around, std::move(conditions)), std::move(after), around);
    }
    case AlgebraKind::LeftJoin: return plan_optional(algebra, around, std::move(conditions));
    case AlgebraKind::Union: return plan_union(algebra, around, std::move(conditions));
    case AlgebraKind::Minus: return plan_minus(algebra, around, std::move(conditions));
    case AlgebraKind::Extend: return plan_extend(algebra, around, std::move(conditions));
    case AlgebraKind::Values: return apply(plan_values(algebra, around), std::move(conditions), around);
    case AlgebraKind::Service: return apply(plan_service(algebra, around), std::move(conditions), around);
    case AlgebraKind::Project:
    case AlgebraKind::Distinct:
    case AlgebraKind::Reduced:
    case AlgebraKind::Slice: return apply(plan_sub_query(algebra, around), std::move(conditions), around);
    case AlgebraKind::Group:
    case AlgebraKind::OrderBy: return apply(plan_modifier(algebra, around), std::move(conditions), around);
  }
  stop(base::ErrorKind::Unsupported, "a form of pattern that this version does not know");
}

PlanPointer Planning::nothing(VariableSet columns, const Around& around) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Nothing;
  if (around.seed != nullptr) {
    for (VariableId id : around.seed->variables) columns.add(id);
    columns.add(around.seed->row_variable);
  }
  made->columns = columns.members();
  made->certain = std::move(columns);
  return made;
}

PlanPointer Planning::seed_plan(const SeedRows& seed) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Seed;
  made->seed = seed.seed;
  made->row_variable = seed.row_variable;
  made->columns = seed.variables;
  made->columns.push_back(seed.row_variable);
  made->certain = seed.certain;
  made->certain.add(seed.row_variable);
  made->rows = seed.rows;
  return made;
}

PlanPointer Planning::one_row(const Around& around) {
  if (around.seed != nullptr) return seed_plan(*around.seed);
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::OneRow;
  made->rows = 1;
  return made;
}

SeedRows Planning::make_seed(const Plan& rows, std::vector<VariableId> variables) {
  SeedRows seed;
  seed.seed = query_.seeds++;
  seed.row_variable = query_.variables.add(".row" + std::to_string(seed.seed));
  for (VariableId id : variables) {
    if (rows.certain.has(id)) seed.certain.add(id);
  }
  seed.variables = std::move(variables);
  seed.rows = std::max(1.0, std::min(rows.rows, 1000.0));
  return seed;
}

std::optional<model::TermId> Planning::id_of(const model::Term& term) { return terms_.find(term); }

bool Planning::place_of(const sparql::PatternTerm& term, Scope& scope, Place& place) {
  if (const auto* variable = std::get_if<sparql::Variable>(&term)) {
    if (is_read_elsewhere(variable->name)) place.variable = scope.id_of(*variable);
    return true;
  }
  const auto id = id_of(std::get<model::Term>(term));
  if (id) place.constant = *id;
  return id.has_value();
}

// A variable that stands in one place of the whole query only asks for something to be there.
bool Planning::is_read_elsewhere(const std::string& name) const {
  if (keep_all_) return true;
  auto entry = name_counts_.find(name);
  return entry == name_counts_.end() || entry->second > 1;
}

void Planning::count_name(const sparql::PatternTerm& term) {
  if (const auto* variable = std::get_if<sparql::Variable>(&term)) ++name_counts_[variable->name];
}

void Planning::count_names(const sparql::Expression& expression) {
  if (expression.kind == sparql::ExpressionKind::Variable) ++name_counts_[expression.variable.name];
  for (const auto& argument : expression.arguments) count_names(argument);
  if (expression.pattern) count_names(*expression.pattern);
}

void Planning::count_names(const Algebra& algebra) {
  if (++depth_ > max_depth) {
    stop(base::ErrorKind::ResourceExhausted, "the query is nested too deeply; expected fewer groups in one another");
  }
  for (const auto& triple : algebra.triples) {
    count_name(triple.subject);
    count_name(triple.predicate);
    count_name(triple.object);
  }
  if (algebra.kind == AlgebraKind::PropertyPath) {
    count_name(algebra.path_subject);
    count_name(algebra.path_object);
  }
  if (algebra.kind == AlgebraKind::Graph || algebra.kind == AlgebraKind::Service) count_name(algebra.graph);
  if (algebra.left) count_names(*algebra.left);
  if (algebra.right) count_names(*algebra.right);
  if (algebra.expression) count_names(*algebra.expression);
  for (const auto& condition : algebra.order) count_names(condition.expression);
  for (const auto& variable : algebra.projection) ++name_counts_[variable.name];
  for (const auto& variable : algebra.values.variables) name_counts_[variable.name] += 2;
  if (algebra.kind == AlgebraKind::Extend) name_counts_[algebra.variable.name] += 2;
  for (const auto& [variable, expression] : algebra.group_keys) {
    name_counts_[variable.name] += 2;
    count_names(expression);
  }
  for (const auto& aggregate : algebra.aggregates) {
    if (aggregate.argument) {
      count_names(*aggregate.argument);
    } else if (aggregate.distinct) {
      keep_all_ = true;  // COUNT(DISTINCT *) looks at every variable
    }
  }
  --depth_;
}

std::vector<VariableId> joined_columns(const Plan& left, const std::vector<VariableId>& more) {
  std::vector<VariableId> columns = left.columns;
  for (VariableId id : more) {
    if (std::find(columns.begin(), columns.end(), id) == columns.end()) columns.push_back(id);
  }
  return columns;
}

std::vector<VariableId> shared_certain(const Plan& left, const Plan& right) {
  std::vector<VariableId> shared;
  for (VariableId id : left.columns) {
    if (right.has_column(id) && left.certain.has(id) && right.certain.has(id)) shared.push_back(id);
  }
  return shared;
}

}  // namespace quadrille::plan
