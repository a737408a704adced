#include "log/change_log.h"

#include <algorithm>

#include "engine/store/damage.h"
#include "engine/store/key.h"
#include "log/bulk_table.h"
#include "log/changeset_codec.h"
#include "log/stored_operations.h"

namespace quadrille::log {
namespace {

constexpr size_t header_offset = 16;  // in a row of "log.headers"

std::string position_key(uint64_t position) {
  std::string key;
  store::append_big_endian(key, position);
  return key;
}

std::string changeset_key(ChangesetKey changeset) {
  std::string key;
  store::append_big_endian(key, changeset.origin);
  store::append_big_endian(key, changeset.seq);
  return key;
}

std::string chunk_key(ChangesetKey changeset, uint32_t chunk) {
  std::string key = changeset_key(changeset);
  store::append_big_endian(key, chunk);
  return key;
}

}  // namespace

LogTables open_log_tables(store::Store& store) {
  return {{store.open_table("log.origins"), store.open_table("log.bulks"), store.open_table("log.state")},
          store.open_table("log.headers"),
          store.open_table("log.operations"),
          store.open_table("log.positions"),
          store.open_table("log.window"),
          store.open_table("log.waiting"),
          store.open_table("log.bulk")};
}

std::optional<std::string_view> ChangeLog::find_row(ChangesetKey changeset) const {
  const auto row = reading_.get(tables_.headers, changeset_key(changeset));
  if (row && row->size() < header_offset) fail_damaged(changeset);
  return row;
}

void ChangeLog::fail_damaged(ChangesetKey changeset) const {
  store::fail_damaged_row(reading_, tables_.headers, changeset_key(changeset));
}

std::optional<ChangesetHeader> ChangeLog::find_header(ChangesetKey changeset) const {
  const auto row = find_row(changeset);
  if (!row) return std::nullopt;
  base::Result<ChangesetHeader> header = decode_header(row->substr(header_offset));
  if (!header) fail_damaged(changeset);
  return std::move(header).value();
}

std::optional<uint64_t> ChangeLog::find_position(ChangesetKey changeset) const {
  const auto row = find_row(changeset);
  if (!row) return std::nullopt;
  return store::big_endian_at(*row, 0);
}

std::optional<ChangesetKey> ChangeLog::find_at(uint64_t position) const {
  const std::string key = position_key(position);
  const auto row = reading_.get(tables_.positions, key);
  if (!row) return std::nullopt;
  if (row->size() != 16) store::fail_damaged_row(reading_, tables_.positions, key);
  return ChangesetKey{static_cast<OriginNumber>(store::big_endian_at(*row, 0)), store::big_endian_at(*row, 8)};
}

std::optional<Operations> ChangeLog::find_operations(ChangesetKey changeset, uint32_t chunk) const {
  if (const auto row = reading_.get(tables_.operations, chunk_key(changeset, chunk))) return decode_stored(*row);
  if (const uint64_t bulk = bulk_of(changeset)) return BulkTable(reading_, tables_.bulk).find_operations(bulk, chunk);
  return std::nullopt;
}

uint64_t ChangeLog::bulk_of(ChangesetKey changeset) const {
  const auto row = find_row(changeset);
  return row ? store::big_endian_at(*row, 8) : 0;
}

uint64_t ChangeLog::first_missing(const LogState& state, const VersionVector& vector) const {
  uint64_t first = state.last_position + 1;
  for (size_t number = 0; number < state.origins.size(); ++number) {
    const OriginState& origin = state.origins[number];
    const uint64_t next = vector.at(origin.site) + 1;
    if (next > origin.seq) continue;
    if (next <= origin.trimmed_seq) return origin.trimmed_position;  // whoever asks for it must be told
    if (const auto position = find_position({static_cast<OriginNumber>(number), next})) {
      first = std::min(first, *position);
    } else {
      fail_damaged({static_cast<OriginNumber>(number), next});
    }
  }
  return first;
}

void ChangeLogWriter::add_operations(ChangesetKey changeset, uint64_t bulk, uint32_t chunk,
                                     const OperationsView& operations) {
  if (bulk != 0) return BulkTableWriter(writing_, tables_.bulk).add_operations(bulk, chunk, operations);
  writing_.put(tables_.operations, chunk_key(changeset, chunk), encode_stored(operations));
}

void ChangeLogWriter::add_header(ChangesetKey changeset, const ChangesetHeader& header, LogState& state,
                                 uint64_t bulk) {
  const uint64_t position = ++state.last_position;
  const std::string key = changeset_key(changeset);
  writing_.put(tables_.headers, key, position_key(position) + position_key(bulk) + encode_header(header));
  writing_.put(tables_.positions, position_key(position), key);
  OriginState& origin = state.origins[changeset.origin];
  origin.seq = header.id.seq;
  origin.hash = header.hash;
  origin.stamp = header.stamp;
  if (BulkState* its = state.find_bulk(bulk)) {
    its->stage = BulkStage::Open;
    its->origin = changeset.origin;
    its->seq = changeset.seq;
    its->position = position;
  }
}

void ChangeLogWriter::add_waiting(ChangesetKey changeset, std::string_view cell_key) {
  writing_.put(tables_.waiting, changeset_key(changeset).append(cell_key), {});
}

void ChangeLogWriter::end_waiting(ChangesetKey changeset, std::string_view cell_key, const LogState& state) {
  // Only what the walk has come by can wait; of the next changeset, some operations may have been walked.
  if (changeset.seq > state.origins[changeset.origin].walked_seq + 1) return;
  if (!writing_.erase(tables_.waiting, changeset_key(changeset).append(cell_key))) return;
  const bool is_trimmed = changeset.seq <= state.origins[changeset.origin].trimmed_seq;
  if (is_trimmed && !is_waiting(changeset)) writing_.erase(tables_.headers, changeset_key(changeset));
}

bool ChangeLogWriter::is_waiting(ChangesetKey changeset) const {
  const std::string prefix = changeset_key(changeset);
  store::Cursor cursor(writing_, tables_.waiting);
  return cursor.seek(prefix) && cursor.key().starts_with(prefix);
}

void ChangeLogWriter::trim(OriginNumber origin, LogState& state) {
  OriginState& its = state.origins[origin];
  const uint64_t end = std::min(its.walked_seq, its.seq == 0 ? 0 : its.seq - 1);
  while (its.trimmed_seq < end) trim_one({origin, its.trimmed_seq + 1}, state);
}

void ChangeLogWriter::trim_one(ChangesetKey changeset, LogState& state) {
  OriginState& origin = state.origins[changeset.origin];
  const auto header = find_header(changeset);
  const auto position = find_position(changeset);
  if (!header || !position) fail_damaged(changeset);
  if (BulkState* bulk = state.find_bulk_of(changeset.origin, changeset.seq)) {
    bulk->stage = BulkStage::Trimmed;
  } else {
    for (uint32_t chunk = 0; chunk < header->chunk_count; ++chunk) {
      writing_.erase(tables_.operations, chunk_key(changeset, chunk));
    }
  }
  writing_.erase(tables_.positions, position_key(*position));
  if (!is_waiting(changeset)) writing_.erase(tables_.headers, changeset_key(changeset));
  origin.trimmed_seq = changeset.seq;
  origin.trimmed_position = *position;
}

}  // namespace quadrille::log
