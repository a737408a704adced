#include "log/history_window.h"

#include <algorithm>

#include "engine/store/key.h"
#include "log/bytes.h"
#include "log/stored_operations.h"

namespace quadrille::log {
namespace {

void skip_content(ByteReader& reader) { reader.raw(reader.count(16) * 16); }

void skip_base(ByteReader& reader, CellKind kind) {
  if (kind == CellKind::Quad) {
    reader.byte();
  } else {
    skip_content(reader);
  }
}

struct VersionId {
  OriginNumber origin = 0;
  uint64_t seq = 0;
};

// The next version's name; what it saw and left is skipped.
VersionId skip_version(ByteReader& reader, CellKind kind) {
  const uint64_t origin = reader.varint();
  const uint64_t seq = reader.varint();
  if (kind == CellKind::Quad) return {static_cast<OriginNumber>(origin / 2), seq};
  skip_content(reader);
  skip_content(reader);
  return {static_cast<OriginNumber>(origin), seq};
}

// How many versions the next component has: at least one.
uint64_t read_version_count(ByteReader& reader) {
  const uint64_t count = reader.count(2);
  if (count == 0) reader.fail();
  return count;
}

WindowVersion read_version(ByteReader& reader, const Cell& cell);
void write_version(ByteWriter& writer, CellKind kind, const WindowVersion& version);

CellContent quad_content(const Cell& cell, bool exists) {
  return exists ? CellContent{{cell.property, cell.object}} : CellContent{};
}

CellContent sorted(CellContent content) {
  std::sort(content.begin(), content.end());
  return content;
}

WindowVersion read_version(ByteReader& reader, const Cell& cell) {
  WindowVersion version;
  const uint64_t origin = reader.varint();
  version.seq = reader.varint();
  if (cell.kind == CellKind::Quad) {
    version.origin = static_cast<OriginNumber>(origin / 2);
    version.left = quad_content(cell, origin % 2 != 0);
    return version;
  }
  version.origin = static_cast<OriginNumber>(origin);
  version.saw = sorted(read_content(reader));
  version.left = sorted(read_content(reader));
  return version;
}

void write_version(ByteWriter& writer, CellKind kind, const WindowVersion& version) {
  if (kind == CellKind::Quad) {
    writer.varint(uint64_t{version.origin} * 2 + (version.left.empty() ? 0 : 1));
    writer.varint(version.seq);
    return;
  }
  writer.varint(version.origin);
  writer.varint(version.seq);
  write_content(writer, version.saw);
  write_content(writer, version.left);
}

}  // namespace

bool HistoryComponent::is_seen_by(const SeenVector& seen) const {
  return std::all_of(versions.begin(), versions.end(),
                     [&](const WindowVersion& one) { return seen.covers(one.origin, one.seq); });
}

bool HistoryComponent::has(OriginNumber origin, uint64_t seq) const {
  return std::any_of(versions.begin(), versions.end(),
                     [&](const WindowVersion& one) { return one.origin == origin && one.seq == seq; });
}

std::string cell_key(const Cell& cell) {
  std::string key;
  key.reserve(33);
  key.push_back(static_cast<char>(cell.kind));
  for (const model::TermId id : {cell.graph, cell.subject, cell.property}) store::append_big_endian(key, id.bits());
  if (cell.kind == CellKind::Quad) store::append_big_endian(key, cell.object.bits());
  return key;
}

std::string subject_prefix(CellKind kind, model::TermId graph, model::TermId subject) {
  std::string prefix(1, static_cast<char>(kind));
  for (const model::TermId id : {graph, subject}) store::append_big_endian(prefix, id.bits());
  return prefix;
}

Cell cell_of_key(std::string_view key) {
  const size_t size = key.empty() ? 0 : key.front() == 0 ? 33 : 25;
  if (key.size() != size || size == 0 || key.front() > static_cast<char>(CellKind::Record)) {
    fail_as_corrupt("log.window");
  }
  const auto id_at = [&](size_t offset) { return model::TermId(store::big_endian_at(key, offset)); };
  Cell cell{static_cast<CellKind>(key.front()), id_at(1), id_at(9), id_at(17), {}};
  if (cell.kind == CellKind::Quad) cell.object = id_at(25);
  return cell;
}

CellHistory decode_history(const Cell& cell, std::string_view row) {
  ByteReader reader(row);
  CellHistory history;
  history.base = cell.kind == CellKind::Quad ? quad_content(cell, reader.byte() != 0) : sorted(read_content(reader));
  while (reader.ok() && !reader.at_end()) {
    HistoryComponent& component = history.components.emplace_back();
    for (uint64_t left = read_version_count(reader); left > 0 && reader.ok(); --left) {
      component.versions.push_back(read_version(reader, cell));
    }
  }
  if (!reader.ok()) fail_as_corrupt("log.window");
  return history;
}

std::string empty_history(const Cell& cell, const CellContent& base) {
  std::string row;
  ByteWriter writer(row);
  if (cell.kind == CellKind::Quad) {
    writer.byte(base.empty() ? 0 : 1);
  } else {
    write_content(writer, base);
  }
  return row;
}

void append_version(std::string& row, const Cell& cell, const WindowVersion& version) {
  ByteWriter writer(row);
  writer.varint(1);
  write_version(writer, cell.kind, version);
}

std::string encode_history(const Cell& cell, const CellHistory& history) {
  std::string row = empty_history(cell, history.base);
  ByteWriter writer(row);
  for (const HistoryComponent& component : history.components) {
    writer.varint(component.versions.size());
    for (const WindowVersion& version : component.versions) write_version(writer, cell.kind, version);
  }
  return row;
}

bool has_seen_all(const SeenVector& seen, CellKind kind, std::string_view row) {
  ByteReader reader(row);
  skip_base(reader, kind);
  while (reader.ok() && !reader.at_end()) {
    for (uint64_t left = read_version_count(reader); left > 0 && reader.ok(); --left) {
      const VersionId version = skip_version(reader, kind);
      if (!seen.covers(version.origin, version.seq)) return false;
    }
  }
  if (!reader.ok()) fail_as_corrupt("log.window");
  return true;
}

bool is_only_version(CellKind kind, std::string_view row, OriginNumber origin, uint64_t seq) {
  ByteReader reader(row);
  skip_base(reader, kind);
  if (reader.varint() != 1) return false;
  const VersionId version = skip_version(reader, kind);
  if (!reader.ok()) fail_as_corrupt("log.window");
  return reader.at_end() && version.origin == origin && version.seq == seq;
}

}  // namespace quadrille::log
