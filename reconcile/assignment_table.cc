#include "reconcile/assignment_table.h"

#include "engine/store/key.h"
#include "log/bytes.h"
#include "log/field_codec.h"
#include "log/stored_operations.h"

namespace quadrille::reconcile {
namespace {

std::string key_of(const log::AssignmentNumber& number) {
  std::string key(1, number.is_initial() ? 0 : 1);
  if (number.is_initial()) return key;
  store::append_big_endian(key, static_cast<uint64_t>(number.stamp.physical_ms) ^ uint64_t{1} << 63);
  store::append_big_endian(key, number.stamp.counter);
  store::append_big_endian(key, number.origin.incarnation);
  return key + number.origin.name;
}

log::AssignmentNumber number_of(std::string_view key) {
  if (key.size() == 1) return {};
  if (key.size() < 26) log::fail_as_corrupt("reconcile.assignments");
  const auto physical = static_cast<int64_t>(store::big_endian_at(key, 1) ^ uint64_t{1} << 63);
  return {{physical, static_cast<uint32_t>(store::big_endian_at(key, 9))},
          {std::string(key.substr(25)), store::big_endian_at(key, 17)}};
}

StoredAssignment read_row(std::string_view key, std::string_view row) {
  StoredAssignment stored;
  stored.number = number_of(key);
  log::ByteReader reader(row);
  stored.seq = reader.varint();
  if (reader.byte() != 0) stored.known_to_all_at = log::read_vector(reader);
  auto assignment = decode_assignment(reader.sized());
  if (!reader.ok() || !reader.at_end() || !assignment.ok()) log::fail_as_corrupt("reconcile.assignments");
  stored.assignment = std::move(*assignment);
  return stored;
}

}  // namespace

std::vector<StoredAssignment> read_assignments(const store::ReadTransaction& reading, const store::Table& table) {
  std::vector<StoredAssignment> assignments;
  store::Cursor cursor(reading, table);
  for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
    assignments.push_back(read_row(cursor.key(), cursor.value()));
  }
  if (assignments.empty()) log::fail_as_corrupt("reconcile.assignments");
  return assignments;
}

void read_assignments(const store::ReadTransaction& reading, const store::Table& table, AssignmentHistory& history) {
  std::vector<StoredAssignment> assignments = read_assignments(reading, table);
  history.clear();
  for (StoredAssignment& stored : assignments) {
    NumberedRules& rules = history.add(stored.number, stored.seq, std::move(stored.assignment));
    rules.is_known_to_all = stored.number.is_initial() || stored.known_to_all_at.has_value();
  }
}

void put_assignment(store::WriteTransaction& writing, const store::Table& table, const StoredAssignment& assignment) {
  std::string row;
  log::ByteWriter writer(row);
  writer.varint(assignment.seq);
  writer.byte(assignment.known_to_all_at ? 1 : 0);
  if (assignment.known_to_all_at) log::write_vector(writer, *assignment.known_to_all_at);
  writer.sized(encode(assignment.assignment));
  writing.put(table, key_of(assignment.number), row);
}

void erase_assignment(store::WriteTransaction& writing, const store::Table& table,
                      const log::AssignmentNumber& number) {
  writing.erase(table, key_of(number));
}

std::string to_string(const log::AssignmentNumber& number) {
  if (number.is_initial()) return "of `init`";
  return to_string(number.stamp) + " of " + to_string(number.origin);
}

}  // namespace quadrille::reconcile
