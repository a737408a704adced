#include "engine/exec/aggregate.h"

#include <iterator>
#include <set>

#include "engine/exec/call.h"
#include "engine/model/inline_term.h"
#include "engine/model/term_order.h"
#include "engine/plan/algebra_variables.h"

namespace quadrille::exec {

using model::Term;
using model::Value;
using sparql::AggregateKind;

namespace {

// What one group has of one aggregate. `take` is given each value that counts: an error is unbound.
class Count {
 public:
  static constexpr bool sees_errors = false;
  void take(TermId, RunState&, MemoryUse&) { ++count_; }
  TermId result(const sparql::Aggregate&, RunState&) const { return integer_id(count_); }

 private:
  int64_t count_ = 0;
};

// Integers and decimals are added exactly; once a float or a double is among them the sum is one too, and
// floating-point numbers are added as doubles: as exact as their type allows, in whatever order they come.
class Sum {
 public:
  static constexpr bool sees_errors = true;
  void take(TermId id, RunState& run, MemoryUse&) {
    ++count_;
    if (is_inline_integer(id) && add_small(integer_of(id))) return;
    if (TransientTerms::is_passed_float(id)) {
      has_float_ = true;
      floating_ += TransientTerms::passed_float(id);
      return;
    }
    if (!failed_) take_value(id.is_bound() ? run.terms.value(id) : Value());
  }
  std::optional<Value> total() const {
    if (failed_) return std::nullopt;
    const auto exact = model::add(exact_, Value::integer(model::Decimal(small_)));
    if (!exact || !(has_float_ || has_double_)) return exact;
    const double sum = floating_ + exact->to_double();
    return has_double_ ? Value::floating(sum) : Value::floating(static_cast<float>(sum));
  }
  int64_t count() const noexcept { return count_; }
  TermId result(const sparql::Aggregate&, RunState& run) const {
    const auto sum = total();
    return sum ? run.terms.keep(run.terms.pass(*sum)) : TermId();
  }

 private:
  // False where the sum has no room for it.
  bool add_small(int64_t number) noexcept {
    int64_t sum = 0;  // is written even where it overflows
    if (__builtin_add_overflow(small_, number, &sum)) return false;
    small_ = sum;
    return true;
  }

  void take_value(const Value& value) {
    switch (value.kind()) {
      case model::ValueKind::Float:
      case model::ValueKind::Double:
        (value.kind() == model::ValueKind::Float ? has_float_ : has_double_) = true;
        floating_ += value.floating();
        return;
      default:
        auto sum = model::add(exact_, value);
        failed_ = !sum;
        if (sum) exact_ = std::move(*sum);
    }
  }

  int64_t small_ = 0;
  Value exact_ = Value::integer(model::Decimal(0));
  double floating_ = 0;
  bool has_float_ = false;
  bool has_double_ = false;
  int64_t count_ = 0;
  bool failed_ = false;
};

class Average {
 public:
  static constexpr bool sees_errors = true;
  void take(TermId id, RunState& run, MemoryUse& memory) { sum_.take(id, run, memory); }
  TermId result(const sparql::Aggregate&, RunState& run) const {
    if (sum_.count() == 0) return integer_id(0);
    const auto sum = sum_.total();
    const auto average =
        sum ? model::divide(*sum, Value::integer(model::Decimal(sum_.count()))) : std::optional<Value>();
    return average ? run.terms.keep(run.terms.pass(*average)) : TermId();
  }

 private:
  Sum sum_;
};

// The first or the last value in the order of ORDER BY.
template <bool greatest>
class Extreme {
 public:
  static constexpr bool sees_errors = false;
  void take(TermId id, RunState& run, MemoryUse&) {
    if (!best_.is_bound()) {
      best_ = run.terms.keep(id);
      return;
    }
    if (is_inline_integer(id) && is_inline_integer(best_)) {
      if (greatest ? id > best_ : id < best_) best_ = id;
      return;
    }
    const auto order = model::compare_terms(run.terms.term(id), run.terms.term(best_));
    if (greatest ? order > 0 : order < 0) best_ = run.terms.keep(id);
  }
  TermId result(const sparql::Aggregate&, RunState&) const { return best_; }

