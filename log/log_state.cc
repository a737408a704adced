#include "log/log_state.h"

#include <algorithm>

#include "engine/store/key.h"
#include "log/bytes.h"
#include "log/stored_operations.h"

namespace quadrille::log {
namespace {

void write_stamp(ByteWriter& writer, Stamp stamp) {
  writer.signed_varint(stamp.physical_ms);
  writer.varint(stamp.counter);
}

Stamp read_stamp(ByteReader& reader) {
  Stamp stamp;
  stamp.physical_ms = reader.signed_varint();
  stamp.counter = static_cast<uint32_t>(reader.varint());
  return stamp;
}

std::string encode(const OriginState& origin) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.sized(origin.site.name);
  writer.fixed64(origin.site.incarnation);
  writer.varint(origin.seq);
  writer.raw({reinterpret_cast<const char*>(origin.hash.data()), origin.hash.size()});
  write_stamp(writer, origin.stamp);
  writer.varint(origin.walked_seq);
  writer.varint(origin.walked_chunks);
  writer.varint(origin.walked_operations);
  writer.varint(origin.trimmed_seq);
  writer.varint(origin.trimmed_position);
  return bytes;
}

OriginState decode_origin(std::string_view bytes) {
  ByteReader reader(bytes);
  OriginState origin;
  origin.site.name = reader.sized();
  origin.site.incarnation = reader.fixed64();
  origin.seq = reader.varint();
  const std::string_view hash = reader.raw(origin.hash.size());
  if (reader.ok()) std::memcpy(origin.hash.data(), hash.data(), hash.size());
  origin.stamp = read_stamp(reader);
  origin.walked_seq = reader.varint();
  origin.walked_chunks = static_cast<uint32_t>(reader.varint());
  origin.walked_operations = static_cast<uint32_t>(reader.varint());
  origin.trimmed_seq = reader.varint();
  origin.trimmed_position = reader.varint();
  if (!reader.ok() || !reader.at_end()) fail_as_corrupt("log.origins");
  return origin;
}

std::string encode(const BulkState& bulk) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.byte(static_cast<uint8_t>(bulk.stage));
  writer.varint(bulk.origin);
  writer.varint(bulk.seq);
  writer.varint(bulk.position);
  for (const uint64_t rows : bulk.rows) writer.varint(rows);
  writer.varint(bulk.rows_taken);
  return bytes;
}

BulkState decode_bulk(std::string_view key, std::string_view bytes) {
  ByteReader reader(bytes);
  BulkState bulk;
  bulk.number = store::big_endian_at(key, 0);
  const uint8_t stage = reader.byte();
  if (stage > static_cast<uint8_t>(BulkStage::Trimmed)) reader.fail();
  bulk.stage = static_cast<BulkStage>(stage);
  bulk.origin = static_cast<OriginNumber>(reader.varint());
  bulk.seq = reader.varint();
  bulk.position = reader.varint();
  for (uint64_t& rows : bulk.rows) rows = reader.varint();
  bulk.rows_taken = reader.varint();
  if (!reader.ok() || !reader.at_end()) fail_as_corrupt("log.bulks");
  return bulk;
}

std::string number_key(size_t number) {
  std::string key;
  store::append_big_endian(key, number);
  return key;
}

constexpr std::string_view state_key = "state";

void write_bulks(store::WriteTransaction& transaction, const store::Table& table, const std::vector<BulkState>& before,
                 const std::vector<BulkState>& now) {
  const auto is_in = [](const std::vector<BulkState>& bulks, uint64_t number) {
    return std::any_of(bulks.begin(), bulks.end(), [&](const BulkState& one) { return one.number == number; });
  };
  for (const BulkState& bulk : before) {
    if (!is_in(now, bulk.number)) transaction.erase(table, number_key(bulk.number));
  }
  for (const BulkState& bulk : now) {
    if (std::find(before.begin(), before.end(), bulk) == before.end()) {
      transaction.put(table, number_key(bulk.number), encode(bulk));
    }
  }
}

}  // namespace

std::optional<OriginNumber> LogState::find(const SiteId& site) const {
  for (size_t number = 0; number < origins.size(); ++number) {
    if (origins[number].site == site) return static_cast<OriginNumber>(number);
  }
  return std::nullopt;
}

OriginNumber LogState::number_of(const SiteId& site) {
  if (const auto number = find(site)) return *number;
  origins.emplace_back().site = site;
  return static_cast<OriginNumber>(origins.size() - 1);
}

VersionVector LogState::version_vector() const {
  VersionVector vector;
  for (const OriginState& origin : origins) vector.raise(origin.site, origin.seq);
  return vector;
}

VersionVector LogState::walked_vector() const {
  VersionVector vector;
  for (const OriginState& origin : origins) vector.raise(origin.site, origin.walked_seq);
  return vector;
}

BulkState* LogState::find_bulk(uint64_t number) {
  const auto place =
      std::find_if(bulks.begin(), bulks.end(), [&](const BulkState& one) { return one.number == number; });
  return place == bulks.end() ? nullptr : &*place;
}

BulkState* LogState::find_bulk_of(OriginNumber origin, uint64_t seq) {
  for (BulkState& bulk : bulks) {
    if (bulk.stage != BulkStage::Staged && bulk.origin == origin && bulk.seq == seq) return &bulk;
  }
  return nullptr;
}

BulkState& LogState::add_bulk() {
  bulks.push_back({.number = ++last_bulk});
  return bulks.back();
}

LogState read_log_state(const store::ReadTransaction& transaction, const LogStateTables& tables) {
  LogState state;
  store::Cursor cursor(transaction, tables.origins);
  for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
    if (store::big_endian_at(cursor.key(), 0) != state.origins.size()) fail_as_corrupt("log.origins");
    state.origins.push_back(decode_origin(cursor.value()));
  }
  store::Cursor bulks(transaction, tables.bulks);
  for (bool has_row = bulks.first(); has_row; has_row = bulks.next()) {
    state.bulks.push_back(decode_bulk(bulks.key(), bulks.value()));
  }
  if (const auto row = transaction.get(tables.state, state_key)) {
    ByteReader reader(*row);
    state.last_position = reader.varint();
    state.clock_floor = read_stamp(reader);
    state.last_bulk = reader.varint();
    if (!reader.ok() || !reader.at_end()) fail_as_corrupt("log.state");
  }
  return state;
}

void write_log_state(store::WriteTransaction& transaction, const LogStateTables& tables, const LogState& before,
                     const LogState& now) {
  for (size_t number = 0; number < now.origins.size(); ++number) {
    if (number < before.origins.size() && before.origins[number] == now.origins[number]) continue;
    transaction.put(tables.origins, number_key(number), encode(now.origins[number]));
  }
  if (now.bulks != before.bulks) write_bulks(transaction, tables.bulks, before.bulks, now.bulks);
  if (now.last_position != before.last_position || now.clock_floor != before.clock_floor ||
      now.last_bulk != before.last_bulk) {
    std::string row;
    ByteWriter writer(row);
    writer.varint(now.last_position);
    write_stamp(writer, now.clock_floor);
    writer.varint(now.last_bulk);
    transaction.put(tables.state, state_key, row);
  }
}

SeenVector::SeenVector(const VersionVector& vector, const LogState& state) : seqs_(state.origins.size()) {
  for (const auto& [site, seq] : vector.entries()) {
    if (const auto number = state.find(site)) seqs_[*number] = seq;
  }
}

}  // namespace quadrille::log
