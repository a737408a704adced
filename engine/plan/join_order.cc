#include "engine/plan/join_order.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/plan/cost.h"
#include "engine/plan/pattern_access.h"
#include "engine/plan/planning.h"

namespace quadrille::plan {

namespace {

constexpr double cost_of_product = 1e6;  // on top: as late as can be
constexpr double rows_of_batch = 4096;
constexpr double all_rows_of_free_path = 1e6;
constexpr size_t operands_max = 12;

// How many values each of the variables has that several operands share, by slot; 0: nobody knows.
constexpr size_t slots_max = 16;
using ValueCounts = std::array<double, slots_max>;

struct State {
  double rows = 1;
  double cost = 0;
  bool is_begun = false;
  VariableSet columns;
  VariableSet certain;
  ValueCounts values{};
};

struct Extension {
  State state;
  JoinStep step;
  bool is_product = false;
};

class JoinSearch {
 public:
  explicit JoinSearch(const JoinProblem& problem) : problem_(problem) {
    start_.rows = problem.start_rows;
    start_.is_begun = problem.has_start;
    start_.columns = problem.start_columns;
    start_.certain = problem.start_certain;
    VariableSet seen;
    VariableSet shared;
    for (const JoinOperand& operand : problem.operands) {
      for (VariableId id : operand.columns.members()) (seen.has(id) ? shared : seen).add(id);
    }
    slots_ = shared.members();
    if (slots_.size() > slots_max) slots_.resize(slots_max);
  }

  std::vector<JoinStep> find() {
    double cost = 0;
    std::vector<JoinStep> steps = find_greedily(cost);
    const size_t count = problem_.operands.size();
    if (count < 2 || count > operands_max || cost < problem_.tuning.cost_worth_a_search) return steps;
    double better = cost;
    std::vector<JoinStep> searched = find_by_sets(better);
    return better < cost ? searched : steps;
  }

 private:
  std::vector<JoinStep> find_greedily(double& cost) {
    std::vector<JoinStep> steps;
    std::vector<bool> is_used(problem_.operands.size());
    State state = start_;
    while (steps.size() < problem_.operands.size()) {
      std::optional<Extension> best;
      double best_measure = 0;
      size_t chosen = 0;
      for (size_t i = 0; i < problem_.operands.size(); ++i) {
        if (is_used[i]) continue;
        Extension one = extend(state, i);
        double measure = one.is_product ? one.state.rows * 100 + cost_of_product : one.state.rows;
        // Of equals, the rarer pattern: it is more likely to have nothing for a row.
        measure += 1e-9 * problem_.operands[i].estimate.rows;
        if (best && measure >= best_measure) continue;
        best_measure = measure;
        best = std::move(one);
        chosen = i;
      }
      is_used[chosen] = true;
      steps.push_back(best->step);
      state = std::move(best->state);
    }
    cost = state.cost;
    return steps;
  }

