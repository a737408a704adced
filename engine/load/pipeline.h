// Work in stages that feed each other, on as many threads as a TaskRunner has: each thread takes, again and again, the
// most downstream piece of work that is ready. So what is in the works is finished before more is begun, and the cores
// are busy for as long as any stage has something to do.
//
// All state that stages share is touched under the pipeline's one lock only: in a Stage, in Piece::publish, and in
// exchange(). The work itself runs without it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_runner.h"

namespace quadrille::load {

class Pipeline {
 public:
  struct Piece {
    std::function<void()> work;     // may throw base::StorageError, which fails the pipeline
    std::function<void()> publish;  // hands over what it has made; may be empty
  };

  // Gives a piece that is ready now, or nothing. What it gives is run, once.
  using Stage = std::function<std::optional<Piece>()>;

  explicit Pipeline(base::TaskRunner& runner) : runner_(runner) {}

  // The most downstream first.
  void add(Stage stage) { stages_.push_back(std::move(stage)); }
  // Returns when no stage has anything to do any more, or with the first error. To be called once.
  base::Result<void> run();

  // No more pieces are taken. Under the lock; the first error counts.
  void fail(base::Error error);

  // For a piece that cannot be cut into small ones; called from its work. `change` runs under the lock.
  void exchange(const std::function<void()>& change);
  // The same: does other pieces of work until `may_go_on`, asked under the lock, or until the pipeline has failed.
  // False in that case. Requires that the work that is there makes it true.
  bool help_until(const std::function<bool()>& may_go_on);

 private:
  using Lock = std::unique_lock<std::mutex>;
  void work_until_done();
  bool run_next(Lock& lock);
  void run_piece(Lock& lock, Piece& piece);

  base::TaskRunner& runner_;
  std::vector<Stage> stages_;

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t running_ = 0;  // threads inside of a piece, but for those in help_until
  size_t helping_ = 0;  // threads in help_until
  std::optional<base::Error> failure_;
  std::exception_ptr thrown_;  // a bug, or no memory
};

}  // namespace quadrille::load
