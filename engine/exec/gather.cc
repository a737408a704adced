// Runs a pipeline on several threads, and gives its rows in the order of the leaf's.
//
// It begins on the caller's thread alone: most queries are short. Once many rows have passed, morsels of the leaf's
// rows are dealt out in rounds, to whichever thread is free; in between the caller takes what they made, morsel by
// morsel. Within a morsel the order may depend on what its thread has seen before: when a join switches, say.
#include <algorithm>
#include <atomic>
#include <functional>

#include "engine/exec/lane.h"
#include "engine/exec/operators.h"

namespace quadrille::exec {
namespace {

constexpr size_t first_rows = 8;  // that show how many come of one
// In a round: at first so many that a slow one does not keep all waiting, then more and more, for it takes time to wake
// a thread. A lane lays its work down after it has made rows for as many morsels: they are kept until the caller has
// taken them.
constexpr size_t first_morsels_a_lane = 4;
constexpr size_t morsels_a_lane_max = 8;

class Gather final : public Operator {
 public:
  Gather(const plan::Plan& plan, RunState& run)
      : plan_(plan),
        run_(run),
        rows_a_morsel_(static_cast<size_t>(run.tuning.rows_a_morsel)),
        memory_(run),
        leaf_(make_operator(*plan.leaf, run)),
        pipeline_{*plan.leaf, feed_, parts_} {
    run.pipeline = &pipeline_;
    alone_ = make_operator(plan, run);
    run.pipeline = nullptr;
  }
  ~Gather() override {
    for (const auto& lane : lanes_) lane->drop_operators();  // they share what is kept, and that knows who kept it
    alone_.reset();
  }

  void next(Batch& batch, size_t wanted) override {
    while (alone_) {
      alone_->next(batch, wanted);
      made_ += batch.rows();
      if (batch.rows() > 0) return;
      // Nothing is left of the rows that were fed.
      if (static_cast<double>(fed_ + made_) >= run_.tuning.rows_worth_threads && start_lanes()) break;
      Batch rows;
      if (!take_leaf_rows(rows)) return;
      feed_.put(std::move(rows));
    }
    if (run_.profile == nullptr) return gather(batch);
    const int64_t start = run_.profile->clock().now_us();
    gather(batch);
    auto& waited = run_.profile->of(plan_).waited_us;
    waited = waited.value_or(run_.profile->of(plan_).time_us) + run_.profile->clock().now_us() - start;
  }

 private:
  // So many of the leaf's rows at a time that about a batch comes of them, as far as one can tell by those before.
  size_t rows_at_a_time() const noexcept {
    if (fed_ == 0) return std::min(first_rows, rows_a_morsel_);
    return std::clamp<size_t>(rows_a_morsel_ * fed_ / std::max(fed_, made_), 1, std::min(rows_a_morsel_, 4 * fed_));
  }

  // False at the end.
  bool take_leaf_rows(Batch& rows) {
    const size_t wanted = rows_at_a_time();
    rows.reset(plan_.leaf->columns.size());
    while (rows.rows() < wanted && has_leaf_row()) {
      const size_t count = std::min(wanted - rows.rows(), leaf_rows_.rows() - leaf_row_);
      rows.append(leaf_rows_, leaf_row_, count);
      leaf_row_ += count;
    }
    fed_ += rows.rows();
    return rows.rows() > 0;
  }

  bool has_leaf_row() {
    if (leaf_row_ < leaf_rows_.rows()) return true;
    if (is_leaf_done_) return false;
    size_ = std::min(batch_rows_max, size_ == 0 ? first_batch_rows : grown(size_));
    leaf_->next(leaf_rows_, size_);
    leaf_row_ = 0;
    is_leaf_done_ = leaf_rows_.rows() == 0;
    return !is_leaf_done_;
  }

  // False where there is nobody to share with.
  bool start_lanes() {
    if (are_lanes_refused_) return false;
    const size_t wanted = std::min(run_.tasks()->width(), threads_of_query_max);
    for (uint32_t number = 1; number <= wanted; ++number) {
      const model::QuadSource* source = run_.source_of_lane(number);
      if (source == nullptr) break;
      lanes_.push_back(std::make_unique<Lane>(plan_, parts_, run_, *source, number));
    }
    are_lanes_refused_ = lanes_.size() < 2;
    if (are_lanes_refused_) {
      lanes_.clear();
      return false;
    }
    alone_.reset();
    parts_.sides.for_each([](KeptRows& side) { side.read(); });
    return true;
  }

