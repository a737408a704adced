#include "engine/store/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>

#include "engine/model/each_quad.h"
#include "engine/store/key.h"
#include "engine/store/term_row.h"

namespace quadrille::store {
namespace {

using model::Quad;
using model::TermId;

Digest hash_bytes(const void* bytes, size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, size);
  return {hash.high64, hash.low64};
}

}  // namespace

void Digest::add(const Digest& other) noexcept {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
}

void Digest::subtract(const Digest& other) noexcept {
  high -= other.high + (low < other.low ? 1 : 0);
  low -= other.low;
}

std::string Digest::to_hex() const { return fmt::format("{:016x}{:016x}", high, low); }

uint64_t QuadHasher::hash_of(TermId id) {
  if (id.is_inline() || id == TermId::default_graph()) {
    char bytes[8];
    write_big_endian(bytes, id.bits());
    return XXH3_64bits(bytes, sizeof bytes);
  }
  if (const auto hash = cache_.find(id)) return *hash;
  auto hash = known_ != nullptr ? known_->find(id) : std::nullopt;
  if (!hash) hash = hash_term(encode_term(source_.get_term(id)));
  cache_.keep(id, *hash);
  return *hash;
}

Digest QuadHasher::hash(const Quad& quad) {
  char bytes[32];
  char* out = bytes;
  for (TermId id : {quad.subject, quad.predicate, quad.object, quad.graph}) {
    write_big_endian(out, hash_of(id));
    out += 8;
  }
  return hash_bytes(bytes, sizeof bytes);
}

Digest digest_of(const model::QuadSource& source) {
  Digest total;
  TermHashCache cache;
  QuadHasher hasher(source, cache);
  model::for_each_quad(source, model::QuadOrder::Spog, [&](const Quad& quad) { total.add(hasher.hash(quad)); });
  return total;
}

std::unordered_map<TermId, Digest> digests_by_graph(const model::QuadSource& source) {
  std::unordered_map<TermId, Digest> by_graph;
  TermHashCache cache;
  QuadHasher hasher(source, cache);
  model::for_each_quad(source, model::QuadOrder::Spog,
                       [&](const Quad& quad) { by_graph[quad.graph].add(hasher.hash(quad)); });
  return by_graph;
}

}  // namespace quadrille::store
