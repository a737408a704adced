// What a policy finds when it reads related quads: something for whatever it asks for, the same for the same seed.
#pragma once

#include <cstdint>

#include "reconcile/policy.h"

namespace quadrille::policies::check {

// Of the subjects and properties that a pattern leaves open, a few are there; of those that it names, each may have up
// to three values. A pure function of the seed and of the pattern.
class GeneratedContext final : public reconcile::Context {
 public:
  GeneratedContext(uint64_t seed, model::Term subject, model::Term property)
      : seed_(seed), subject_(std::move(subject)), property_(std::move(property)) {}
  uint64_t seed() const noexcept { return seed_; }
  std::vector<model::TermQuad> match(const reconcile::QuadPattern& pattern) const override;

 private:
  uint64_t seed_;
  model::Term subject_;
  model::Term property_;
};

}  // namespace quadrille::policies::check
