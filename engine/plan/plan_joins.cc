// Joins: flattening a group into its operands, and putting these into an order.
#include <algorithm>
#include <utility>

#include "engine/plan/pattern_access.h"
#include "engine/plan/planning.h"

namespace quadrille::plan {

using sparql::Algebra;
using sparql::AlgebraKind;

namespace {

VariableSet columns_of(const Plan& plan) {
  VariableSet found;
  for (VariableId id : plan.columns) found.add(id);
  return found;
}

VariableSet columns_of(const JoinItem& item) {
  if (item.pattern) return variables_of(*item.pattern);
  if (item.plan) return columns_of(*item.plan);
  VariableSet found;
  if (item.path_subject.variable != no_variable) found.add(item.path_subject.variable);
  if (item.path_object.variable != no_variable) found.add(item.path_object.variable);
  return found;
}

bool is_plain_triples(const Algebra& algebra) {
  return algebra.kind == AlgebraKind::BasicGraphPattern && !algebra.triples.empty();
}

// True if GRAPH ?g around the pattern may become a variable of each of its triples: nothing in it sees ?g.
bool takes_graph_variable(const Algebra& algebra, VariableId graph, Scope& scope) {
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern: return is_plain_triples(algebra);
    case AlgebraKind::Join:
      return takes_graph_variable(*algebra.left, graph, scope) && takes_graph_variable(*algebra.right, graph, scope);
    case AlgebraKind::Filter:
      return takes_graph_variable(*algebra.left, graph, scope) && !has_exists(*algebra.expression) &&
             !variables_of(*algebra.expression, scope).has(graph);
    default: return false;
  }
}

}  // namespace

// True for what collect() takes apart; the rest is planned on its own and joined as a whole.
bool Planning::is_join_operand(const Algebra& algebra, const Around& around) {
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern:
    case AlgebraKind::PropertyPath:
    case AlgebraKind::Join: return true;
    case AlgebraKind::Filter: {
      const Conditions own = split(*algebra.expression, *around.scope);
      const AlgebraVariables below = plan::variables_of(*algebra.left, *around.scope);
      return std::all_of(own.begin(), own.end(), [&](const Condition& condition) {
        return !condition.has_exists && below.certain.covers(condition.variables);
      });
    }
    case AlgebraKind::Graph: {
      const auto* variable = std::get_if<sparql::Variable>(&algebra.graph);
      if (variable == nullptr) return true;
      return takes_graph_variable(*algebra.left, around.scope->id_of(*variable), *around.scope);
    }
    default: return false;
  }
}

PlanPointer Planning::plan_group(const Algebra& algebra, const Around& around, Conditions conditions) {
  JoinGroup group;
  collect(algebra, around, group);
  const AlgebraVariables own = plan::variables_of(algebra, *around.scope);
  Conditions after;
  for (Condition& condition : conditions) {
    const bool early = own.certain.covers(condition.variables);
    (early ? group.conditions : after).push_back(std::move(condition));
  }
  if (group.impossible) return nothing(own.possible, around);
  return apply(join_all(std::move(group), around), std::move(after), around);
}

void Planning::collect(const Algebra& algebra, const Around& around, JoinGroup& group) {
  if (group.impossible) return;
  if (algebra.kind == AlgebraKind::Service) {
    group.services.push_back(&algebra);
    return;
  }
  if (!is_join_operand(algebra, around)) {
    collect_plan(plan(algebra, around), &algebra, around, group);
    return;
  }
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern:
      for (const auto& triple : algebra.triples) collect_triple(triple, around, group);
      return;
    case AlgebraKind::PropertyPath:
      collect_path(algebra.path_subject, algebra.path, algebra.path_object, around, group);
      return;
    case AlgebraKind::Join:
      if (++depth_ > 2000) stop(base::ErrorKind::ResourceExhausted, "the query joins too many groups");
      collect(*algebra.left, around, group);
      collect(*algebra.right, around, group);
      --depth_;
      return;
    case AlgebraKind::Filter: collect_filter(algebra, around, group); return;
    default: collect_graph(algebra, around, group); return;
  }
}

