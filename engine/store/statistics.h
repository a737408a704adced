// Counts of quads that are kept with every commit: in all, by predicate, and by graph.
//
// Table "statistics": key a letter ('q' all, 'p' a predicate, 'g' a graph) and, for the last two, the id (8 bytes,
// big-endian); value a count (8 bytes, big-endian). No row means 0.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "engine/model/quad.h"
#include "engine/model/quad_source.h"
#include "engine/store/environment.h"

namespace quadrille::store {

// What a transaction has changed and not yet written.
struct StatisticsChange {
  int64_t quads = 0;
  std::unordered_map<model::TermId, int64_t> by_predicate;
  std::unordered_map<model::TermId, int64_t> by_graph;

  void add(const model::Quad& quad, int64_t change);
  void add(const StatisticsChange& other);
};

void write_statistics(WriteTransaction& transaction, const Table& table, const StatisticsChange& change);

// Reads of one transaction, which must outlive it; with `change`, if given, on top of what is written.
class Statistics {
 public:
  Statistics(const ReadTransaction& transaction, const Table& table, const StatisticsChange* change = nullptr);

  uint64_t quads() const;
  uint64_t of_predicate(model::TermId predicate) const;
  uint64_t of_graph(model::TermId graph) const;
  // No scan of this prefix gives more.
  uint64_t at_most(model::QuadOrder order, std::span<const model::TermId> prefix) const;

 private:
  const ReadTransaction& transaction_;
  const Table& table_;
  const StatisticsChange* change_;
};

// All counters of one kind, as written.
enum class CounterKind : uint8_t { Predicate, Graph };
std::map<model::TermId, uint64_t> counters_of(const ReadTransaction& transaction, const Table& table, CounterKind kind);

}  // namespace quadrille::store
