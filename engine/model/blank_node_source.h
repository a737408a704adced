// Makes blank nodes that no other site, load or request will ever make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/clock.h"
#include "engine/model/term.h"

namespace quadrille::model {

// One scope: a file, an INSERT DATA, a solution of a template. The same label in one scope is the same node; scopes
// never share nodes. Not thread-safe.
class BlankNodeScope {
 public:
  explicit BlankNodeScope(base::RandomSource& random);
  Term node_for(std::string_view label);
  Term fresh();

 private:
  std::string prefix_;  // 128 random bits as text
  uint64_t next_ = 0;
  std::unordered_map<std::string, uint64_t> numbers_;
};

}  // namespace quadrille::model