  // For each set of operands the cheapest way to have joined them. `cost`: of the best order, if it is less than that.
  std::vector<JoinStep> find_by_sets(double& cost) {
    struct Entry {
      std::optional<State> state;
      JoinStep step;
    };
    const size_t count = problem_.operands.size();
    const size_t everything = (size_t{1} << count) - 1;
    std::vector<Entry> best(everything + 1);
    best[0].state = start_;
    for (size_t set = 0; set < everything; ++set) {
      if (!best[set].state || best[set].state->cost >= cost) continue;
      for (size_t i = 0; i < count; ++i) {
        if ((set >> i & 1) != 0) continue;
        Extension one = extend(*best[set].state, i);
        Entry& entry = best[set | size_t{1} << i];
        if (entry.state && entry.state->cost <= one.state.cost) continue;
        entry.state = std::move(one.state);
        entry.step = one.step;
      }
    }
    std::vector<JoinStep> steps;
    if (!best[everything].state) return steps;
    cost = best[everything].state->cost;
    for (size_t set = everything; set != 0; set &= ~(size_t{1} << best[set].step.operand))
      steps.push_back(best[set].step);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  Extension extend(const State& state, size_t index) const {
    const JoinOperand& operand = problem_.operands[index];
    Extension made;
    made.step.operand = index;
    made.state.is_begun = true;
    made.state.columns = state.columns;
    made.state.columns.add_all(operand.columns);
    made.state.certain = state.certain;
    made.state.certain.add_all(operand.certain);
    made.state.values = state.values;
    VariableSet by_equality;
    double work = 0;
    if (operand.pattern != nullptr) {
      by_equality = known_by_equality(*operand.pattern, state.certain, problem_.equalities);
      work = join_pattern(state, operand, by_equality, made);
    } else if (operand.is_path) {
      work = walk_path(state, operand, made);
    } else {
      work = join_plan(state, operand, made);
    }
    const bool connects = state.columns.meets(operand.columns) || operand.columns.meets(by_equality);
    // A product with one row or two is none.
    made.is_product = state.is_begun && !connects && made.step.rows > 2 * state.rows;
    made.state.cost = state.cost + work + made.step.rows * cost_of_output + (made.is_product ? cost_of_product : 0);
    made.state.rows = made.step.rows * share_let_through(state.certain, made.state.certain, by_equality);
    for (double& count : made.state.values) {
      if (count > made.state.rows) count = std::max(1.0, made.state.rows);
    }
    return made;
  }

  double join_pattern(const State& state, const JoinOperand& operand, const VariableSet& by_equality,
                      Extension& made) const {
    const PatternEstimate& estimate = operand.estimate;
    const auto& [subject, predicate, object] = operand.pattern->triple;
    const PlaceValues own = values_of(*operand.pattern, estimate);
    note(made.state, subject, own.subjects);
    note(made.state, object, own.objects);
    if (!state.is_begun) {
      made.step.rows = estimate.rows;
      return estimate.rows * cost_of_scanning;
    }
    VariableSet known = state.columns;
    known.add_all(by_equality);
    made.step.rows = state.rows * rows_for_one(*operand.pattern, estimate, known,
                                               {count_of(state, subject), count_of(state, object)});
    if (!known.meets(operand.columns)) return estimate.rows * cost_of_scanning + state.rows;
    const double by_index = cost_of_index(state.rows, *operand.pattern, estimate, known);
    VariableSet shared = operand.columns;
    shared.keep_only(state.columns);
    if (!problem_.may_hash || !state.certain.meets(shared) || !state.certain.covers(shared)) return by_index;
    const double by_hash = estimate.rows * cost_of_scanning + std::min(estimate.rows, state.rows) * cost_of_building +
                           std::max(estimate.rows, state.rows) * cost_of_probing;
    if (by_hash >= by_index) return by_index;
    made.step.method = JoinMethod::Hash;
    return by_hash;
  }

  double count_of(const State& state, const Place& place) const {
    const auto slot = std::find(slots_.begin(), slots_.end(), place.variable);
    return slot == slots_.end() ? 0 : state.values[static_cast<size_t>(slot - slots_.begin())];
  }
  void note(State& state, const Place& place, double count) const {
    const auto slot = std::find(slots_.begin(), slots_.end(), place.variable);
    if (slot == slots_.end() || count == 0) return;
    double& known = state.values[static_cast<size_t>(slot - slots_.begin())];
    known = known == 0 ? count : std::min(known, count);
  }

  // Keys are looked up one by one, or, where they lie close, on one walk over the range a batch.
  double cost_of_index(double keys, const PatternAccess& pattern, const PatternEstimate& estimate,
                       const VariableSet& known) const {
    const double one_by_one = keys * problem_.tuning.cost_of_lookup;
    const auto& [subject, predicate, object] = pattern.triple;
    const bool object_is_key = object.is_variable() && known.has(object.variable);
    if (!predicate.is_constant() || !(object.is_constant() || object_is_key)) return one_by_one;
    const double walks =
        std::max(1.0, keys / rows_of_batch) * (object_is_key ? estimate.rows_of_predicate : estimate.rows);
    return std::min(one_by_one, keys * 3 + walks * cost_of_scanning);
  }

  double walk_path(const State& state, const JoinOperand& operand, Extension& made) const {
    const bool starts = operand.is_anchored || state.columns.meets(operand.columns);
    made.step.method = JoinMethod::Whole;
    made.step.rows = state.rows * (starts ? cost_of_walking : all_rows_of_free_path);
    return made.step.rows;
  }

  double join_plan(const State& state, const JoinOperand& operand, Extension& made) const {
    made.step.method = JoinMethod::Whole;
    made.step.rows = operand.rows;
    if (!state.is_begun) return operand.rows;
    VariableSet shared = state.certain;
    shared.keep_only(operand.certain);
    const bool connected = shared.meets(operand.certain);
    made.step.rows = connected ? std::max(state.rows, operand.rows) : state.rows * operand.rows;
    return std::min(state.rows, operand.rows) * cost_of_building + std::max(state.rows, operand.rows) * cost_of_probing;
  }

  double share_let_through(const VariableSet& before, const VariableSet& after, const VariableSet& by_equality) const {
    double share = 1;
    for (const VariableSet& needed : problem_.conditions) {
      if (!after.covers(needed) || before.covers(needed)) continue;
      if (!needed.meets(by_equality)) share *= share_of_condition;
    }
    return share;
  }

  const JoinProblem& problem_;
  std::vector<VariableId> slots_;
  State start_;
};

}  // namespace

std::vector<JoinStep> find_join_order(const JoinProblem& problem) { return JoinSearch(problem).find(); }

VariableSet known_by_equality(const PatternAccess& pattern, const VariableSet& known,
                              const std::vector<std::pair<VariableId, VariableId>>& equalities) {
  VariableSet found;
  for (const auto& [left, right] : equalities) {
    for (size_t i = 0; i < pattern.equal_to.size(); ++i) {
      const VariableId place = variable_of(pattern, static_cast<model::Column>(i));
      if (place == no_variable || known.has(place)) continue;
      if ((place == left && known.has(right)) || (place == right && known.has(left))) found.add(place);
    }
  }
  return found;
}

VariableSet variables_of(const PatternAccess& access) {
  VariableSet found;
  for (const Place& place : access.triple) {
    if (place.is_variable()) found.add(place.variable);
  }
  if (access.graph.mode == GraphMode::Each) found.add(access.graph.variable);
  return found;
}

}  // namespace quadrille::plan
