// Joins two streams of rows: the right one is kept and indexed by the keys, the left one runs past it.
#include "engine/exec/kept_rows.h"
#include "engine/exec/left_rows.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_pairs.h"

namespace quadrille::exec {
namespace {

class HashJoin final : public Operator {
 public:
  HashJoin(const plan::Plan& plan, OperatorPointer left, std::shared_ptr<KeptRows> right, RunState& run)
      : plan_(plan),
        run_(run),
        left_(std::move(left)),
        left_keys_(columns_of(plan.keys, plan.children[0]->columns)),
        right_(std::move(right)),
        pairs_(plan, plan.children[0]->columns, plan.children[1]->columns, run) {}

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    right_->read();
    if (right_->rows().rows() == 0 && plan_.mode == plan::JoinMode::Inner) return;
    while (batch.rows() == 0) {
      if (left_.is_used_up() && !left_.load(wanted)) return;
      join_some(batch, wanted);
    }
  }

 private:
  void join_some(Batch& batch, size_t wanted) {
    run_.check();
    found_.clear();
    const size_t begin = left_.position();
    while (!left_.is_used_up() && found_.size() < wanted) {
      const uint32_t row = left_.take();
      right_->find(left_.rows(), left_keys_, row, [&](uint32_t right_row) {
        found_.emplace_back(row, right_row);
        return true;
      });
    }
    pairs_.join(left_.rows(), right_->rows(), found_, begin, left_.position(), batch);
  }

  const plan::Plan& plan_;
  RunState& run_;
  LeftRows left_;
  std::vector<size_t> left_keys_;
  std::shared_ptr<KeptRows> right_;
  RowPairs pairs_;
  std::vector<RowPair> found_;
};

}  // namespace

OperatorPointer make_hash_join(const plan::Plan& plan, OperatorPointer left, std::shared_ptr<KeptRows> right,
                               RunState& run) {
  return std::make_unique<HashJoin>(plan, std::move(left), std::move(right), run);
}

}  // namespace quadrille::exec
