// The inside of the planner, split over several files. Nobody but engine/plan includes this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/algebra_variables.h"
#include "engine/plan/estimate.h"
#include "engine/plan/join_order.h"
#include "engine/plan/known_terms.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_memory.h"
#include "engine/plan/tuning.h"

namespace quadrille::plan {

using PlanPointer = std::unique_ptr<Plan>;

// Rows that an operator above hands into a plan.
struct SeedRows {
  uint32_t seed = 0;
  VariableId row_variable = no_variable;
  std::vector<VariableId> variables;
  VariableSet certain;
  double rows = 1;
};

// What surrounds a pattern: its names, its graph, and the rows that it is seeded with, if any.
struct Around {
  Scope* scope = nullptr;
  GraphChoice graph;
  const SeedRows* seed = nullptr;
  bool stops_early = false;  // only a few of the rows are wanted, the first ones
};

// One conjunct of a filter, and what it mentions.
struct Condition {
  const sparql::Expression* expression = nullptr;
  VariableSet variables;  // that must be bound before it may run
  bool has_exists = false;
};
using Conditions = std::vector<Condition>;

// The share of rows that a condition is taken to let through where nothing is known.
inline constexpr double share_of_condition = 0.4;

// The operands of a join, before they are put into order.
struct JoinItem {
  std::optional<PatternAccess> pattern;
  PlanPointer plan;                         // else; absent for a path
  const sparql::Algebra* source = nullptr;  // of `plan`, to plan it again with a seed
  GraphChoice graph;                        // of `source`
  const sparql::Path* path = nullptr;
  PathEnd path_subject;
  PathEnd path_object;
};
struct JoinGroup {
  std::vector<JoinItem> items;
  std::vector<const sparql::Algebra*> services;               // joined after the items, or before all of them
  Conditions conditions;                                      // on variables that all of the group surely binds
  std::vector<std::pair<VariableId, VariableId>> equalities;  // that these conditions demand
  bool impossible = false;                                    // a constant that the source has never seen
};

// The planner's own record of what it found out, or the one of an earlier query of the same shape (plan_memory.h).
class ChoiceRecord {
 public:
  // Thrown when an earlier record does not fit: a constant is unknown, say.
  struct DoesNotFit {};

  explicit ChoiceRecord(std::shared_ptr<const Choices> earlier) : earlier_(std::move(earlier)) {}

  bool is_earlier() const noexcept { return earlier_ != nullptr; }
  // The next number of the earlier record; or what `find` finds, which is recorded.
  template <class Find>
  double number(Find find) {
    if (!earlier_) return made_.emplace_back(find());
    if (next_ == earlier_->size()) throw DoesNotFit();
    return (*earlier_)[next_++];
  }
  void mark_unusual() {
    if (earlier_) throw DoesNotFit();
    is_unusual_ = true;
  }
  bool is_worth_keeping() const noexcept { return !earlier_ && !is_unusual_; }
  Choices take() { return std::move(made_); }

 private:
  std::shared_ptr<const Choices> earlier_;
  size_t next_ = 0;
  Choices made_;
  bool is_unusual_ = false;
};

class Planning {
 public:
  Planning(const Dataset& dataset, const model::QuadSource& source, KnownTerms& terms, PlannedQuery& query,
           const Tuning& tuning, std::shared_ptr<const Choices> earlier)
      : dataset_(dataset),
        terms_(terms),
        estimator_(source),
        query_(query),
        tuning_(tuning),
        choices_(std::move(earlier)) {}

  base::Result<void> plan_root(const sparql::Algebra& pattern, const std::vector<sparql::Variable>& wanted);
  ChoiceRecord& choices() noexcept { return choices_; }

 private:
  // Throws Stopped where the query cannot be planned.
  struct Stopped {
    base::Error error;
  };
  [[noreturn]] static void stop(base::ErrorKind kind, std::string message);

  // `conditions` are those that may be applied as deep as their variables are bound; all are applied.
  PlanPointer plan(const sparql::Algebra& algebra, const Around& around, Conditions conditions = {});
  PlanPointer plan_by_kind(const sparql::Algebra& algebra, const Around& around, Conditions conditions);
  PlanPointer plan_root_node(const sparql::Algebra& algebra, const Around& around);

