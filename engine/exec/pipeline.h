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

// The right sides of its joins, by the join's plan: one thread reads each, and all look into it.
// Callable from any thread.
class KeptSides {
 public:
  std::shared_ptr<KeptRows> find(const plan::Plan& join) const {
    const std::lock_guard lock(mutex_);
    const auto entry = sides_.find(&join);
    return entry == sides_.end() ? nullptr : entry->second;
  }
  // Who comes while another makes it waits for it.
  std::shared_ptr<KeptRows> find_or_make(const plan::Plan& join,
                                         const std::function<std::shared_ptr<KeptRows>()>& make) {
    const std::lock_guard lock(mutex_);
    auto& side = sides_[&join];
    if (!side) side = make();
    return side;
  }
  // Reads those that nobody has read yet.
  void read_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [join, side] : sides_) side->read();
  }

 private:
  mutable std::mutex mutex_;
  std::map<const plan::Plan*, std::shared_ptr<KeptRows>> sides_;  // the order of addresses decides nothing
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
  KeptSides& sides;
};

}  // namespace quadrille::exec
