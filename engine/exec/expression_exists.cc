// EXISTS and NOT EXISTS for a whole batch at once: the distinct values that the rows give to the pattern's variables
// seed its plan, which gives back the numbers of those that have a solution. Where many seeds have come by, and the
// planner found it right, the pattern is evaluated once without seeds, and its solutions are kept in a hash table.
#include "engine/exec/call.h"
#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/exec/pipeline.h"
#include "engine/exec/row_index.h"
#include "engine/exec/seeding.h"

namespace quadrille::exec {
// The solutions of a pattern, projected to the variables that are asked for.
class KnownSolutions {
 public:
  KnownSolutions(const plan::ExistsPlan& exists, RunState& run) : memory_(run) {
    std::vector<size_t> sources;
    for (plan::VariableId id : exists.seed_variables) {
      columns_.push_back(columns_.size());
      sources.push_back(column_of(exists.whole->columns, id));
    }
    rows_.reset(columns_.size());
    index_ = std::make_unique<RowIndex>(rows_, columns_);
    OperatorPointer pattern = make_operator(*exists.whole, run);
    Batch some;
    for (size_t size = first_batch_rows;; size = grown(size)) {
      pattern->next(some, size);
      if (some.rows() == 0) return;
      run.check();
      for (uint32_t row = 0; row < some.rows(); ++row) add(some, sources, row);
    }
  }

  bool has(const Batch& batch, const std::vector<size_t>& columns, size_t row) const {
    return index_->find_one(batch, columns, row, index_->hash_of(batch, columns, row)) != no_row;
  }

 private:
  void add(const Batch& some, const std::vector<size_t>& sources, uint32_t row) {
    const uint64_t hash = index_->hash_of(some, sources, row);
    if (index_->find_one(some, sources, row, hash) != no_row) return;
    for (size_t column : columns_) rows_.column(column).push_back(some.at(row, sources[column]));
    rows_.set_rows(rows_.rows() + 1);
    index_->add(static_cast<uint32_t>(rows_.rows() - 1), hash);
    memory_.take(RowIndex::bytes_per_row + columns_.size() * sizeof(TermId));
  }

  MemoryUse memory_;
  std::vector<size_t> columns_;
  Batch rows_;
  std::unique_ptr<RowIndex> index_;
};

namespace {

class Exists final : public ExpressionNode {
 public:
  Exists(const plan::ExistsPlan& exists, bool wanted, const std::vector<plan::VariableId>& columns, RunState& run)
      : exists_(exists), wanted_(wanted), run_(run), row_column_(column_of(exists.plan->columns, exists.row_variable)) {
    for (plan::VariableId id : exists.seed_variables) seeding_.push_back(column_of(columns, id));
    if (run.pipeline != nullptr) shared_ = &run.pipeline->parts.solutions;
    if (shared_ != nullptr) known_ = shared_->find(exists);
  }

  const Column& evaluate(const Batch& batch) override {
    out_.resize(batch.rows());
    if (known_) {
      look_up(batch);
      return out_;
    }
    SeedTable& seed = run_.seed_tables[exists_.seed];
    const std::vector<uint32_t> seed_of_row = fill_seed(batch, seeding_, seed);
    seeds_ += static_cast<double>(seed.rows);
    if (exists_.whole && is_whole_worth_it()) {
      known_ = make_known();
      look_up(batch);
      return out_;
    }
    found_.assign(seed.rows, false);
    find(seed.rows);
    for (size_t row = 0; row < batch.rows(); ++row) out_[row] = boolean_id(found_[seed_of_row[row]] == wanted_);
    return out_;
  }

 private:
  bool is_whole_worth_it() const {
    return seeds_ >= run_.tuning.seeds_worth_all_solutions && seeds_ * exists_.cost_of_seed > exists_.cost_of_whole;
  }

  std::shared_ptr<KnownSolutions> make_known() {
    const auto make = [this] { return std::make_shared<KnownSolutions>(exists_, run_); };
    return shared_ == nullptr || run_.is_lane() ? make() : shared_->find_or_make(exists_, make);
  }

  void look_up(const Batch& batch) {
    for (size_t row = 0; row < batch.rows(); ++row)
      out_[row] = boolean_id(known_->has(batch, seeding_, row) == wanted_);
  }

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
  double seeds_ = 0;                                                 // that were asked for so far
  SharedParts<plan::ExistsPlan, KnownSolutions>* shared_ = nullptr;  // of the pipeline that it stands in
  std::shared_ptr<KnownSolutions> known_;
  std::vector<bool> found_;
  Column out_;
};

}  // namespace

ExpressionPointer make_exists(const plan::ExistsPlan& exists, bool wanted, const std::vector<plan::VariableId>& columns,
                              RunState& run) {
  return std::make_unique<Exists>(exists, wanted, columns, run);
}

}  // namespace quadrille::exec
