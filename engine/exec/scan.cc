// The rows of one pattern.
#include <algorithm>
#include <array>

#include "engine/exec/operators.h"
#include "engine/exec/pattern_reader.h"
#include "engine/plan/pattern_access.h"

namespace quadrille::exec {
namespace {

class Scan final : public Operator {
 public:
  Scan(const plan::Plan& plan, RunState& run)
      : run_(run), reader_(plan.access, {}, run), objects_(plan.access.objects) {
    for (plan::VariableId variable : plan.columns) {
      for (size_t i = 0; i < 4; ++i) {
        if (plan::variable_of(plan.access, static_cast<model::Column>(i)) != variable) continue;
        sources_.push_back(static_cast<model::Column>(i));
        break;
      }
    }
  }

  void next(Batch& batch, size_t wanted) override {
    batch.reset(sources_.size());
    if (!is_open_) reader_.open();
    is_open_ = true;
    for (size_t capacity = wanted; batch.rows() == 0; capacity = grown(capacity)) {
      run_.check();
      const size_t found = reader_.read(capacity);
      if (found == 0) return;
      pass_over(found);
      if (!reader_.has_checks() && !objects_.is_given()) {
        copy(batch, found);
      } else {
        copy_what_passes(batch, found);
      }
    }
  }

 private:
  void copy(Batch& batch, size_t rows) {
    for (size_t i = 0; i < sources_.size(); ++i) {
      const Column& source = reader_.column(sources_[i]);
      batch.column(i).assign(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(rows));
    }
    batch.set_rows(rows);
  }

  // On to the next rows that the range does not leave out, where the last one of these is left out.
  void pass_over(size_t rows) {
    if (!objects_.is_given()) return;
    const TermId last = reader_.at(rows - 1, model::Column::Object);
    if (!objects_.leaves_out(last)) return;
    const TermId end(last.tag(), TermId::payload_mask);
    const TermId next = last < objects_.low && objects_.low <= objects_.high ? objects_.low : TermId(end.bits() + 1);
    reader_.skip_to(std::array{next});
  }

  void copy_what_passes(Batch& batch, size_t rows) {
    passed_.clear();
    for (uint32_t row = 0; row < rows; ++row) {
      if (objects_.is_given() && objects_.leaves_out(reader_.at(row, model::Column::Object))) continue;
      if (!reader_.passes(row)) continue;
      if (reader_.merges_graphs() && reader_.is_repeated(row)) continue;
      passed_.push_back(row);
    }
    for (size_t i = 0; i < sources_.size(); ++i) {
      const Column& source = reader_.column(sources_[i]);
      for (uint32_t row : passed_) batch.column(i).push_back(source[row]);
    }
    batch.set_rows(passed_.size());
  }

  RunState& run_;
  PatternReader reader_;
  plan::ValueRange objects_;
  std::vector<model::Column> sources_;  // for each column of the output
  std::vector<uint32_t> passed_;
  bool is_open_ = false;
};

}  // namespace

OperatorPointer make_scan(const plan::Plan& plan, RunState& run) { return std::make_unique<Scan>(plan, run); }

}  // namespace quadrille::exec
