// What planning remembers of the queries of one store: the choices that were made for queries of a shape, so that the
// same text with other constants is not planned from nothing.
//
// A shape is a query without the constants that stand for subjects, objects and values, with the size class of each
// range that its constants select: a rare and a frequent constant have different shapes. The choices are the planner's
// estimates and join orders, in the order in which it asks for them; everything else follows from the query.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace quadrille::plan {

// Numbers that the planner found out, in the order in which it needed them.
using Choices = std::vector<double>;

// Callable from any thread. For one store only.
class PlanMemory {
 public:
  explicit PlanMemory(size_t bytes_max = size_t{16} << 20) : bytes_max_(bytes_max) {}

  std::shared_ptr<const Choices> find(const std::string& shape) const;
  // When they take too much memory, all are forgotten: they come back soon. What is large is not kept at all.
  void keep(const std::string& shape, Choices choices);
  size_t size() const;

 private:
  const size_t bytes_max_;
  mutable std::mutex mutex_;
  size_t bytes_ = 0;  // that the shapes and their choices take
  std::unordered_map<std::string, std::shared_ptr<const Choices>> choices_;
};

}  // namespace quadrille::plan
