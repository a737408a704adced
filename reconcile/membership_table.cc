#include "reconcile/membership_table.h"

#include "engine/store/key.h"
#include "log/bytes.h"
#include "log/field_codec.h"
#include "log/stored_operations.h"

namespace quadrille::reconcile {
namespace {

constexpr size_t key_head_bytes = 24;

std::string key_of(const MembershipEvent& event) {
  std::string key;
  store::append_big_endian(key, static_cast<uint64_t>(event.stamp.physical_ms) ^ uint64_t{1} << 63);
  store::append_big_endian(key, event.stamp.counter);
  store::append_big_endian(key, event.by.origin.incarnation);
  return key + event.by.origin.name;
}

MembershipEvent read_row(std::string_view key, std::string_view row) {
  if (key.size() <= key_head_bytes) log::fail_as_corrupt(members_table);
  MembershipEvent event;
  event.stamp = {static_cast<int64_t>(store::big_endian_at(key, 0) ^ uint64_t{1} << 63),
                 static_cast<uint32_t>(store::big_endian_at(key, 8))};
  event.by.origin = {std::string(key.substr(key_head_bytes)), store::big_endian_at(key, 16)};
  log::ByteReader reader(row);
  event.by.seq = reader.varint();
  event.dependencies = log::read_vector(reader);
  event.is_complete = reader.byte() != 0;
  auto change = decode_membership_change(reader.sized());
  if (!reader.ok() || !reader.at_end() || !change.ok()) log::fail_as_corrupt(members_table);
  event.change = std::move(*change);
  return event;
}

}  // namespace

std::vector<MembershipEvent> read_membership(const store::ReadTransaction& reading, const store::Table& table) {
  std::vector<MembershipEvent> events;
  store::Cursor cursor(reading, table);
  for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
    events.push_back(read_row(cursor.key(), cursor.value()));
  }
  return events;
}

void put_membership(store::WriteTransaction& writing, const store::Table& table, const MembershipEvent& event) {
  std::string row;
  log::ByteWriter writer(row);
  writer.varint(event.by.seq);
  log::write_vector(writer, event.dependencies);
  writer.byte(event.is_complete ? 1 : 0);
  writer.sized(encode(event.change));
  writing.put(table, key_of(event), row);
}

}  // namespace quadrille::reconcile
