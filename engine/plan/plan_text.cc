// The plan as a tree of text.
#include <fmt/format.h>

#include "engine/plan/pattern_access.h"
#include "engine/plan/planner.h"
#include "engine/sparql/print.h"

namespace quadrille::plan {
namespace {

class PlanPrinter {
 public:
  PlanPrinter(const PlannedQuery& query, const model::QuadSource& source,
              const std::function<std::string(const Plan&)>& more)
      : query_(query), source_(source), more_(more) {}

  void print(const Plan& plan, size_t depth) {
    text_ += fmt::format("{:{}}{}", "", depth * 2, name(plan));
    if (const std::string more = details(plan); !more.empty()) text_ += " " + more;
    text_ += fmt::format("  [~{:.0f} rows{}{}]\n", plan.rows, plan.leaf != nullptr ? ", by several threads" : "",
                         more_ ? more_(plan) : std::string());
    for_each_expression(plan, [&](const PlannedExpression& one) { print_exists(one, depth); });
    for (const auto& child : plan.children) print(*child, depth + 1);
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string name(const Plan& plan) {
    constexpr const char* names[] = {"Nothing",  "OneRow",    "Seed",        "Scan",   "IndexJoin", "HashJoin",
                                     "Lateral",  "Minus",     "Filter",      "Extend", "Union",     "Values",
                                     "Path",     "EachGraph", "NamedGraphs", "Group",  "OrderBy",   "Project",
                                     "Distinct", "Slice",     "Service"};
    std::string text = names[static_cast<size_t>(plan.kind)];
    if (plan.mode == JoinMode::LeftOuter) text += "(optional)";
    return text;
  }

  std::string variable(VariableId id) const { return "?" + query_.variables.name_of(id); }
  std::string variables(const std::vector<VariableId>& ids) const {
    std::string text;
    for (VariableId id : ids) text += (text.empty() ? "" : " ") + variable(id);
    return text;
  }
  std::string place(const Place& place) const {
    if (place.is_variable()) return variable(place.variable);
    return place.is_constant() ? model::to_ntriples(source_.get_term(place.constant)) : "_";
  }
  std::string expression(const PlannedExpression& planned) const {
    return planned.expression == nullptr ? "*" : sparql::to_text(*planned.expression);
  }

  std::string pattern(const PatternAccess& access) const {
    std::string text =
        fmt::format("{} {} {}", place(access.triple[0]), place(access.triple[1]), place(access.triple[2]));
    if (access.graph.mode == GraphMode::Each) text += " in graph " + variable(access.graph.variable);
    if (access.graph.mode == GraphMode::Merged) text += " in merged graphs";
    if (access.graph.mode == GraphMode::One && access.graph.graph != model::TermId::default_graph()) {
      text += " in " + model::to_ntriples(source_.get_term(access.graph.graph));
    }
    if (access.objects.is_given()) text += " in a range of objects";
    for (size_t i = 0; i < access.equal_to.size(); ++i) {
      if (access.equal_to[i] == no_variable) continue;
      const VariableId place = variable_of(access, static_cast<model::Column>(i));
      text += " where " + variable(place) + " = " + variable(access.equal_to[i]);
    }
    return text + fmt::format(" by {}, prefix {}, key {}", model::name_of(access.order), access.prefix_length,
                              access.key_length);
  }

  std::string details(const Plan& plan) const {
    switch (plan.kind) {
      case PlanKind::Scan:
      case PlanKind::IndexJoin: return pattern(plan.access);
      case PlanKind::HashJoin:
      case PlanKind::Lateral:
      case PlanKind::Minus: return "on " + variables(plan.keys);
      case PlanKind::Filter: {
        std::string text;
        for (const auto& one : plan.conditions) text += (text.empty() ? "" : " and ") + expression(one);
        return text;
      }
      case PlanKind::Extend: return variable(plan.variable) + " := " + expression(plan.expression);
      case PlanKind::Service: return service(plan);
      case PlanKind::Path: return sparql::to_text(*plan.path);
      case PlanKind::EachGraph: return variable(plan.variable);
      case PlanKind::Project: return variables(plan.columns);
      case PlanKind::OrderBy: return plan.top ? fmt::format("first {}", *plan.top) : std::string();
      case PlanKind::Slice:
        return fmt::format("offset {}{}", plan.offset, plan.limit ? fmt::format(" limit {}", *plan.limit) : "");
      default: return {};
    }
  }

  std::string service(const Plan& plan) const {
    std::string text = plan.service->silent ? "silent " : "";
    text += sparql::to_text(plan.service->graph);
    return plan.keys.empty() ? text : text + ", handing over " + variables(plan.keys);
  }

  void print_exists(const PlannedExpression& planned, size_t depth) {
    for (const auto& [source, exists] : planned.exists) {
      text_ += fmt::format("{:{}}pattern of EXISTS:\n", "", depth * 2 + 2);
      print(*exists->plan, depth + 2);
      if (!exists->whole) continue;
      text_ += fmt::format("{:{}}or, for many rows, once for all:\n", "", depth * 2 + 2);
      print(*exists->whole, depth + 2);
    }
  }

  const PlannedQuery& query_;
  const model::QuadSource& source_;
  const std::function<std::string(const Plan&)>& more_;
  std::string text_;
};

}  // namespace

std::string to_text(const PlannedQuery& query, const model::QuadSource& source,
                    const std::function<std::string(const Plan&)>& more) {
  PlanPrinter printer(query, source, more);
  printer.print(*query.root, 0);
  return printer.take();
}

}  // namespace quadrille::plan
