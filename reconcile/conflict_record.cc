#include "reconcile/conflict_record.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "log/bytes.h"
#include "log/changeset_codec.h"
#include "log/stored_operations.h"

namespace quadrille::reconcile {
namespace {

void write_term(log::ByteWriter& writer, const model::Term& term) {
  std::string bytes;
  log::append_term(term, bytes);
  writer.raw(bytes);
}

model::Term read_some_term(log::ByteReader& reader) {
  auto term = log::read_term(reader);
  if (!term) reader.fail();
  return term ? std::move(*term) : model::Term::iri({});
}

void write_optional_term(log::ByteWriter& writer, const std::optional<model::Term>& term) {
  writer.byte(term ? 1 : 0);
  if (term) write_term(writer, *term);
}

std::optional<model::Term> read_optional_term(log::ByteReader& reader) {
  if (reader.byte() == 0) return std::nullopt;
  return read_some_term(reader);
}

void write_cell(log::ByteWriter& writer, const CellName& cell) {
  writer.byte(static_cast<uint8_t>(cell.kind));
  write_optional_term(writer, cell.graph);
  write_term(writer, cell.subject);
  write_term(writer, cell.property);
  write_optional_term(writer, cell.object);
}

CellName read_cell(log::ByteReader& reader) {
  CellName cell;
  cell.kind = static_cast<log::CellKind>(reader.byte());
  cell.graph = read_optional_term(reader);
  cell.subject = read_some_term(reader);
  cell.property = read_some_term(reader);
  cell.object = read_optional_term(reader);
  return cell;
}

void write_stamp(log::ByteWriter& writer, log::Stamp stamp) {
  writer.signed_varint(stamp.physical_ms);
  writer.varint(stamp.counter);
}

log::Stamp read_stamp(log::ByteReader& reader) {
  const int64_t physical = reader.signed_varint();
  return {physical, static_cast<uint32_t>(reader.varint())};
}

void write_statements(log::ByteWriter& writer, const Content& content) {
  writer.varint(content.size());
  for (const CellStatement& statement : content) {
    write_term(writer, statement.property);
    write_term(writer, statement.object);
  }
}

Content read_statements(log::ByteReader& reader) {
  Content content;
  for (uint64_t left = reader.count(4); left > 0 && reader.ok(); --left) {
    model::Term property = read_some_term(reader);
    content.push_back({std::move(property), read_some_term(reader)});
  }
  return content;
}

void write_changeset(log::ByteWriter& writer, const log::ChangesetId& id) {
  writer.sized(id.origin.name);
  writer.fixed64(id.origin.incarnation);
  writer.varint(id.seq);
}

Version read_version(log::ByteReader& reader) {
  Version version;
  version.id.origin.name = reader.sized();
  version.id.origin.incarnation = reader.fixed64();
  version.id.seq = reader.varint();
  version.stamp = read_stamp(reader);
  version.saw = read_statements(reader);
  version.left = read_statements(reader);
  version.is_maximal = true;  // as all candidates are
  return version;
}

}  // namespace

std::string conflict_id(const ConflictRecord& record) {
  std::string bytes;
  log::ByteWriter writer(bytes);
  write_cell(writer, record.cell);
  for (const Version& candidate : record.candidates) write_changeset(writer, candidate.id);
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string encode(const ConflictRecord& record) {
  std::string bytes;
  log::ByteWriter writer(bytes);
  writer.sized(record.id);
  write_stamp(writer, record.time);
  write_cell(writer, record.cell);
  writer.varint(record.candidates.size());
  for (const Version& candidate : record.candidates) {
    write_changeset(writer, candidate.id);
    write_stamp(writer, candidate.stamp);
    write_statements(writer, candidate.saw);
    write_statements(writer, candidate.left);
  }
  write_statements(writer, record.chosen);
  writer.sized(record.policy);
  writer.sized(record.failure);
  writer.byte(record.is_provisional ? 1 : 0);
  return bytes;
}

ConflictRecord decode_conflict(std::string_view bytes) {
  log::ByteReader reader(bytes);
  ConflictRecord record;
  record.id = reader.sized();
  record.time = read_stamp(reader);
  record.cell = read_cell(reader);
  for (uint64_t left = reader.count(13); left > 0 && reader.ok(); --left) {
    record.candidates.push_back(read_version(reader));
  }
  record.chosen = read_statements(reader);
  record.policy = reader.sized();
  record.failure = reader.sized();
  record.is_provisional = reader.byte() != 0;
  if (!reader.ok() || !reader.at_end()) log::fail_as_corrupt("reconcile.conflicts");
  return record;
}

}  // namespace quadrille::reconcile
