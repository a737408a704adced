#include "engine/model/blank_node_source.h"

#include <fmt/format.h>

namespace quadrille::model {

BlankNodeScope::BlankNodeScope(base::RandomSource& random) {
  const uint64_t high = random.next();  // two statements: the order of evaluation must not depend on the compiler
  const uint64_t low = random.next();
  prefix_ = fmt::format("q{:016x}{:016x}x", high, low);
}

Term BlankNodeScope::node_for(std::string_view label) {
  auto [entry, is_new] = numbers_.try_emplace(std::string(label), next_);
  if (is_new) ++next_;
  return Term::blank_node(prefix_ + std::to_string(entry->second));
}

Term BlankNodeScope::fresh() { return Term::blank_node(prefix_ + std::to_string(next_++)); }

}  // namespace quadrille::model
