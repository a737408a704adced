#include "engine/store/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>

#include "engine/model/each_quad.h"
#include "engine/store/key.h"

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

const Digest& QuadHasher::hash_of(TermId id) {
  const auto [entry, is_new] = terms_.try_emplace(id);
  if (is_new && id != TermId::default_graph()) {
    const std::string text = to_ntriples(source_.get_term(id));
    entry->second = hash_bytes(text.data(), text.size());
  }
  return entry->second;
}

Digest QuadHasher::hash(const Quad& quad) {
  char bytes[64];
  char* out = bytes;
  for (TermId id : {quad.subject, quad.predicate, quad.object, quad.graph}) {
    const Digest& term = hash_of(id);
    write_big_endian(out, term.high);
    write_big_endian(out + 8, term.low);
    out += 16;
  }
  return hash_bytes(bytes, sizeof bytes);
}

Digest digest_of(const model::QuadSource& source) {
  Digest total;
  QuadHasher hasher(source);
  model::for_each_quad(source, model::QuadOrder::Spog, [&](const Quad& quad) { total.add(hasher.hash(quad)); });
  return total;
}

std::unordered_map<TermId, Digest> digests_by_graph(const model::QuadSource& source) {
  std::unordered_map<TermId, Digest> by_graph;
  QuadHasher hasher(source);
  model::for_each_quad(source, model::QuadOrder::Spog,
                       [&](const Quad& quad) { by_graph[quad.graph].add(hasher.hash(quad)); });
  return by_graph;
}

}  // namespace quadrille::store
