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

struct ComponentHead {
  uint64_t versions = 0;
  bool has_departed = false;
};

ComponentHead read_head(ByteReader& reader) {
  const uint64_t head = reader.varint();
  if (head < 2) reader.fail();
  return {head / 2, head % 2 != 0};
}

DepartedVersions read_departed(ByteReader& reader) {
  const uint64_t origin = reader.varint();
  return {static_cast<OriginNumber>(origin), reader.varint()};
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

void HistoryComponent::add_departed(OriginNumber origin, uint64_t seq) {
  const auto place = std::lower_bound(departed.begin(), departed.end(), origin,
                                      [](const DepartedVersions& one, OriginNumber of) { return one.origin < of; });
  if (place != departed.end() && place->origin == origin) {
    place->seq = std::max(place->seq, seq);
  } else {
    departed.insert(place, {origin, seq});
  }
}

bool HistoryComponent::is_seen_by(const SeenVector& seen) const {
  const auto is_covered = [&](const auto& one) { return seen.covers(one.origin, one.seq); };
  return std::all_of(departed.begin(), departed.end(), is_covered) &&
         std::all_of(versions.begin(), versions.end(), is_covered);
}

std::string cell_key(const Cell& cell) {
  std::string key;
  key.reserve(33);
  key.push_back(static_cast<char>(cell.kind));
  for (const model::TermId id : {cell.graph, cell.subject, cell.property}) store::append_big_endian(key, id.bits());
  if (cell.kind == CellKind::Quad) store::append_big_endian(key, cell.object.bits());
  return key;
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
    const ComponentHead head = read_head(reader);
    for (uint64_t left = head.has_departed ? reader.count(2) : 0; left > 0 && reader.ok(); --left) {
      component.departed.push_back(read_departed(reader));
    }
    for (uint64_t left = head.versions; left > 0 && reader.ok(); --left) {
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
  writer.varint(2);
  write_version(writer, cell.kind, version);
}

std::string encode_history(const Cell& cell, const CellHistory& history) {
  std::string row = empty_history(cell, history.base);
  ByteWriter writer(row);
  for (const HistoryComponent& component : history.components) {
    writer.varint(component.versions.size() * 2 + (component.departed.empty() ? 0 : 1));
    if (!component.departed.empty()) writer.varint(component.departed.size());
    for (const DepartedVersions& departed : component.departed) {
      writer.varint(departed.origin);
      writer.varint(departed.seq);
    }
    for (const WindowVersion& version : component.versions) write_version(writer, cell.kind, version);
  }
  return row;
}

bool has_seen_all(const SeenVector& seen, CellKind kind, std::string_view row) {
  ByteReader reader(row);
  skip_base(reader, kind);
  while (reader.ok() && !reader.at_end()) {
    const ComponentHead head = read_head(reader);
    for (uint64_t left = head.has_departed ? reader.count(2) : 0; left > 0 && reader.ok(); --left) {
      const DepartedVersions departed = read_departed(reader);
      if (!seen.covers(departed.origin, departed.seq)) return false;
    }
    for (uint64_t left = head.versions; left > 0 && reader.ok(); --left) {
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
  if (reader.varint() != 2) return false;
  const VersionId version = skip_version(reader, kind);
  if (!reader.ok()) fail_as_corrupt("log.window");
  return reader.at_end() && version.origin == origin && version.seq == seq;
}

}  // namespace quadrille::log
