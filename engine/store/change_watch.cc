#include "engine/store/change_watch.h"

#include "engine/store/store.h"

namespace quadrille::store {

void ChangeList::add(const model::Quad& quad, bool came) {
  if (has_too_many_) return;
  if (changes_.size() == limit_) return add_too_many();
  changes_.push_back({quad, came});
}

void ChangeList::add(const ChangeList& other) {
  if (has_too_many_) return;
  if (other.has_too_many_ || other.changes_.size() > limit_ - changes_.size()) return add_too_many();
  changes_.insert(changes_.end(), other.changes_.begin(), other.changes_.end());
}

void ChangeList::add_too_many() {
  has_too_many_ = true;
  std::vector<QuadChange>().swap(changes_);
}

ChangeWatch::ChangeWatch(const Store& store, size_t limit) : store_(store), list_(limit) { store_.add_watch(*this); }
ChangeWatch::~ChangeWatch() { store_.remove_watch(*this); }

}  // namespace quadrille::store
