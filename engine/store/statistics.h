// Counts of quads that are kept with every commit: in all, by predicate, and by graph.
//
// Table "statistics": key a letter ('q' all, 'p' a predicate, 'g' a graph) and, for the last two, the id (8 bytes,
// big-endian); value a count (8 bytes, big-endian). No row means 0.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "engine/model/quad.h"
#include "engine/model/quad_source.h"
#include "engine/store/environment.h"
#include "engine/store/quad_table.h"

namespace quadrille::store {

// What a transaction has changed and not yet written.
struct StatisticsChange {
  int64_t quads = 0;
  std::unordered_map<model::TermId, int64_t> by_predicate;
  std::unordered_map<model::TermId, int64_t> by_graph;

  void add(const model::Quad& quad, int64_t change);
};

void write_statistics(WriteTransaction& transaction, const Table& table, const StatisticsChange& change);

// As committed, plus `change`.
uint64_t count_of_quads(const ReadTransaction& transaction, const Table& table, const StatisticsChange& change);
uint64_t count_of_predicate(const ReadTransaction& transaction, const Table& table, const StatisticsChange& change,
                            model::TermId predicate);
uint64_t count_of_graph(const ReadTransaction& transaction, const Table& table, const StatisticsChange& change,
                        model::TermId graph);

// How many quads a scan would give: exact where a count is kept or where there are few; else estimated from the ends of
// the range, how densely its ids lie there.
uint64_t estimate_quads(const ReadTransaction& transaction, const QuadTables& quads, const Table& statistics,
                        const StatisticsChange& change, model::QuadOrder order, std::span<const model::TermId> prefix);

}  // namespace quadrille::store
