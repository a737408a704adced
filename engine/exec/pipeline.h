// A chain of operators that several threads may run side by side (plan/pipelines.h): what its operators are made with.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/exec/kept_rows.h"
#include "engine/exec/operator.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

// What one thread makes of a part of a plan, and all look into. Callable from any thread.
template <class Part, class Made>
class SharedParts {
 public:
  std::shared_ptr<Made> find(const Part& part) const {
    const std::lock_guard lock(mutex_);
    const auto entry = made_.find(&part);
    return entry == made_.end() ? nullptr : entry->second;
  }
  // Who comes while another makes it waits for it.
  std::shared_ptr<Made> find_or_make(const Part& part, const std::function<std::shared_ptr<Made>()>& make) {
    const std::lock_guard lock(mutex_);
    auto& made = made_[&part];
    if (!made) made = make();
    return made;
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (auto& [part, made] : made_) visit(*made);
  }

 private:
  mutable std::mutex mutex_;
  std::map<const Part*, std::shared_ptr<Made>> made_;  // the order of addresses decides nothing
};

class KnownSolutions;

struct PipelineParts {
  SharedParts<plan::Plan, KeptRows> sides;  // the right side of each join
  // Of each EXISTS that was evaluated once for all before there were several threads. One that a lane evaluates is its
  // own: it may hold terms that nobody else knows.
  SharedParts<plan::ExistsPlan, KnownSolutions> solutions;
};

// Where a pipeline's operators find rows: what was put in, once.
class Feed {
 public:
  void put(Batch rows) { rows_ = std::move(rows); }
  bool is_empty() const noexcept { return rows_.rows() == 0; }
  void take(Batch& batch) {
    std::swap(batch, rows_);
    rows_.reset(rows_.column_count());
  }

 private:
  Batch rows_;
};

struct Pipeline {
  const plan::Plan& leaf;  // in its place stands what reads the feed
  Feed& feed;
  PipelineParts& parts;
};

}  // namespace quadrille::exec