  // joins (plan_joins.cc)
  bool is_join_operand(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_group(const sparql::Algebra& algebra, const Around& around, Conditions conditions);
  void collect(const sparql::Algebra& algebra, const Around& around, JoinGroup& group);
  void collect_triple(const sparql::TriplePattern& triple, const Around& around, JoinGroup& group);
  void collect_filter(const sparql::Algebra& algebra, const Around& around, JoinGroup& group);
  void collect_graph(const sparql::Algebra& algebra, const Around& around, JoinGroup& group);
  void collect_plan(PlanPointer plan, const sparql::Algebra* source, const Around& around, JoinGroup& group);
  PlanPointer join_all(JoinGroup group, const Around& around);
  JoinProblem problem_of(const JoinGroup& group, const Plan* start, const Around& around);
  std::vector<JoinStep> join_steps(const JoinGroup& group, const Plan* start, const Around& around);
  static void find_equalities(JoinGroup& group, Scope& scope);
  PlanPointer join_item(PlanPointer current, JoinItem item, const JoinStep& step, JoinGroup& group,
                        const Around& around);
  PlanPointer join_pattern(PlanPointer current, PatternAccess access, JoinMode mode, double rows,
                           const std::vector<std::pair<VariableId, VariableId>>& equalities);
  PlanPointer hash_pattern(PlanPointer current, PatternAccess access, double rows, JoinGroup& group,
                           const Around& around);
  PlanPointer join_plans(PlanPointer left, PlanPointer right, JoinMode mode);
  PlanPointer join_subplan(PlanPointer current, JoinItem item, const Around& around);

  // SERVICE (plan_service.cc)
  PlanPointer plan_service(const sparql::Algebra& algebra, const Around& around);
  PlanPointer join_service(PlanPointer current, const sparql::Algebra& service, JoinMode mode, const Around& around);
  PlanPointer join_services(PlanPointer current, JoinGroup& group, const Around& around);
  PlanPointer start_with_service(JoinGroup& group, const Around& around);

  // paths (plan_paths.cc)
  void collect_path(const sparql::PatternTerm& subject, const sparql::Path& path, const sparql::PatternTerm& object,
                    const Around& around, JoinGroup& group);
  PlanPointer join_path(PlanPointer current, JoinItem item);
  PlanPointer plan_path_alternative(const sparql::PatternTerm& subject, const sparql::Path& path,
                                    const sparql::PatternTerm& object, const Around& around);

  // the other shapes (plan_shapes.cc)
  PlanPointer plan_optional(const sparql::Algebra& algebra, const Around& around, Conditions conditions);
  PlanPointer join_optional(PlanPointer left, const sparql::Algebra& right, const Around& around);
  PlanPointer plan_lateral(PlanPointer left, const sparql::Algebra& right, std::vector<VariableId> keys, JoinMode mode,
                           const Around& around);
  PlanPointer plan_union(const sparql::Algebra& algebra, const Around& around, Conditions conditions);
  PlanPointer union_of(std::vector<PlanPointer> branches);
  PlanPointer plan_minus(const sparql::Algebra& algebra, const Around& around, Conditions conditions);
  PlanPointer plan_extend(const sparql::Algebra& algebra, const Around& around, Conditions conditions);
  PlanPointer plan_values(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_each_graph(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_modifier(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_sub_query(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_project(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_distinct(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_group_by(const sparql::Algebra& algebra, const Around& around);
  PlanPointer plan_order(const sparql::Algebra& algebra, PlanPointer child, const Around& around);
  PlanPointer plan_slice(const sparql::Algebra& algebra, const Around& around);
  PlanPointer project(PlanPointer child, const std::vector<sparql::Variable>& variables, Scope& scope);

  // filters and expressions (plan_filters.cc)
  Conditions split(const sparql::Expression& expression, Scope& scope);
  void limit_objects(Plan& scan, const sparql::Expression& condition, Scope& scope);
  PlanPointer apply(PlanPointer child, Conditions conditions, const Around& around);
  PlannedExpression planned(const sparql::Expression& expression, const Plan& rows, const Around& around);
  static bool says_the_same_unseeded(const sparql::Algebra& pattern, const Plan& rows, const SeedRows& seed,
                                     const Around& around);
  void plan_exists_in(const sparql::Expression& expression, const Plan& rows, const Around& around,
                      PlannedExpression& target);

  // small makers
  PlanPointer nothing(VariableSet columns, const Around& around);
  PlanPointer seed_plan(const SeedRows& seed);
  PlanPointer one_row(const Around& around);  // the seed's rows, where there is one
  SeedRows make_seed(const Plan& rows, std::vector<VariableId> variables);
  std::optional<model::TermId> id_of(const model::Term& term);
  bool place_of(const sparql::PatternTerm& term, Scope& scope, Place& place);
  bool is_read_elsewhere(const std::string& name) const;
  void count_names(const sparql::Algebra& algebra);
  void count_names(const sparql::Expression& expression);
  void count_name(const sparql::PatternTerm& term);

  // Else patterns in one another would take twice as long with each.
  bool may_plan_again() const noexcept { return planned_again_ < planned_again_max; }

  static constexpr int planned_again_max = 64;  // in one query

  const Dataset& dataset_;
  KnownTerms& terms_;
  Estimator estimator_;
  PlannedQuery& query_;
  const Tuning& tuning_;
  ChoiceRecord choices_;
  std::unordered_map<std::string, int> name_counts_;
  int depth_ = 0;
  int planned_again_ = 0;  // how often a pattern was planned a second time
  bool keep_all_ = false;
};

// The columns of both, left first.
std::vector<VariableId> joined_columns(const Plan& left, const std::vector<VariableId>& more);
std::vector<VariableId> shared_certain(const Plan& left, const Plan& right);

}  // namespace quadrille::plan
