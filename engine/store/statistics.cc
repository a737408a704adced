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

std::string key_of(char letter, TermId id) {
  std::string key(1, letter);
  append_big_endian(key, id.bits());
  return key;
}
std::string key_of_all() { return std::string(1, all_quads); }

constexpr size_t count_bytes = 8;
constexpr size_t totals_bytes = 24;

uint64_t read_count(const ReadTransaction& transaction, const Table& table, std::string_view key) {
  const auto value = transaction.get(table, key);
  if (value && value->size() != count_bytes) fail_damaged_row(transaction, table, key);
  return value ? big_endian_at(*value, 0) : 0;
}

QuadTotals totals_at(std::string_view value) {
  return {big_endian_at(value, 0), {big_endian_at(value, 8), big_endian_at(value, 16)}};
}

QuadTotals read_totals(const ReadTransaction& transaction, const Table& table, std::string_view key) {
  const auto value = transaction.get(table, key);
  if (value && value->size() != totals_bytes) fail_damaged_row(transaction, table, key);
  return value ? totals_at(*value) : QuadTotals();
}

QuadTotals with(const QuadTotals& totals, const TotalsChange& change) {
  QuadTotals changed = totals;
  changed.quads += static_cast<uint64_t>(change.quads);
  changed.digest.add(change.digest);
  return changed;
}

uint64_t changed_count(const WriteTransaction& transaction, const Table& table, uint64_t count, int64_t change) {
  const int64_t changed = static_cast<int64_t>(count) + change;
  if (changed >= 0) return static_cast<uint64_t>(changed);
  throw base::StorageError({base::ErrorKind::Corruption,
                            transaction.environment().file().string() + ", table " + table.name() +
                                ": a count of quads would be below 0; the store needs 'quadrille verify'",
                            {}});
}

void add_to_count(WriteTransaction& transaction, const Table& table, std::string_view key, int64_t change) {
  if (change == 0) return;
  const uint64_t count = changed_count(transaction, table, read_count(transaction, table, key), change);
  if (count == 0) {
    transaction.erase(table, key);
    return;
  }
  char bytes[count_bytes];
  write_big_endian(bytes, count);
  transaction.put(table, key, {bytes, sizeof bytes});
}

void add_to_totals(WriteTransaction& transaction, const Table& table, std::string_view key,
                   const TotalsChange& change) {
  if (change.quads == 0 && change.digest == Digest()) return;
  const QuadTotals before = read_totals(transaction, table, key);
  changed_count(transaction, table, before.quads, change.quads);
  const QuadTotals totals = with(before, change);
  if (totals == QuadTotals()) {
    transaction.erase(table, key);
    return;
  }
  char bytes[totals_bytes];
  write_big_endian(bytes, totals.quads);
  write_big_endian(bytes + 8, totals.digest.high);
  write_big_endian(bytes + 16, totals.digest.low);
  transaction.put(table, key, {bytes, sizeof bytes});
}

// In ascending order: LMDB writes neighbours cheaply.
template <class Change>
std::vector<std::pair<TermId, Change>> sorted(const std::unordered_map<TermId, Change>& changes) {
  std::vector<std::pair<TermId, Change>> rows(changes.begin(), changes.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return rows;
}

template <class Change>
Change change_of(const std::unordered_map<TermId, Change>& changes, TermId id) {
  const auto entry = changes.find(id);
  return entry == changes.end() ? Change() : entry->second;
}

template <class Visit>
void for_each_row(const ReadTransaction& transaction, const Table& table, char letter, const Visit& visit) {
  const std::string prefix(1, letter);
  Cursor cursor(transaction, table);
  for (bool at_row = cursor.seek(prefix); at_row && cursor.key().starts_with(prefix); at_row = cursor.next()) {
    visit(TermId(big_endian_at(cursor.key(), 1)), cursor.value());
  }
}

}  // namespace

void TotalsChange::add(int64_t change, const Digest& hash) {
  quads += change;
  change > 0 ? digest.add(hash) : digest.subtract(hash);
}

void TotalsChange::add(const TotalsChange& other) {
  quads += other.quads;
  digest.add(other.digest);
}

void StatisticsChange::add(const model::Quad& quad, int64_t change, const Digest& hash) {
  all.add(change, hash);
  by_predicate[quad.predicate] += change;
  by_graph[quad.graph].add(change, hash);
}

void StatisticsChange::add(const StatisticsChange& other) {
  all.add(other.all);
  for (const auto& [id, change] : other.by_predicate) by_predicate[id] += change;
  for (const auto& [id, change] : other.by_graph) by_graph[id].add(change);
}

void write_statistics(WriteTransaction& transaction, const Table& table, const StatisticsChange& change) {
  add_to_totals(transaction, table, key_of_all(), change.all);
  for (const auto& [id, count] : sorted(change.by_predicate)) {
    add_to_count(transaction, table, key_of(predicate_letter, id), count);
  }
  for (const auto& [id, totals] : sorted(change.by_graph)) {
    add_to_totals(transaction, table, key_of(graph_letter, id), totals);
  }
}

Statistics::Statistics(const ReadTransaction& transaction, const Table& table, const StatisticsChange* change)
    : transaction_(transaction), table_(table), change_(change) {}

QuadTotals Statistics::all() const {
  const QuadTotals committed = read_totals(transaction_, table_, key_of_all());
  return change_ != nullptr ? with(committed, change_->all) : committed;
}

uint64_t Statistics::of_predicate(TermId predicate) const {
  const uint64_t committed = read_count(transaction_, table_, key_of(predicate_letter, predicate));
  return committed + static_cast<uint64_t>(change_ != nullptr ? change_of(change_->by_predicate, predicate) : 0);
}

QuadTotals Statistics::of_graph(TermId graph) const {
  const QuadTotals committed = read_totals(transaction_, table_, key_of(graph_letter, graph));
  return change_ != nullptr ? with(committed, change_of(change_->by_graph, graph)) : committed;
}

uint64_t Statistics::at_most(QuadOrder order, std::span<const TermId> prefix) const {
  uint64_t bound = all().quads;
  const auto columns = columns_of(order);
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (columns[i] == model::Column::Predicate) bound = std::min(bound, of_predicate(prefix[i]));
    if (columns[i] == model::Column::Graph) bound = std::min(bound, of_graph(prefix[i]).quads);
  }
  return bound;
}

std::map<TermId, uint64_t> counts_by_predicate(const ReadTransaction& transaction, const Table& table) {
  std::map<TermId, uint64_t> counts;
  for_each_row(transaction, table, predicate_letter, [&](TermId id, std::string_view value) {
    if (value.size() != count_bytes) fail_damaged_row(transaction, table, key_of(predicate_letter, id));
    counts[id] = big_endian_at(value, 0);
  });
  return counts;
}

std::map<TermId, QuadTotals> totals_by_graph(const ReadTransaction& transaction, const Table& table) {
  std::map<TermId, QuadTotals> totals;
  for_each_row(transaction, table, graph_letter, [&](TermId id, std::string_view value) {
    if (value.size() != totals_bytes) fail_damaged_row(transaction, table, key_of(graph_letter, id));
    totals[id] = totals_at(value);
  });
  return totals;
}

}  // namespace quadrille::store
