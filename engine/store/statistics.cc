#include "engine/store/statistics.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/store/damage.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

using model::QuadOrder;
using model::TermId;

constexpr char all_quads = 'q';
constexpr char predicate_letter = 'p';
constexpr char graph_letter = 'g';

std::string counter_key(char letter, TermId id) {
  std::string key(1, letter);
  append_big_endian(key, id.bits());
  return key;
}

uint64_t read_counter(const ReadTransaction& transaction, const Table& table, std::string_view key) {
  const auto value = transaction.get(table, key);
  if (value && value->size() != 8) fail_damaged_row(transaction, table, key);
  return value ? big_endian_at(*value, 0) : 0;
}

void add_to_counter(WriteTransaction& transaction, const Table& table, std::string_view key, int64_t change) {
  if (change == 0) return;
  const auto count = static_cast<int64_t>(read_counter(transaction, table, key)) + change;
  if (count < 0) {
    throw base::StorageError({base::ErrorKind::Corruption,
                              transaction.environment().file().string() + ", table " + table.name() +
                                  ": a count of quads would be below 0; the store needs 'quadrille verify'",
                              {}});
  }
  if (count == 0) {
    transaction.erase(table, key);
    return;
  }
  char bytes[8];
  write_big_endian(bytes, static_cast<uint64_t>(count));
  transaction.put(table, key, {bytes, sizeof bytes});
}

int64_t change_of(const std::unordered_map<TermId, int64_t>& changes, TermId id) {
  const auto entry = changes.find(id);
  return entry == changes.end() ? 0 : entry->second;
}

}  // namespace

void StatisticsChange::add(const model::Quad& quad, int64_t change) {
  quads += change;
  by_predicate[quad.predicate] += change;
  by_graph[quad.graph] += change;
}

void StatisticsChange::add(const StatisticsChange& other) {
  quads += other.quads;
  for (const auto& [id, change] : other.by_predicate) by_predicate[id] += change;
  for (const auto& [id, change] : other.by_graph) by_graph[id] += change;
}

void write_statistics(WriteTransaction& transaction, const Table& table, const StatisticsChange& change) {
  add_to_counter(transaction, table, std::string(1, all_quads), change.quads);
  const auto write_all = [&](char letter, const std::unordered_map<TermId, int64_t>& changes) {
    std::vector<std::pair<TermId, int64_t>> sorted(changes.begin(), changes.end());
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [id, count] : sorted) add_to_counter(transaction, table, counter_key(letter, id), count);
  };
  write_all(predicate_letter, change.by_predicate);
  write_all(graph_letter, change.by_graph);
}

Statistics::Statistics(const ReadTransaction& transaction, const Table& table, const StatisticsChange* change)
    : transaction_(transaction), table_(table), change_(change) {}

uint64_t Statistics::quads() const {
  const auto committed = static_cast<int64_t>(read_counter(transaction_, table_, std::string(1, all_quads)));
  return static_cast<uint64_t>(committed + (change_ ? change_->quads : 0));
}

uint64_t Statistics::of_predicate(TermId predicate) const {
  const std::string key = counter_key(predicate_letter, predicate);
  const auto committed = static_cast<int64_t>(read_counter(transaction_, table_, key));
  return static_cast<uint64_t>(committed + (change_ ? change_of(change_->by_predicate, predicate) : 0));
}

uint64_t Statistics::of_graph(TermId graph) const {
  const auto committed = static_cast<int64_t>(read_counter(transaction_, table_, counter_key(graph_letter, graph)));
  return static_cast<uint64_t>(committed + (change_ ? change_of(change_->by_graph, graph) : 0));
}

uint64_t Statistics::at_most(QuadOrder order, std::span<const TermId> prefix) const {
  uint64_t bound = quads();
  const auto columns = columns_of(order);
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (columns[i] == model::Column::Predicate) bound = std::min(bound, of_predicate(prefix[i]));
    if (columns[i] == model::Column::Graph) bound = std::min(bound, of_graph(prefix[i]));
  }
  return bound;
}

std::map<TermId, uint64_t> counters_of(const ReadTransaction& transaction, const Table& table, CounterKind kind) {
  const std::string letter(1, kind == CounterKind::Predicate ? predicate_letter : graph_letter);
  std::map<TermId, uint64_t> counters;
  Cursor cursor(transaction, table);
  for (bool at_row = cursor.seek(letter); at_row && cursor.key().starts_with(letter); at_row = cursor.next()) {
    counters[TermId(big_endian_at(cursor.key(), 1))] = big_endian_at(cursor.value(), 0);
  }
  return counters;
}

}  // namespace quadrille::store
