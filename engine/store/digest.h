// A digest of a set of quads that depends neither on their order nor on the ids of a store: two sites hold the same
// quads if, and but for a chance of about 2^-64 only if, their digests are equal.
//
// Each term is hashed as canonical N-Triples (XXH3, 128 bits), each quad as the hash of its four term hashes, and the
// quads' hashes are added modulo 2^128: so adding or taking away a quad changes a digest by its own hash.
// It is no protection against a forger.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "engine/model/quad_source.h"

namespace quadrille::store {

struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  void add(const Digest& other) noexcept;
  void subtract(const Digest& other) noexcept;
  std::string to_hex() const;  // 32 digits

  friend bool operator==(const Digest&, const Digest&) = default;
};

// Hashes quads of one source, which must outlive it; remembers the hashes of terms (24 bytes and some each).
class QuadHasher {
 public:
  explicit QuadHasher(const model::QuadSource& source) : source_(source) {}
  Digest hash(const model::Quad& quad);

 private:
  const Digest& hash_of(model::TermId id);
  const model::QuadSource& source_;
  std::unordered_map<model::TermId, Digest> terms_;
};

// Of all quads, by a scan.
Digest digest_of(const model::QuadSource& source);
// Of each graph that has quads; the default graph under TermId::default_graph().
std::unordered_map<model::TermId, Digest> digests_by_graph(const model::QuadSource& source);

}  // namespace quadrille::store
