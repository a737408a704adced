#include "log/stored_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/store/column_codec.h"
#include "engine/store/grouped_column.h"

namespace quadrille::log {
namespace {

enum Existence : uint8_t { None = 0, All = 1, Some = 2 };

void write_existence(ByteWriter& writer, std::span<const QuadOperation> quads) {
  const auto count = std::count_if(quads.begin(), quads.end(), [](const QuadOperation& one) { return one.exists; });
  if (count == 0) return writer.byte(None);
  if (static_cast<size_t>(count) == quads.size()) return writer.byte(All);
  writer.byte(Some);
  for (size_t i = 0; i < quads.size(); i += 8) {
    uint8_t bits = 0;
    for (size_t k = i; k < std::min(i + 8, quads.size()); ++k) {
      bits = static_cast<uint8_t>(bits | (quads[k].exists ? 1u : 0u) << (k - i));
    }
    writer.byte(bits);
  }
}

void read_existence(ByteReader& reader, std::span<QuadOperation> quads) {
  const uint8_t existence = reader.byte();
  if (existence > Some) return reader.fail();
  const std::string_view bits = reader.raw(existence == Some ? (quads.size() + 7) / 8 : 0);
  if (!reader.ok()) return;
  for (size_t i = 0; i < quads.size(); ++i) {
    quads[i].exists = existence == Some ? (static_cast<uint8_t>(bits[i / 8]) >> i % 8 & 1) != 0 : existence == All;
  }
}

using Column = std::vector<uint64_t>;

Column column_of(std::span<const QuadOperation> quads, model::TermId model::Quad::*part) {
  Column ids(quads.size());
  for (size_t i = 0; i < quads.size(); ++i) ids[i] = (quads[i].quad.*part).bits();
  return ids;
}

void write_columns(ByteWriter& writer, std::span<const QuadOperation> quads, std::string& bytes) {
  store::encode_column(column_of(quads, &model::Quad::graph), bytes);
  store::encode_column(column_of(quads, &model::Quad::subject), bytes);
  const Column predicates = column_of(quads, &model::Quad::predicate);
  std::string keys;
  store::encode_column(predicates, keys);
  writer.raw(keys);
  std::string objects;
  store::encode_grouped_column(predicates, keys, column_of(quads, &model::Quad::object), objects);
  writer.sized(objects);
}

// False: they are damaged.
bool read_columns(ByteReader& reader, std::span<QuadOperation> quads) {
  std::string_view rest = reader.raw(reader.remaining());
  Column ids(quads.size());
  std::string_view keys;
  for (const auto part : {&model::Quad::graph, &model::Quad::subject, &model::Quad::predicate}) {
    keys = rest;
    if (!store::decode_column(rest, ids)) return false;
    for (size_t i = 0; i < quads.size(); ++i) quads[i].quad.*part = model::TermId(ids[i]);
  }
  keys.remove_suffix(rest.size());
  reader = ByteReader(rest);
  const std::string_view objects = reader.sized();
  if (!reader.ok() || !store::decode_grouped_column(keys, objects, ids)) return false;
  for (size_t i = 0; i < quads.size(); ++i) quads[i].quad.object = model::TermId(ids[i]);
  return true;
}

void write_quads(ByteWriter& writer, std::span<const QuadOperation> quads, std::string& bytes) {
  writer.varint(quads.size());
  if (!quads.empty()) write_existence(writer, quads);
  for (size_t from = 0; from < quads.size(); from += store::column_rows_max) {
    write_columns(writer, quads.subspan(from, std::min(store::column_rows_max, quads.size() - from)), bytes);
  }
}

std::vector<QuadOperation> read_quads(ByteReader& reader) {
  const uint64_t count = reader.varint();
  if (count > chunk_operations_max) reader.fail();
  std::vector<QuadOperation> quads(reader.ok() ? count : 0);
  if (!quads.empty()) read_existence(reader, quads);
  for (size_t from = 0; from < quads.size() && reader.ok(); from += store::column_rows_max) {
    const auto part = std::span(quads).subspan(from, std::min(store::column_rows_max, quads.size() - from));
    if (!read_columns(reader, part)) reader.fail();
  }
  return quads;
}

}  // namespace

void fail_as_corrupt(std::string_view table) {
  throw base::StorageError(
      {base::ErrorKind::Corruption, fmt::format("table {}: a row is not what was written there", table), {}});
}

void write_content(ByteWriter& writer, const CellContent& content) {
  writer.varint(content.size());
  for (const Statement& statement : content) {
    writer.fixed64(statement.property.bits());
    writer.fixed64(statement.object.bits());
  }
}

CellContent read_content(ByteReader& reader) {
  CellContent content(reader.count(16));
  for (Statement& statement : content) {
    statement.property = model::TermId(reader.fixed64());
    statement.object = model::TermId(reader.fixed64());
  }
  return content;
}

std::string encode_stored(const OperationsView& operations) {
  std::string bytes;
  ByteWriter writer(bytes);
  write_quads(writer, operations.quads, bytes);
  writer.varint(operations.cells.size());
  for (const CellOperation& operation : operations.cells) {
    writer.byte(static_cast<uint8_t>(operation.cell.kind));
    for (const model::TermId id : {operation.cell.graph, operation.cell.subject, operation.cell.property}) {
      writer.fixed64(id.bits());
    }
    write_content(writer, operation.saw);
    write_content(writer, operation.left);
  }
  for (const Announcement& announcement : operations.announcements) {
    writer.byte(static_cast<uint8_t>(announcement.kind));
    writer.sized(announcement.bytes);
  }
  return bytes;
}

Operations decode_stored(std::string_view bytes) {
  ByteReader reader(bytes);
  Operations operations;
  operations.quads = read_quads(reader);
  operations.cells.resize(reader.count(27));
  for (CellOperation& operation : operations.cells) {
    operation.cell.kind = static_cast<CellKind>(reader.byte());
    operation.cell.graph = model::TermId(reader.fixed64());
    operation.cell.subject = model::TermId(reader.fixed64());
    operation.cell.property = model::TermId(reader.fixed64());
    operation.saw = read_content(reader);
    operation.left = read_content(reader);
  }
  while (reader.ok() && !reader.at_end()) {
    const auto kind = static_cast<AnnouncementKind>(reader.byte());
    operations.announcements.push_back({kind, std::string(reader.sized())});
  }
  if (!reader.ok()) fail_as_corrupt("log.operations");
  return operations;
}

}  // namespace quadrille::log
