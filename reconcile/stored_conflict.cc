#include "reconcile/stored_conflict.h"

#include <algorithm>

#include "log/bytes.h"
#include "log/field_codec.h"
#include "log/stored_operations.h"
#include "reconcile/cell_text.h"

namespace quadrille::reconcile {
namespace {

constexpr uint8_t is_provisional_bit = 1;
constexpr uint8_t has_fallback_bit = 2;

void write_one(log::ByteWriter& writer, const StoredConflict& conflict) {
  log::write_stamp(writer, conflict.time);
  writer.byte(static_cast<uint8_t>(conflict.cell.kind));
  for (const model::TermId id :
       {conflict.cell.graph, conflict.cell.subject, conflict.cell.property, conflict.cell.object}) {
    writer.fixed64(id.bits());
  }
  writer.varint(conflict.candidates.size());
  for (const StoredCandidate& candidate : conflict.candidates) {
    writer.varint(candidate.origin);
    writer.varint(candidate.seq);
    log::write_stamp(writer, candidate.stamp);
    log::write_content(writer, candidate.saw);
    log::write_content(writer, candidate.left);
  }
  log::write_content(writer, conflict.chosen);
  writer.sized(conflict.policy);
  writer.sized(conflict.failure);
  writer.byte((conflict.is_provisional ? is_provisional_bit : 0) | (conflict.fallback.empty() ? 0 : has_fallback_bit));
  if (!conflict.fallback.empty()) writer.sized(conflict.fallback);
}

StoredConflict read_one(log::ByteReader& reader) {
  StoredConflict conflict;
  conflict.time = log::read_stamp(reader);
  conflict.cell.kind = static_cast<log::CellKind>(reader.byte());
  for (model::TermId* id :
       {&conflict.cell.graph, &conflict.cell.subject, &conflict.cell.property, &conflict.cell.object}) {
    *id = model::TermId(reader.fixed64());
  }
  for (uint64_t left = reader.count(6); left > 0 && reader.ok(); --left) {
    StoredCandidate& candidate = conflict.candidates.emplace_back();
    candidate.origin = static_cast<log::OriginNumber>(reader.varint());
    candidate.seq = reader.varint();
    candidate.stamp = log::read_stamp(reader);
    candidate.saw = log::read_content(reader);
    candidate.left = log::read_content(reader);
  }
  conflict.chosen = log::read_content(reader);
  conflict.policy = reader.sized();
  conflict.failure = reader.sized();
  const uint8_t bits = reader.byte();
  conflict.is_provisional = (bits & is_provisional_bit) != 0;
  if ((bits & has_fallback_bit) != 0) conflict.fallback = reader.sized();
  return conflict;
}

}  // namespace

bool StoredConflict::has_same_candidates(const StoredConflict& other) const {
  return std::equal(candidates.begin(), candidates.end(), other.candidates.begin(), other.candidates.end(),
                    [](const StoredCandidate& left, const StoredCandidate& right) {
                      return left.origin == right.origin && left.seq == right.seq;
                    });
}

std::string encode(const std::vector<StoredConflict>& conflicts) {
  std::string bytes;
  log::ByteWriter writer(bytes);
  for (const StoredConflict& conflict : conflicts) write_one(writer, conflict);
  return bytes;
}

std::vector<StoredConflict> decode_conflicts(std::string_view bytes) {
  log::ByteReader reader(bytes);
  std::vector<StoredConflict> conflicts;
  while (reader.ok() && !reader.at_end()) conflicts.push_back(read_one(reader));
  if (!reader.ok()) log::fail_as_corrupt("reconcile.conflicts");
  return conflicts;
}

ConflictRecord to_record(const StoredConflict& conflict, const model::QuadSource& terms, const log::LogState& state) {
  ConflictRecord record;
  record.time = conflict.time;
  record.cell = cell_name(conflict.cell, terms);
  for (const StoredCandidate& candidate : conflict.candidates) {
    if (candidate.origin >= state.origins.size()) log::fail_as_corrupt("reconcile.conflicts");
    record.candidates.push_back({{state.origins[candidate.origin].site, candidate.seq},
                                 candidate.stamp,
                                 to_text(candidate.saw, terms),
                                 to_text(candidate.left, terms),
                                 true});
  }
  record.chosen = to_text(conflict.chosen, terms);
  record.policy = conflict.policy;
  record.failure = conflict.failure;
  record.fallback = conflict.fallback;
  record.is_provisional = conflict.is_provisional;
  record.id = conflict_id(record);
  return record;
}

}  // namespace quadrille::reconcile