void Planning::collect_plan(PlanPointer made, const Algebra* source, const Around& around, JoinGroup& group) {
  if (made->kind == PlanKind::Nothing) group.impossible = true;
  if (made->kind == PlanKind::OneRow) return;
  JoinItem item;
  item.plan = std::move(made);
  item.source = source;
  item.graph = around.graph;
  group.items.push_back(std::move(item));
}

void Planning::collect_triple(const sparql::TriplePattern& triple, const Around& around, JoinGroup& group) {
  JoinItem item;
  PatternAccess& access = item.pattern.emplace();
  access.graph = around.graph;
  bool known = place_of(triple.subject, *around.scope, access.triple[0]);
  known = place_of(triple.predicate, *around.scope, access.triple[1]) && known;
  known = place_of(triple.object, *around.scope, access.triple[2]) && known;
  if (!known) {
    group.impossible = true;
    choices_.mark_unusual();
  }
  group.items.push_back(std::move(item));
}

void Planning::collect_filter(const Algebra& algebra, const Around& around, JoinGroup& group) {
  for (Condition& condition : split(*algebra.expression, *around.scope)) {
    group.conditions.push_back(std::move(condition));
  }
  collect(*algebra.left, around, group);
}

void Planning::collect_graph(const Algebra& algebra, const Around& around, JoinGroup& group) {
  Around inside = around;
  if (const auto* variable = std::get_if<sparql::Variable>(&algebra.graph)) {
    inside.graph.mode = GraphMode::Each;
    inside.graph.filter = dataset_.named_graphs;
    inside.graph.variable = around.scope->id_of(*variable);
  } else {
    const auto id = id_of(std::get<model::Term>(algebra.graph));
    // A hidden graph is seen when it is named, but FROM NAMED, where given, says all.
    const bool is_there = id && (dataset_.named_graphs->all_but || dataset_.named_graphs->allows(*id));
    if (!is_there) {
      group.impossible = true;
      choices_.mark_unusual();
      return;
    }
    inside.graph = GraphChoice{};
    inside.graph.graph = *id;
  }
  const Algebra& pattern = *algebra.left;
  if (pattern.kind == AlgebraKind::BasicGraphPattern && pattern.triples.empty()) {
    auto made = std::make_unique<Plan>();
    made->kind = PlanKind::NamedGraphs;
    made->access.graph = inside.graph;
    made->rows = 1;
    collect_plan(std::move(made), nullptr, around, group);
    return;
  }
  collect(pattern, inside, group);
}

JoinProblem Planning::problem_of(const JoinGroup& group, const Plan* start, const Around& around) {
  JoinProblem problem;
  for (const JoinItem& item : group.items) {
    JoinOperand& operand = problem.operands.emplace_back();
    operand.columns = columns_of(item);
    operand.certain = item.plan ? item.plan->certain : operand.columns;
    if (item.pattern) {
      operand.pattern = &*item.pattern;
      operand.estimate = estimator_.estimate(*item.pattern);
    } else if (item.plan) {
      operand.rows = item.plan->rows;
    } else {
      operand.is_path = true;
      operand.is_anchored = item.path_subject.term || item.path_object.term;
    }
  }
  for (const Condition& condition : group.conditions) problem.conditions.push_back(condition.variables);
  problem.equalities = group.equalities;
  problem.tuning = tuning_;
  if (start != nullptr) {
    problem.has_start = true;
    problem.start_rows = start->rows;
    problem.start_columns = columns_of(*start);
    problem.start_certain = start->certain;
  }
  // What is seeded runs again for each batch of seeds, and what is to stop early would read too much.
  problem.may_hash = around.seed == nullptr && !around.stops_early;
  return problem;
}

