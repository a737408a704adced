// Makes blank nodes that no other site, load or request will ever make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/model/term.h"

namespace quadrille::model {

// One scope: a file, an INSERT DATA, a solution of a template. The same label in one scope is the same node; scopes
// never share nodes. It remembers no labels: the name of a node is made of 128 random bits and of its label, as it
// stands or, where it is long or no plain name, of a 128-bit hash of it.
class BlankNodeScope {
 public:
  explicit BlankNodeScope(base::RandomSource& random);
  // Any text is a label. Callable from several threads at once.
  Term node_for(std::string_view label) const;
  // One thread at a time.
  Term fresh();

 private:
  std::string prefix_;  // 128 random bits as text
  uint64_t seed_;
  uint64_t next_ = 0;
};

}  // namespace quadrille::model
