// One thread's share of a pipeline: a source, terms and operators of its own.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "engine/exec/operators.h"
#include "engine/exec/pipeline.h"
#include "engine/exec/profile.h"
#include "engine/exec/run_state.h"

namespace quadrille::exec {

// Rows that the leaf gave, and what the pipeline made of them.
struct Morsel {
  Batch rows;
  std::deque<Batch> made;
  size_t lane = 0;  // whose terms these have
  bool is_begun = false;
  bool is_done = false;
};

class Lane {
 public:
  // `number` counts from 1. `source` is used by nobody else while this works.
  Lane(const plan::Plan& top, PipelineParts& parts, const RunState& above, const model::QuadSource& source,
       uint32_t number)
      : top_(top),
        profile_(above.profile == nullptr ? nullptr : std::make_unique<Profile>(above.profile->clock())),
        run_(above, source, number, profile_.get()),
        pipeline_{*top.leaf, feed_, parts} {}

  // The morsel that it is in the middle of, or null.
  Morsel* current() const noexcept { return current_; }
  void begin(Morsel& morsel) {
    current_ = &morsel;
    for (size_t i = 0; i < morsel.rows.column_count(); ++i) run_.terms.take_in(morsel.rows.column(i));
    feed_.put(std::move(morsel.rows));
  }
  // Works on the current morsel until it is done, or until as many rows have been made. Returns how many were.
  size_t work(size_t rows_max) {
    if (!root_) make_operators();
    size_t made = 0;
    while (made < rows_max) {
      Batch batch;
      root_->next(batch, batch_rows_max);
      if (batch.rows() == 0) {
        current_->is_done = true;
        current_ = nullptr;
        break;
      }
      made += batch.rows();
      made_ += batch.rows();
      current_->made.push_back(std::move(batch));
    }
    return made;
  }
  // How many since the last time.
  size_t take_made() noexcept { return std::exchange(made_, 0); }
  // Before the sides go, which others may have made.
  void drop_operators() { root_.reset(); }
  const TransientTerms& terms() const noexcept { return run_.terms; }
  Profile* profile() const noexcept { return profile_.get(); }

 private:
  void make_operators() {
    run_.pipeline = &pipeline_;
    root_ = make_operator(top_, run_);
    run_.pipeline = nullptr;
  }

  const plan::Plan& top_;
  std::unique_ptr<Profile> profile_;
  RunState run_;
  Feed feed_;
  Pipeline pipeline_;
  OperatorPointer root_;
  Morsel* current_ = nullptr;
  size_t made_ = 0;
};

}  // namespace quadrille::exec
