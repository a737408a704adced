#include "engine/plan/plan_memory.h"

#include <utility>

namespace quadrille::plan {

std::shared_ptr<const Choices> PlanMemory::find(const std::string& shape) const {
  std::lock_guard lock(mutex_);
  const auto entry = choices_.find(shape);
  return entry == choices_.end() ? nullptr : entry->second;
}

void PlanMemory::keep(const std::string& shape, Choices choices) {
  auto kept = std::make_shared<const Choices>(std::move(choices));
  std::lock_guard lock(mutex_);
  if (choices_.size() >= shapes_max_) choices_.clear();
  choices_[shape] = std::move(kept);
}

size_t PlanMemory::size() const {
  std::lock_guard lock(mutex_);
  return choices_.size();
}

}  // namespace quadrille::plan
