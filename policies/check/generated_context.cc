#include "policies/check/generated_context.h"

#include <xxhash.h>

#include <algorithm>
#include <tuple>

#include "policies/check/dice.h"
#include "policies/check/value_pool.h"

namespace quadrille::policies::check {
namespace {

using model::Term;

uint64_t hash_of(const Term& term, uint64_t seed) {
  const std::string text = to_ntriples(term);
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

std::vector<std::optional<Term>> graphs_of(const reconcile::QuadPattern& pattern) {
  if (pattern.graph) return {pattern.graph};
  if (pattern.default_graph_only) return {std::nullopt};
  return {std::nullopt, Term::iri("http://example.org/graph")};
}

std::vector<Term> terms_of(const std::optional<Term>& asked, const Term& first, const char* second) {
  if (asked) return {*asked};
  return {first, Term::iri(second)};
}

}  // namespace

std::vector<model::TermQuad> GeneratedContext::match(const reconcile::QuadPattern& pattern) const {
  static constexpr ValueFamily families[] = {ValueFamily::Integer, ValueFamily::Decimal, ValueFamily::String,
                                             ValueFamily::Iri};
  const ValuePool pool;
  std::vector<model::TermQuad> quads;
  for (const auto& graph : graphs_of(pattern)) {
    for (const Term& subject : terms_of(pattern.subject, subject_, "http://example.org/neighbour")) {
      for (const Term& property : terms_of(pattern.property, property_, "http://example.org/related")) {
        const uint64_t place = hash_of(property, hash_of(subject, seed_ + (graph ? hash_of(*graph, 1) : 0)));
        Dice dice(place);
        for (uint32_t count = dice.below(4); count > 0; --count) {
          const ValueFamily family = dice.one_of(std::span<const ValueFamily>(families));
          const Term object = pool.at({family, static_cast<uint8_t>(dice.below(pool.size_of(family)))});
          if (!pattern.object || *pattern.object == object) quads.push_back({subject, property, object, graph});
        }
      }
    }
  }
  std::sort(quads.begin(), quads.end(), [](const model::TermQuad& left, const model::TermQuad& right) {
    return std::tie(left.graph, left.subject, left.predicate, left.object) <
           std::tie(right.graph, right.subject, right.predicate, right.object);
  });
  quads.erase(std::unique(quads.begin(), quads.end()), quads.end());
  return quads;
}

}  // namespace quadrille::policies::check