std::vector<JoinStep> Planning::join_steps(const JoinGroup& group, const Plan* start, const Around& around) {
  std::vector<JoinStep> steps;
  if (!choices_.is_earlier()) steps = find_join_order(problem_of(group, start, around));
  steps.resize(group.items.size());
  std::vector<bool> is_used(steps.size());
  for (JoinStep& step : steps) {
    step.operand = static_cast<size_t>(choices_.number([&] { return static_cast<double>(step.operand); }));
    const double method = choices_.number([&] { return static_cast<double>(step.method); });
    step.method = static_cast<JoinMethod>(static_cast<int>(method));
    step.rows = choices_.number([&] { return step.rows; });
    if (step.operand >= steps.size() || is_used[step.operand]) throw ChoiceRecord::DoesNotFit();
    is_used[step.operand] = true;
  }
  return steps;
}

// The variables that filters of the group demand to be equal, by `=`.
void Planning::find_equalities(JoinGroup& group, Scope& scope) {
  for (const Condition& condition : group.conditions) {
    const sparql::Expression& expression = *condition.expression;
    if (expression.kind != sparql::ExpressionKind::Call || expression.function != sparql::Function::Equal) continue;
    const auto& arguments = expression.arguments;
    const bool both_variables =
        arguments[0].kind == sparql::ExpressionKind::Variable && arguments[1].kind == sparql::ExpressionKind::Variable;
    if (!both_variables) continue;
    group.equalities.emplace_back(scope.id_of(arguments[0].variable), scope.id_of(arguments[1].variable));
  }
}

PlanPointer Planning::join_all(JoinGroup group, const Around& around) {
  PlanPointer current = around.seed != nullptr ? seed_plan(*around.seed) : nullptr;
  if (!current && group.items.empty() && group.services.empty()) current = one_row(around);
  find_equalities(group, *around.scope);
  // The conditions that may run on these rows; an EXISTS waits for joins to come that leave fewer of them.
  const auto apply_ready = [&](bool fewer_later) {
    Conditions ready;
    std::erase_if(group.conditions, [&](Condition& condition) {
      if (!current->certain.covers(condition.variables) || (condition.has_exists && fewer_later)) return false;
      ready.push_back(std::move(condition));
      return true;
    });
    current = apply(std::move(current), std::move(ready), around);
  };
  std::vector<JoinStep> steps = join_steps(group, current.get(), around);
  if (!group.services.empty() && !current && (steps.empty() || steps.back().rows > tuning_.rows_worth_handing_over)) {
    current = start_with_service(group, around);
    if (current) steps = join_steps(group, current.get(), around);
  }
  if (current) apply_ready(!steps.empty());
  for (size_t i = 0; i < steps.size(); ++i) {
    JoinItem& item = group.items[steps[i].operand];
    current = join_item(std::move(current), std::move(item), steps[i], group, around);
    const bool fewer_later = std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, steps.end(),
                                         [&](const JoinStep& later) { return later.rows < steps[i].rows; });
    apply_ready(fewer_later);
  }
  current = join_services(std::move(current), group, around);
  return apply(std::move(current), std::move(group.conditions), around);
}

PlanPointer Planning::join_item(PlanPointer current, JoinItem item, const JoinStep& step, JoinGroup& group,
                                const Around& around) {
  if (!item.pattern && !item.plan) return join_path(std::move(current), std::move(item));
  if (item.pattern) {
    if (current && step.method == JoinMethod::Hash) {
      return hash_pattern(std::move(current), std::move(*item.pattern), step.rows, group, around);
    }
    return join_pattern(std::move(current), std::move(*item.pattern), JoinMode::Inner, step.rows, group.equalities);
  }
  if (!current) return std::move(item.plan);
  return join_subplan(std::move(current), std::move(item), around);
}

