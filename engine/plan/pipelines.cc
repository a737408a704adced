#include "engine/plan/pipelines.h"

#include <algorithm>
#include <vector>

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

// What the operator itself computes.
bool may_be_split(const Plan& plan) {
  bool may = true;
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

class Marking {
 public:
  explicit Marking(const Tuning& tuning) : tuning_(tuning) {}

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

  const Tuning& tuning_;
};

}  // namespace

void mark_pipelines(Plan& root, const Tuning& tuning) { Marking(tuning).visit(root); }

}  // namespace quadrille::plan