 private:
  TermId best_;
};

class Sample {
 public:
  static constexpr bool sees_errors = false;
  void take(TermId id, RunState& run, MemoryUse&) {
    if (!first_.is_bound()) first_ = run.terms.keep(id);
  }
  TermId result(const sparql::Aggregate&, RunState&) const { return first_; }

 private:
  TermId first_;
};

class GroupConcat {
 public:
  static constexpr bool sees_errors = true;
  void take(TermId id, RunState& run, MemoryUse& memory) {
    const Term term = id.is_bound() ? run.terms.term(id) : Term::blank_node("");
    if (term.is_blank_node()) failed_ = true;
    if (failed_) return;
    const size_t bytes = term.text().size() + sizeof(std::string);
    memory.take(bytes);
    bytes_ += bytes;
    parts_.push_back(term.text());
  }
  // Of what was kept.
  size_t bytes() const noexcept { return bytes_; }
  TermId result(const sparql::Aggregate& aggregate, RunState& run) const {
    if (failed_) return TermId();
    std::string text;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (i > 0) text += aggregate.separator;
      text += parts_[i];
    }
    return run.terms.id_of(Term::literal(std::move(text)));
  }

 private:
  std::vector<std::string> parts_;
  size_t bytes_ = 0;
  bool failed_ = false;
};

template <class State>
class OfArgument final : public Aggregator {
 public:
  OfArgument(const plan::PlannedAggregate& planned, const std::vector<plan::VariableId>& columns, RunState& run,
             MemoryUse& memory)
      : aggregate_(*planned.aggregate),
        run_(run),
        memory_(memory),
        argument_(make_expression(planned.argument, columns, run)) {}

  void add(const Batch& batch, const std::vector<uint32_t>& groups, size_t group_count) override {
    states_.resize(group_count);
    const size_t mark = run_.terms.mark();
    const Column& values = argument_->evaluate(batch);
    for (size_t row = 0; row < batch.rows(); ++row) {
      TermId id = values[row];
      if (!id.is_bound() && !State::sees_errors) continue;
      if (aggregate_.distinct) {
        id = run_.terms.keep(id);
        if (!seen_.insert({groups[row], id}).second) continue;
        memory_.take(seen_bytes);
      }
      states_[groups[row]].take(id, run_, memory_);
    }
    run_.terms.forget_since(mark);
  }

  TermId result(uint32_t group) override {
    if (states_.size() <= group) states_.resize(group + 1);
    const size_t mark = run_.terms.mark();
    const TermId id = states_[group].result(aggregate_, run_);
    run_.terms.forget_since(mark);
    return id;
  }

  size_t bytes_per_group() const noexcept override { return sizeof(State); }
  void release(uint32_t group) override {
    const auto begin = seen_.lower_bound({group, TermId()});
    const auto end = seen_.lower_bound({group + 1, TermId()});
    memory_.give(static_cast<size_t>(std::distance(begin, end)) * seen_bytes);
    seen_.erase(begin, end);
    if constexpr (requires(const State& state) { state.bytes(); }) {
      if (states_.size() <= group) return;
      memory_.give(states_[group].bytes());
      states_[group] = State();
    }
  }
  void truncate(size_t count) override {
    if (states_.size() > count) states_.resize(count);
  }

 private:
  static constexpr size_t seen_bytes = 64;  // of a node of the set
  const sparql::Aggregate& aggregate_;
  RunState& run_;
  MemoryUse& memory_;
  ExpressionPointer argument_;
  std::vector<State> states_;
  std::set<std::pair<uint32_t, TermId>> seen_;
};

// COUNT(*), COUNT(DISTINCT *): over whole solutions.
class CountRows final : public Aggregator {
 public:
  CountRows(bool distinct, std::vector<size_t> visible, MemoryUse& memory)
      : distinct_(distinct), visible_(std::move(visible)), memory_(memory) {}