PlanPointer Planning::join_pattern(PlanPointer current, PatternAccess access, JoinMode mode, double rows,
                                   const std::vector<std::pair<VariableId, VariableId>>& equalities) {
  auto made = std::make_unique<Plan>();
  const VariableSet own = variables_of(access);
  VariableSet bound = current ? columns_of(*current) : VariableSet();
  made->rows = rows;
  if (current) {
    for (size_t i = 0; i < access.equal_to.size(); ++i) {
      const VariableId place = variable_of(access, static_cast<model::Column>(i));
      if (place == no_variable || bound.has(place)) continue;
      for (const auto& [left, right] : equalities) {
        if (place == left && current->certain.has(right)) access.equal_to[i] = right;
        if (place == right && current->certain.has(left)) access.equal_to[i] = left;
      }
    }
    bound.add_all(known_by_equality(access, current->certain, equalities));
  }
  choose_order(access, bound);
  made->access = std::move(access);
  if (!current) {
    made->kind = PlanKind::Scan;
    made->columns = own.members();
    made->certain = own;
    return made;
  }
  made->kind = PlanKind::IndexJoin;
  made->mode = mode;
  made->columns = joined_columns(*current, own.members());
  made->certain = current->certain;
  if (mode == JoinMode::Inner) made->certain.add_all(own);
  if (mode == JoinMode::LeftOuter) made->rows = std::max(made->rows, current->rows);
  made->children.push_back(std::move(current));
  return made;
}

// Reads the pattern whole: cheaper than a look-up a row where the rows are many.
PlanPointer Planning::hash_pattern(PlanPointer current, PatternAccess access, double rows, JoinGroup& group,
                                   const Around& around) {
  const double own_rows = choices_.number([&] { return estimator_.estimate(access).rows; });
  PlanPointer scan = join_pattern(nullptr, std::move(access), JoinMode::Inner, own_rows, {});
  Conditions ready;
  std::erase_if(group.conditions, [&](Condition& condition) {
    if (condition.has_exists || !scan->certain.covers(condition.variables)) return false;
    ready.push_back(std::move(condition));
    return true;
  });
  scan = apply(std::move(scan), std::move(ready), around);
  if (scan->rows > current->rows) std::swap(current, scan);  // the smaller one is kept in memory
  PlanPointer made = join_plans(std::move(current), std::move(scan), JoinMode::Inner);
  made->rows = rows;
  return made;
}

// Joins a whole plan: seeded by the rows so far where that is right and they are few, by hashing else.
PlanPointer Planning::join_subplan(PlanPointer current, JoinItem item, const Around& around) {
  const bool may_seed = item.source != nullptr && around.seed == nullptr;  // else it is seeded already
  if (may_seed && current->rows * 2 < item.plan->rows && may_plan_again()) {
    std::vector<VariableId> keys = shared_certain(*current, *item.plan);
    std::erase_if(keys, [&](VariableId id) { return !can_be_seeded(*item.source, id, *around.scope); });
    if (!keys.empty()) {
      ++planned_again_;
      Around inside = around;
      inside.graph = item.graph;
      return plan_lateral(std::move(current), *item.source, std::move(keys), JoinMode::Inner, inside);
    }
  }
  if (item.plan->rows > current->rows) std::swap(current, item.plan);  // the smaller one is kept in memory
  return join_plans(std::move(current), std::move(item.plan), JoinMode::Inner);
}

PlanPointer Planning::join_plans(PlanPointer left, PlanPointer right, JoinMode mode) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::HashJoin;
  made->mode = mode;
  made->keys = shared_certain(*left, *right);
  made->columns = joined_columns(*left, right->columns);
  made->certain = left->certain;
  if (mode == JoinMode::Inner) made->certain.add_all(right->certain);
  made->rows = made->keys.empty() ? left->rows * right->rows : std::max(left->rows, right->rows);
  if (mode == JoinMode::LeftOuter) made->rows = std::max(made->rows, left->rows);
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

}  // namespace quadrille::plan
