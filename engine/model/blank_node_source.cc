#include "engine/model/blank_node_source.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

namespace quadrille::model {
namespace {

// What follows the random bits says how the rest was made, so that no two ways give the same name.
constexpr char numbered = 'x';
constexpr char labelled = 'y';
constexpr char hashed = 'z';

constexpr size_t plain_size_max = 24;

bool is_plain_name(std::string_view label) noexcept {
  return label.size() <= plain_size_max && std::all_of(label.begin(), label.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

BlankNodeScope::BlankNodeScope(base::RandomSource& random) {
  const uint64_t high = random.next();  // two statements: the order of evaluation must not depend on the compiler
  const uint64_t low = random.next();
  prefix_ = fmt::format("q{:016x}{:016x}", high, low);
  seed_ = low;
}

Term BlankNodeScope::node_for(std::string_view label) const {
  std::string name = prefix_;
  if (is_plain_name(label)) {
    name += labelled;
    name += label;
  } else {
    // The seed keeps it from anyone to write a document in which two labels are one node.
    const XXH128_hash_t hash = XXH3_128bits_withSeed(label.data(), label.size(), seed_);
    fmt::format_to(std::back_inserter(name), "{}{:016x}{:016x}", hashed, hash.high64, hash.low64);
  }
  return Term::blank_node(std::move(name));
}

Term BlankNodeScope::fresh() { return Term::blank_node(fmt::format("{}{}{}", prefix_, numbered, next_++)); }

}  // namespace quadrille::model
