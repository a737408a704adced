// A value for the length of a scope.
#pragma once

#include <utility>

namespace quadrille::sparql {

// The variable has `value` while this lives, and then again what it had before.
template <class T>
class Assigned {
 public:
  Assigned(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
  ~Assigned() { variable_ = before_; }
  Assigned(const Assigned&) = delete;
  Assigned& operator=(const Assigned&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace quadrille::sparql
