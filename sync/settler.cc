#include "sync/settler.h"

#include <optional>

namespace quadrille::sync {

namespace {

// Under load something becomes stable with every message: folding now and then is cheaper than always.
constexpr auto pause_between_folds = 100 * kj::MILLISECONDS;
constexpr auto pause_while_held = 1 * kj::SECONDS;
constexpr auto pause_after_failure = 5 * kj::SECONDS;

}  // namespace

struct Settler::Step {
  reconcile::Frontier frontier;
  log::VersionVector own;
  std::optional<base::Result<reconcile::FoldReport>> result;
};

Settler::Settler(Parts parts, log::VersionVector folded, const log::VersionVector& own)
    : parts_(std::move(parts)),
      folded_(std::move(folded)),
      own_(own),
      not_before_(parts_.timer.now()),
      alarm_(parts_.timer, [this] { settle(); }),
      self_(std::make_shared<Settler*>(this)) {}

void Settler::settle() {
  if (is_stepping_ || !has_work()) return;
  if (parts_.timer.now() < not_before_) return alarm_.set(not_before_);
  not_before_ = parts_.timer.now() + pause_between_folds;
  submit_step();
}

// What has come in since the last step may wait for nothing but its stamp, where a member speaks and takes nothing.
bool Settler::has_work() const {
  const log::VersionVector stable = parts_.stability.stable(own_);
  const bool may_replay = last_.settled < parts_.stability.settled() && (waits_for_stamp_ || own_ != last_own_);
  return may_replay || (!folded_.covers(stable) && stable != last_.stable);
}

void Settler::submit_step() {
  is_stepping_ = true;
  auto step = std::make_shared<Step>();
  step->frontier = {parts_.stability.stable(own_), parts_.stability.settled()};
  step->own = own_;
  parts_.writer.submit([step, limit = parts_.cells_per_step](
                           reconcile::WriteGroup& group) { step->result = group.fold(step->frontier, limit); },
                       [alive = std::weak_ptr(self_), step](const base::Result<void>& committed) {
                         if (const auto self = alive.lock()) (*self)->finish_step(*step, committed);
                       });
}

void Settler::finish_step(const Step& step, const base::Result<void>& committed) {
  is_stepping_ = false;
  if (!committed.ok() || !step.result->ok()) {
    not_before_ = parts_.timer.now() + pause_after_failure;
    alarm_.set(not_before_);
    return parts_.on_folded(committed.ok() ? step.result->error() : committed.error());
  }
  if ((*step.result)->is_held) {
    not_before_ = parts_.timer.now() + pause_while_held;
    alarm_.set(not_before_);
    return parts_.on_folded(*step.result);
  }
  const bool is_done = (*step.result)->is_done;
  if (is_done) {
    folded_.merge((*step.result)->folded);
    last_ = step.frontier;
    last_own_ = step.own;
  }
  waits_for_stamp_ = (*step.result)->waits_for_stamp;
  parts_.on_folded(*step.result);
  if (is_done) {
    settle();
  } else {
    submit_step();  // behind whatever else waits for the writer by now
  }
}

}  // namespace quadrille::sync
