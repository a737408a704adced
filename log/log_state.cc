#include "log/log_state.h"

#include <algorithm>

#include "engine/store/damage.h"
#include "engine/store/key.h"
#include "log/bytes.h"
#include "log/field_codec.h"

namespace quadrille::log {
namespace {

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
  writer.varint(origin.replayed_seq);
  return bytes;
}

// Nothing: it is none.
std::optional<OriginState> decode_origin(std::string_view bytes) {
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
  if (!reader.at_end()) origin.replayed_seq = reader.varint();  // older stores have none
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
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

std::optional<BulkState> decode_bulk(std::string_view key, std::string_view bytes) {
  if (key.size() != 8) return std::nullopt;
  ByteReader reader(bytes);
  BulkState bulk;
  bulk.number = store::big_endian_at(key, 0);
  uint8_t stage = reader.byte();
  if (stage == 3) stage = static_cast<uint8_t>(BulkStage::Settled);  // as older stores call it once it is walked
  if (stage > static_cast<uint8_t>(BulkStage::Trimmed)) reader.fail();
  bulk.stage = static_cast<BulkStage>(stage);
  bulk.origin = static_cast<OriginNumber>(reader.varint());
  bulk.seq = reader.varint();
  bulk.position = reader.varint();
  for (uint64_t& rows : bulk.rows) rows = reader.varint();
  bulk.rows_taken = reader.varint();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
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
  auto old = before.begin();  // both ascend by number
  for (const BulkState& bulk : now) {
    for (; old != before.end() && old->number < bulk.number; ++old) transaction.erase(table, number_key(old->number));
    const bool was_there = old != before.end() && old->number == bulk.number;
    if (!was_there || *old != bulk) transaction.put(table, number_key(bulk.number), encode(bulk));
    if (was_there) ++old;
  }
  for (; old != before.end(); ++old) transaction.erase(table, number_key(old->number));
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

std::vector<uint64_t> LogState::replayed_seqs() const {
  std::vector<uint64_t> seqs;
  for (const OriginState& origin : origins) seqs.push_back(origin.seen_by_replay());
  return seqs;
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
    const auto origin = decode_origin(cursor.value());
    if (!origin || cursor.key() != number_key(state.origins.size())) {
      store::fail_damaged_row(transaction, tables.origins, cursor.key());
    }
    state.origins.push_back(*origin);
  }
  store::Cursor bulks(transaction, tables.bulks);
  for (bool has_row = bulks.first(); has_row; has_row = bulks.next()) {
    const auto bulk = decode_bulk(bulks.key(), bulks.value());
    if (!bulk) store::fail_damaged_row(transaction, tables.bulks, bulks.key());
    state.bulks.push_back(*bulk);
  }
  if (const auto row = transaction.get(tables.state, state_key)) {
    ByteReader reader(*row);
    state.last_position = reader.varint();
    state.clock_floor = read_stamp(reader);
    state.last_bulk = reader.varint();
    if (!reader.ok() || !reader.at_end()) store::fail_damaged_row(transaction, tables.state, state_key);
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
