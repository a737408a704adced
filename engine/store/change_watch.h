// What came and went since a moment: for work that is built aside from a snapshot and has to be checked against what
// was committed meanwhile.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/model/quad.h"

namespace quadrille::store {

class Store;

struct QuadChange {
  model::Quad quad;
  bool came = false;  // else it went
};

// Changes of a transaction, in their order; beyond a number it only says that there were too many.
class ChangeList {
 public:
  explicit ChangeList(size_t limit) : limit_(limit) {}
  void add(const model::Quad& quad, bool came);
  void add(const ChangeList& other);
  void add_too_many();
  size_t limit() const noexcept { return limit_; }
  bool has_too_many() const noexcept { return has_too_many_; }
  std::span<const QuadChange> changes() const noexcept { return changes_; }

 private:
  size_t limit_;
  bool has_too_many_ = false;
  std::vector<QuadChange> changes_;
};

// Made by Store::watch_changes, on any thread. Holds every quad that came or went, effectively, by a commit after that:
// a snapshot that is taken after the watch was made, and its changes, together miss nothing (they may overlap). The
// latest word on a quad counts. Read by the writer only. Must not outlive the store.
class ChangeWatch {
 public:
  ChangeWatch(const Store& store, size_t limit);
  ~ChangeWatch();
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  // More than the limit, or a run was switched in: then changes() is empty, and the work has to look again.
  bool has_too_many() const noexcept { return list_.has_too_many(); }
  std::span<const QuadChange> changes() const noexcept { return list_.changes(); }

 private:
  friend class Store;
  const Store& store_;
  ChangeList list_;
};

}  // namespace quadrille::store
