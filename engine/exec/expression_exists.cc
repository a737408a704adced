// EXISTS and NOT EXISTS for a whole batch at once: the distinct values that the rows give to the pattern's variables
// seed its plan, which gives back the numbers of those that have a solution.
#include "engine/exec/call.h"
#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/exec/seeding.h"

namespace quadrille::exec {
namespace {

class Exists final : public ExpressionNode {
 public:
  Exists(const plan::ExistsPlan& exists, bool wanted, const std::vector<plan::VariableId>& columns, RunState& run)
      : exists_(exists), wanted_(wanted), run_(run), row_column_(column_of(exists.plan->columns, exists.row_variable)) {
    for (plan::VariableId id : exists.seed_variables) seeding_.push_back(column_of(columns, id));
  }

  const Column& evaluate(const Batch& batch) override {
    SeedTable& seed = run_.seed_tables[exists_.seed];
    const std::vector<uint32_t> seed_of_row = fill_seed(batch, seeding_, seed);
    found_.assign(seed.rows, false);
    find(seed.rows);
    out_.resize(batch.rows());
    for (size_t row = 0; row < batch.rows(); ++row) out_[row] = boolean_id(found_[seed_of_row[row]] == wanted_);
    return out_;
  }

 private:
  void find(size_t missing) {
    if (missing == 0 || exists_.plan->kind == plan::PlanKind::Nothing) return;
    OperatorPointer pattern = make_operator(*exists_.plan, run_);
    Batch some;
    for (size_t size = first_batch_rows; missing > 0; size = grown(size)) {
      pattern->next(some, size);
      if (some.rows() == 0) return;
      for (TermId number : some.column(row_column_)) {
        if (found_[number.payload()]) continue;
        found_[number.payload()] = true;
        --missing;
      }
    }
  }

  const plan::ExistsPlan& exists_;
  bool wanted_;
  RunState& run_;
  size_t row_column_;
  std::vector<size_t> seeding_;
  std::vector<bool> found_;
  Column out_;
};

}  // namespace

ExpressionPointer make_exists(const plan::ExistsPlan& exists, bool wanted, const std::vector<plan::VariableId>& columns,
                              RunState& run) {
  return std::make_unique<Exists>(exists, wanted, columns, run);
}

}  // namespace quadrille::exec