  void add(const Batch& batch, const std::vector<uint32_t>& groups, size_t group_count) override {
    counts_.resize(group_count);
    std::vector<TermId> solution;
    for (size_t row = 0; row < batch.rows(); ++row) {
      if (distinct_) {
        solution.assign(1, TermId(groups[row]));
        for (size_t column : visible_) solution.push_back(batch.at(row, column));
        if (!seen_.insert(solution).second) continue;
        memory_.take(seen_bytes());
      }
      ++counts_[groups[row]];
    }
  }
  TermId result(uint32_t group) override { return integer_id(group < counts_.size() ? counts_[group] : 0); }

  size_t bytes_per_group() const noexcept override { return sizeof(int64_t); }
  void release(uint32_t group) override {
    const auto begin = seen_.lower_bound({TermId(group)});
    const auto end = seen_.lower_bound({TermId(group + uint64_t{1})});
    memory_.give(static_cast<size_t>(std::distance(begin, end)) * seen_bytes());
    seen_.erase(begin, end);
  }
  void truncate(size_t count) override {
    if (counts_.size() > count) counts_.resize(count);
  }

 private:
  size_t seen_bytes() const noexcept { return 72 + visible_.size() * sizeof(TermId); }  // a node and what it holds

  bool distinct_;
  std::vector<size_t> visible_;
  MemoryUse& memory_;
  std::vector<int64_t> counts_;
  std::set<std::vector<TermId>> seen_;
};

// The columns of variables that a user can name.
std::vector<size_t> visible_columns(const std::vector<plan::VariableId>& columns, const plan::VariableTable& names) {
  std::vector<size_t> visible;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!names.name_of(columns[i]).starts_with('.')) visible.push_back(i);
  }
  return visible;
}

}  // namespace

std::vector<size_t> columns_of_aggregate(const plan::PlannedAggregate& planned,
                                         const std::vector<plan::VariableId>& columns, const RunState& run) {
  std::vector<size_t> found;
  if (!planned.aggregate->argument) {
    if (planned.aggregate->distinct) found = visible_columns(columns, run.names);
    return found;
  }
  const auto read = plan::variables_read(planned.argument);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!read || read->has(columns[i])) found.push_back(i);
  }
  return found;
}

std::unique_ptr<Aggregator> make_aggregator(const plan::PlannedAggregate& planned,
                                            const std::vector<plan::VariableId>& columns, RunState& run,
                                            MemoryUse& memory) {
  const sparql::Aggregate& aggregate = *planned.aggregate;
  if (!aggregate.argument) {
    return std::make_unique<CountRows>(aggregate.distinct, visible_columns(columns, run.names), memory);
  }
  switch (aggregate.kind) {
    case AggregateKind::Count: return std::make_unique<OfArgument<Count>>(planned, columns, run, memory);
    case AggregateKind::Sum: return std::make_unique<OfArgument<Sum>>(planned, columns, run, memory);
    case AggregateKind::Avg: return std::make_unique<OfArgument<Average>>(planned, columns, run, memory);
    case AggregateKind::Min: return std::make_unique<OfArgument<Extreme<false>>>(planned, columns, run, memory);
    case AggregateKind::Max: return std::make_unique<OfArgument<Extreme<true>>>(planned, columns, run, memory);
    case AggregateKind::Sample: return std::make_unique<OfArgument<Sample>>(planned, columns, run, memory);
    case AggregateKind::GroupConcat: return std::make_unique<OfArgument<GroupConcat>>(planned, columns, run, memory);
  }
  return nullptr;
}

}  // namespace quadrille::exec