  void gather(Batch& batch) {
    batch.reset(plan_.columns.size());
    while (true) {
      while (!morsels_.empty() && morsels_.front()->made.empty() && morsels_.front()->is_done) morsels_.pop_front();
      if (!morsels_.empty() && !morsels_.front()->made.empty()) return take(*morsels_.front(), batch);
      read_morsels();
      if (morsels_.empty()) return;
      run_round();
    }
  }

  void take(Morsel& morsel, Batch& batch) {
    batch = std::move(morsel.made.front());
    morsel.made.pop_front();
    for (size_t i = 0; i < batch.column_count(); ++i) {
      run_.terms.adopt(lanes_[morsel.lane]->terms(), batch.column(i));
    }
  }

  // So many that each lane has some to begin with.
  void read_morsels() {
    const auto is_waiting = [](const auto& morsel) { return !morsel->is_begun; };
    auto waiting = static_cast<size_t>(std::count_if(morsels_.begin(), morsels_.end(), is_waiting));
    for (; waiting < morsels_a_lane_ * lanes_.size(); ++waiting) {
      auto morsel = std::make_unique<Morsel>();
      if (!take_leaf_rows(morsel->rows)) return;
      morsels_.push_back(std::move(morsel));
    }
  }

  void run_round() {
    std::vector<Morsel*> waiting;
    for (const auto& morsel : morsels_) {
      if (!morsel->is_begun) waiting.push_back(morsel.get());
    }
    // One morsel may make many times what others do. While it is the first, what comes after it must not pile up.
    is_full_ = rows_held() >= lanes_.size() * rows_of_round();
    std::atomic<size_t> next = 0;
    std::vector<std::function<void()>> tasks;
    for (size_t lane = 0; lane < lanes_.size(); ++lane) {
      tasks.emplace_back([this, lane, &waiting, &next] { work(lane, waiting, next); });
    }
    run_.tasks()->run(tasks);
    for (const auto& lane : lanes_) made_ += lane->take_made();
    morsels_a_lane_ = std::min(morsels_a_lane_ * 2, morsels_a_lane_max);
    memory_.give_back();
    for (const auto& lane : lanes_) memory_.take(lane->terms().bytes());
    for (const auto& morsel : morsels_) {
      for (const Batch& made : morsel->made) memory_.take(made.bytes());
    }
    if (run_.profile == nullptr) return;
    for (const auto& lane : lanes_) run_.profile->take_over(*lane->profile());
  }

  // On any thread. First what the lane is in the middle of, then whatever is next.
  void work(size_t number, const std::vector<Morsel*>& waiting, std::atomic<size_t>& next) {
    Lane& lane = *lanes_[number];
    const size_t rows_max = rows_of_round();
    for (size_t made = 0; made < rows_max;) {
      if (lane.current() == nullptr) {
        if (is_full_) return;
        const size_t index = next++;
        if (index >= waiting.size()) return;
        waiting[index]->lane = number;
        waiting[index]->is_begun = true;
        lane.begin(*waiting[index]);
      }
      if (rows_made(*lane.current()) >= rows_max) return;  // the caller has yet to come to it
      made += lane.work(rows_max - made);
    }
  }

  size_t rows_of_round() const noexcept { return morsels_a_lane_ * rows_a_morsel_; }  // that a lane makes
  static size_t rows_made(const Morsel& morsel) {
    size_t rows = 0;
    for (const Batch& made : morsel.made) rows += made.rows();
    return rows;
  }
  size_t rows_held() const {
    size_t rows = 0;
    for (const auto& morsel : morsels_) rows += rows_made(*morsel);
    return rows;
  }

  const plan::Plan& plan_;
  RunState& run_;
  const size_t rows_a_morsel_;
  MemoryUse memory_;  // of what the morsels hold, and of the terms of lanes

  OperatorPointer leaf_;
  Batch leaf_rows_;
  size_t leaf_row_ = 0;  // the first that was not taken yet
  size_t size_ = 0;      // of the leaf's last batch, as wanted
  bool is_leaf_done_ = false;

  std::vector<std::unique_ptr<Lane>> lanes_;
  PipelineParts parts_;

  // While one thread is enough, it runs this.
  Feed feed_;
  Pipeline pipeline_;
  OperatorPointer alone_;
  bool are_lanes_refused_ = false;
  size_t fed_ = 0;   // rows that went in so far
  size_t made_ = 0;  // and that came out

  size_t morsels_a_lane_ = first_morsels_a_lane;
  std::deque<std::unique_ptr<Morsel>> morsels_;  // in the order of the leaf's rows
  bool is_full_ = false;                         // too much is held for another morsel to be begun in this round
};

}  // namespace

OperatorPointer make_gather(const plan::Plan& plan, RunState& run) { return std::make_unique<Gather>(plan, run); }

}  // namespace quadrille::exec
