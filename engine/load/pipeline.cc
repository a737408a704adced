#include "engine/load/pipeline.h"

#include <utility>

namespace quadrille::load {

base::Result<void> Pipeline::run() {
  const std::vector<std::function<void()>> tasks(runner_.width(), [this] { work_until_done(); });
  runner_.run(tasks);
  if (thrown_) std::rethrow_exception(thrown_);
  if (failure_) return *failure_;
  return {};
}

void Pipeline::work_until_done() {
  Lock lock(mutex_);
  while (!failure_) {
    if (run_next(lock)) continue;
    if (running_ == 0 && helping_ == 0) return;
    changed_.wait(lock);
  }
}

// False: nothing is ready.
bool Pipeline::run_next(Lock& lock) {
  for (const Stage& next_piece : stages_) {
    if (auto piece = next_piece()) {
      run_piece(lock, *piece);
      return true;
    }
  }
  return false;
}

void Pipeline::run_piece(Lock& lock, Piece& piece) {
  ++running_;
  lock.unlock();
  std::optional<base::Error> error;
  std::exception_ptr thrown;
  try {
    piece.work();
  } catch (const base::StorageError& failure) {
    error = failure.error();
  } catch (...) {
    thrown = std::current_exception();
    error = base::Error{base::ErrorKind::ResourceExhausted, "the load was broken off", {}};
  }
  lock.lock();
  --running_;
  if (thrown && !thrown_) thrown_ = thrown;
  if (error) {
    fail(*std::move(error));
  } else if (!failure_ && piece.publish) {
    piece.publish();
  }
  changed_.notify_all();
}

void Pipeline::fail(base::Error error) {
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

void Pipeline::exchange(const std::function<void()>& change) {
  {
    const Lock lock(mutex_);
    change();
  }
  changed_.notify_all();
}

bool Pipeline::help_until(const std::function<bool()>& may_go_on) {
  Lock lock(mutex_);
  --running_;
  ++helping_;
  while (!failure_ && !may_go_on()) {
    if (run_next(lock) || failure_) continue;  // a stage may have failed that gave nothing
    QUADRILLE_CHECK(running_ > 0, "a piece of work waits for what nobody will do");
    changed_.wait(lock);
  }
  --helping_;
  ++running_;
  return !failure_;
}

}  // namespace quadrille::load
