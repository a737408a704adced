// Joins rows with a plan that is run for them: the distinct keys of a batch seed the right side, whose rows come back
// with the number of the key that they belong to.
#include <algorithm>

#include "engine/exec/column_map.h"
#include "engine/exec/left_rows.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_pairs.h"
#include "engine/exec/seeding.h"

namespace quadrille::exec {
namespace {

bool has_service(const plan::Plan& plan) {
  if (plan.kind == plan::PlanKind::Service) return true;
  return std::any_of(plan.children.begin(), plan.children.end(), [](const auto& child) { return has_service(*child); });
}

class Lateral final : public Operator {
 public:
  Lateral(const plan::Plan& plan, OperatorPointer left, RunState& run)
      : plan_(plan),
        run_(run),
        memory_(run),
        left_(std::move(left)),
        pairs_(plan, plan.children[0]->columns, plan.children[1]->columns, run),
        right_row_column_(column_of(plan.children[1]->columns, plan.row_variable)),
        asks_others_(has_service(*plan.children[1])) {
    for (plan::VariableId key : plan.keys) keys_.push_back(column_of(plan.children[0]->columns, key));
  }

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    while (batch.rows() == 0) {
      if (left_.is_used_up() && !load(wanted)) return;
      join_some(batch, wanted);
    }
  }

 private:
  bool load(size_t wanted) {
    run_.check();
    if (!(asks_others_ ? left_.load_full(wanted) : left_.load(wanted))) return false;
    seed_of_row_ = fill_seed(left_.rows(), keys_, run_.seed_tables[plan_.seed]);
    const size_t seeds = run_.seed_tables[plan_.seed].rows;
    right_rows_.reset(plan_.children[1]->columns.size());
    memory_.give_back();
    OperatorPointer right = make_operator(*plan_.children[1], run_);
    Batch some;
    for (size_t size = first_batch_rows;; size = grown(size)) {
      right->next(some, size);
      if (some.rows() == 0) break;
      right_rows_.append(some);
      memory_.take(some.bytes() + some.rows() * sizeof(uint32_t));
    }
    group_right(seeds);
    return true;
  }

  // Counting sort of the right rows by the seed that they belong to.
  void group_right(size_t seeds) {
    starts_.assign(seeds + 1, 0);
    const Column& numbers = right_rows_.column(right_row_column_);
    for (TermId number : numbers) ++starts_[number.payload() + 1];
    for (size_t i = 1; i <= seeds; ++i) starts_[i] += starts_[i - 1];
    ordered_.resize(numbers.size());
    std::vector<uint32_t> next = starts_;
    for (uint32_t row = 0; row < numbers.size(); ++row) ordered_[next[numbers[row].payload()]++] = row;
  }

  void join_some(Batch& batch, size_t wanted) {
    found_.clear();
    const size_t begin = left_.position();
    while (!left_.is_used_up() && found_.size() < wanted) {
      const uint32_t row = left_.take();
      const uint32_t seed = seed_of_row_[row];
      for (uint32_t i = starts_[seed]; i < starts_[seed + 1]; ++i) found_.emplace_back(row, ordered_[i]);
    }
    pairs_.join(left_.rows(), right_rows_, found_, begin, left_.position(), batch);
  }

  const plan::Plan& plan_;
  RunState& run_;
  MemoryUse memory_;  // of right_rows_ and ordered_
  LeftRows left_;
  RowPairs pairs_;
  size_t right_row_column_;
  const bool asks_others_;
  std::vector<size_t> keys_;
  std::vector<uint32_t> seed_of_row_;
  Batch right_rows_;
  std::vector<uint32_t> starts_;   // of each seed's rows in ordered_
  std::vector<uint32_t> ordered_;  // right rows by seed
  std::vector<RowPair> found_;
};

}  // namespace

OperatorPointer make_lateral(const plan::Plan& plan, OperatorPointer left, RunState& run) {
  return std::make_unique<Lateral>(plan, std::move(left), run);
}

}  // namespace quadrille::exec
