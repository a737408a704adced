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

constexpr size_t lanes_max = 16;
constexpr size_t morsels_a_lane = 4;  // in a round: so many that a slow one does not keep all waiting
// A lane lays its work down after as many rows, for they are kept until the caller has taken them.
constexpr size_t made_a_morsel_max = 8;

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
      rows_ += batch.rows();
      if (batch.rows() > 0) return;
      // Nothing is left of the rows that were fed.
      if (rows_ >= run_.tuning.rows_worth_threads && start_lanes()) break;
      if (!read_leaf()) return;
      rows_ += leaf_rows_.rows();
      feed_.put(std::move(leaf_rows_));
    }
    if (run_.profile == nullptr) return gather(batch);
    const int64_t start = run_.profile->clock().now_us();
    gather(batch);
    auto& waited = run_.profile->of(plan_).waited_us;
    waited = waited.value_or(run_.profile->of(plan_).time_us) + run_.profile->clock().now_us() - start;
  }

 private:
  // False at the end.
  bool read_leaf() {
    if (is_leaf_done_) return false;
    size_ = std::min(rows_a_morsel_, size_ == 0 ? first_batch_rows : grown(size_));
    leaf_->next(leaf_rows_, size_);
    is_leaf_done_ = leaf_rows_.rows() == 0;
    return !is_leaf_done_;
  }

  // False where there is nobody to share with.
  bool start_lanes() {
    if (are_lanes_refused_) return false;
    const size_t wanted = std::min(run_.tasks()->width(), lanes_max);
    for (uint32_t number = 1; number <= wanted; ++number) {
      // The first one may use the run's own source: nothing else does while lanes work.
      auto twin = number == 1 ? nullptr : run_.source.make_twin();
      if (number > 1 && !twin) break;
      lanes_.push_back(std::make_unique<Lane>(plan_, parts_, run_, std::move(twin), number));
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
    for (; waiting < morsels_a_lane * lanes_.size(); ++waiting) {
      auto morsel = std::make_unique<Morsel>();
      morsel->rows.reset(plan_.leaf->columns.size());
      while (morsel->rows.rows() < rows_a_morsel_ && read_leaf()) morsel->rows.append(leaf_rows_);
      if (morsel->rows.rows() == 0) return;
      morsels_.push_back(std::move(morsel));
    }
  }

  void run_round() {
    std::vector<Morsel*> waiting;
    for (const auto& morsel : morsels_) {
      if (!morsel->is_begun) waiting.push_back(morsel.get());
    }
    std::atomic<size_t> next = 0;
    std::vector<std::function<void()>> tasks;
    for (size_t lane = 0; lane < lanes_.size(); ++lane) {
      tasks.emplace_back([this, lane, &waiting, &next] { work(lane, waiting, next); });
    }
    run_.tasks()->run(tasks);
    memory_.give_back();
    for (const auto& morsel : morsels_) {
      for (const Batch& made : morsel->made) memory_.take(made.bytes());
    }
    if (run_.profile == nullptr) return;
    for (const auto& lane : lanes_) run_.profile->take_over(*lane->profile());
  }

  // On any thread. First what the lane is in the middle of, then whatever is next.
  void work(size_t number, const std::vector<Morsel*>& waiting, std::atomic<size_t>& next) {
    Lane& lane = *lanes_[number];
    const size_t rows_max = made_a_morsel_max * rows_a_morsel_;
    for (size_t made = 0; made < rows_max;) {
      if (lane.current() == nullptr) {
        const size_t index = next++;
        if (index >= waiting.size()) return;
        waiting[index]->lane = number;
        waiting[index]->is_begun = true;
        lane.begin(*waiting[index]);
      }
      made += lane.work(rows_max - made);
    }
  }

  const plan::Plan& plan_;
  RunState& run_;
  const size_t rows_a_morsel_;
  MemoryUse memory_;  // of what the morsels hold

  OperatorPointer leaf_;
  Batch leaf_rows_;
  size_t size_ = 0;  // of the leaf's last batch, as wanted
  bool is_leaf_done_ = false;

  std::vector<std::unique_ptr<Lane>> lanes_;
  PipelineParts parts_;

  // While one thread is enough, it runs this.
  Feed feed_;
  Pipeline pipeline_;
  OperatorPointer alone_;
  double rows_ = 0;  // that went in and came out of it
  bool are_lanes_refused_ = false;

  std::deque<std::unique_ptr<Morsel>> morsels_;  // in the order of the leaf's rows
};

}  // namespace

OperatorPointer make_gather(const plan::Plan& plan, RunState& run) { return std::make_unique<Gather>(plan, run); }

}  // namespace quadrille::exec
