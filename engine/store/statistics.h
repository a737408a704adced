// Counts of quads, and digests of them, that are kept with every commit: in all and by graph; counts by predicate.
//
// Table "statistics": key a letter ('q' all, 'p' a predicate, 'g' a graph) and, for the last two, the id (8 bytes,
// big-endian); value a count (8 bytes, big-endian), and but for predicates a digest (16 bytes, big-endian). No row
// means 0.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "engine/model/quad.h"
#include "engine/model/quad_source.h"
#include "engine/store/digest.h"
#include "engine/store/environment.h"

namespace quadrille::store {

struct QuadTotals {
  uint64_t quads = 0;
  Digest digest;

  friend bool operator==(const QuadTotals&, const QuadTotals&) = default;
};

struct TotalsChange {
  int64_t quads = 0;
  Digest digest;  // to be added

  // `change` is 1 or -1; `hash` that of the quad.
  void add(int64_t change, const Digest& hash);
  void add(const TotalsChange& other);

  friend bool operator==(const TotalsChange&, const TotalsChange&) = default;
};

// What a transaction has changed and not yet written.
struct StatisticsChange {
  TotalsChange all;
  std::unordered_map<model::TermId, int64_t> by_predicate;
  std::unordered_map<model::TermId, TotalsChange> by_graph;

  // `change` is 1 or -1; `hash` that of the quad.
  void add(const model::Quad& quad, int64_t change, const Digest& hash);
  void add(const StatisticsChange& other);
};

void write_statistics(WriteTransaction& transaction, const Table& table, const StatisticsChange& change);

// Reads of one transaction, which must outlive it; with `change`, if given, on top of what is written.
class Statistics {
 public:
  Statistics(const ReadTransaction& transaction, const Table& table, const StatisticsChange* change = nullptr);

  QuadTotals all() const;
  uint64_t of_predicate(model::TermId predicate) const;
  QuadTotals of_graph(model::TermId graph) const;
  // No scan of this prefix gives more.
  uint64_t at_most(model::QuadOrder order, std::span<const model::TermId> prefix) const;

 private:
  const ReadTransaction& transaction_;
  const Table& table_;
  const StatisticsChange* change_;
};

// All of one kind, as written.
std::map<model::TermId, uint64_t> counts_by_predicate(const ReadTransaction& transaction, const Table& table);
std::map<model::TermId, QuadTotals> totals_by_graph(const ReadTransaction& transaction, const Table& table);

}  // namespace quadrille::store
