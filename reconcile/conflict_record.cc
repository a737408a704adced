#include "reconcile/conflict_record.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "log/bytes.h"
#include "log/changeset_codec.h"
#include "log/field_codec.h"

namespace quadrille::reconcile {
namespace {

void write_term(log::ByteWriter& writer, const model::Term& term) {
  std::string bytes;
  log::append_term(term, bytes);
  writer.raw(bytes);
}

void write_optional_term(log::ByteWriter& writer, const std::optional<model::Term>& term) {
  writer.byte(term ? 1 : 0);
  if (term) write_term(writer, *term);
}

void write_cell(log::ByteWriter& writer, const CellName& cell) {
  writer.byte(static_cast<uint8_t>(cell.kind));
  write_optional_term(writer, cell.graph);
  write_term(writer, cell.subject);
  write_term(writer, cell.property);
  write_optional_term(writer, cell.object);
}

void write_changeset(log::ByteWriter& writer, const log::ChangesetId& id) {
  log::write_site(writer, id.origin);
  writer.varint(id.seq);
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

}  // namespace quadrille::reconcile
