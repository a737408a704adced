// A digest of a set of quads that depends neither on their order nor on the ids of a store: two sites hold the same
// quads if, and but for a chance of about 2^-64 only if, their digests are equal.
//
// Each term is hashed as its row (term_row.h; XXH3, 64 bits), an inline one as its id, each quad as the hash of its
// four term hashes (128 bits), and the quads' hashes are added modulo 2^128: so adding or taking away a quad changes a
// digest by its own hash, and it is kept up with each commit (statistics.h). It is no protection against a forger.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "engine/model/quad_source.h"
#include "engine/store/term_hash_cache.h"
#include "engine/store/term_hash_file.h"

namespace quadrille::store {

struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  void add(const Digest& other) noexcept;
  void subtract(const Digest& other) noexcept;
  std::string to_hex() const;  // 32 digits

  friend bool operator==(const Digest&, const Digest&) = default;
};

// Hashes quads of one source. All that it is given must outlive it.
class QuadHasher {
 public:
  // `known`: asked before the source, if given.
  QuadHasher(const model::QuadSource& source, TermHashCache& cache, const TermHashFile* known = nullptr)
      : source_(source), cache_(cache), known_(known) {}
  Digest hash(const model::Quad& quad);
  uint64_t hash_of(model::TermId id);

 private:
  const model::QuadSource& source_;
  TermHashCache& cache_;
  const TermHashFile* known_;
};

// Of all quads, by a scan.
Digest digest_of(const model::QuadSource& source);
// Of each graph that has quads; the default graph under TermId::default_graph().
std::unordered_map<model::TermId, Digest> digests_by_graph(const model::QuadSource& source);

}  // namespace quadrille::store
