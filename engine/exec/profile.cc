#include "engine/exec/profile.h"

#include <utility>

namespace quadrille::exec {
namespace {

class Observed final : public Operator {
 public:
  Observed(OperatorPointer inner, OperatorFigures& figures, const model::QuadSource& source,
           const base::SteadyClock& clock)
      : inner_(std::move(inner)), figures_(figures), source_(source), clock_(clock) {}

  void next(Batch& batch, size_t wanted) override {
    const int64_t start = clock_.now_us();
    const uint64_t blocks = source_.blocks_read();
    inner_->next(batch, wanted);
    figures_.blocks += source_.blocks_read() - blocks;
    figures_.time_us += clock_.now_us() - start;
    if (batch.rows() == 0) return;
    figures_.rows += batch.rows();
    ++figures_.batches;
  }

 private:
  OperatorPointer inner_;
  OperatorFigures& figures_;
  const model::QuadSource& source_;
  const base::SteadyClock& clock_;
};

}  // namespace

void Profile::take_over(Profile& share) {
  for (auto& [plan, figures] : share.figures_) {
    OperatorFigures& sum = figures_[plan];
    sum.rows += figures.rows;
    sum.batches += figures.batches;
    sum.lookups += figures.lookups;
    sum.requests += figures.requests;
    sum.spilled_bytes += figures.spilled_bytes;
    sum.has_switched = sum.has_switched || figures.has_switched;
    sum.time_us += figures.time_us;
    sum.blocks += figures.blocks;
    figures = {};
  }
}

OperatorPointer Profile::observe(const plan::Plan& plan, const model::QuadSource& source, OperatorPointer observed) {
  return std::make_unique<Observed>(std::move(observed), of(plan), source, clock_);
}

}  // namespace quadrille::exec
