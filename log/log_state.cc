#include "log/log_state.h"

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

std::string number_key(size_t number) {
  std::string key;
  store::append_big_endian(key, number);
  return key;
}

constexpr std::string_view state_key = "state";

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

LogState read_log_state(const store::ReadTransaction& transaction, const LogStateTables& tables) {
  LogState state;
  store::Cursor cursor(transaction, tables.origins);
  for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
    if (store::big_endian_at(cursor.key(), 0) != state.origins.size()) fail_as_corrupt("log.origins");
    state.origins.push_back(decode_origin(cursor.value()));
  }
  if (const auto row = transaction.get(tables.state, state_key)) {
    ByteReader reader(*row);
    state.last_position = reader.varint();
    state.clock_floor = read_stamp(reader);
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
  if (now.last_position != before.last_position || now.clock_floor != before.clock_floor) {
    std::string row;
    ByteWriter writer(row);
    writer.varint(now.last_position);
    write_stamp(writer, now.clock_floor);
    transaction.put(tables.state, state_key, row);
  }
}

SeenVector::SeenVector(const VersionVector& vector, const LogState& state) : seqs_(state.origins.size()) {
  for (const auto& [site, seq] : vector.entries()) {
    if (const auto number = state.find(site)) seqs_[*number] = seq;
  }
}

}  // namespace quadrille::log
