#include "engine/plan/plan_memory.h"

#include <utility>

namespace quadrille::plan {
namespace {

constexpr size_t large = size_t{16} << 10;

size_t bytes_of(const std::string& shape, const Choices& choices) noexcept {
  constexpr size_t of_entry = 128;  // besides the text and the numbers
  return shape.size() + choices.size() * sizeof(double) + of_entry;
}

}  // namespace

std::shared_ptr<const Choices> PlanMemory::find(const std::string& shape) const {
  std::lock_guard lock(mutex_);
  const auto entry = choices_.find(shape);
  return entry == choices_.end() ? nullptr : entry->second;
}

void PlanMemory::keep(const std::string& shape, Choices choices) {
  const size_t bytes = bytes_of(shape, choices);
  if (bytes > large || bytes > bytes_max_) return;
  auto kept = std::make_shared<const Choices>(std::move(choices));
  std::lock_guard lock(mutex_);
  if (const auto before = choices_.find(shape); before != choices_.end()) {
    bytes_ -= bytes_of(shape, *before->second);
    choices_.erase(before);
  }
  if (bytes_ + bytes > bytes_max_) {
    choices_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  choices_.emplace(shape, std::move(kept));
}

size_t PlanMemory::size() const {
  std::lock_guard lock(mutex_);
  return choices_.size();
}

}  // namespace quadrille::plan
