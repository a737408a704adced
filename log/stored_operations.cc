#include "log/stored_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/store/column_codec.h"

namespace quadrille::log {
namespace {

constexpr std::array<model::TermId model::Quad::*, 2> columns = {&model::Quad::graph, &model::Quad::subject};

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

void write_quads(ByteWriter& writer, std::span<const QuadOperation> quads, std::string& bytes) {
  writer.varint(quads.size());
  if (quads.empty()) return;
  write_existence(writer, quads);
  std::vector<uint64_t> ids(quads.size());
  std::vector<uint64_t> predicates(quads.size());
  for (size_t i = 0; i < quads.size(); ++i) predicates[i] = quads[i].quad.predicate.bits();
  for (const auto column : columns) {
    for (size_t i = 0; i < quads.size(); ++i) ids[i] = (quads[i].quad.*column).bits();
    store::encode_column(ids, bytes);
  }
  store::encode_column(predicates, bytes);
  for (size_t i = 0; i < quads.size(); ++i) ids[i] = quads[i].quad.object.bits();
  store::encode_grouped_column(predicates, ids, bytes);
}

std::vector<QuadOperation> read_quads(ByteReader& reader) {
  const uint64_t count = reader.varint();
  if (count > store::column_rows_max) reader.fail();
  std::vector<QuadOperation> quads(reader.ok() ? count : 0);
  if (quads.empty()) return quads;
  read_existence(reader, quads);
  std::string_view rest = reader.raw(reader.remaining());
  std::vector<uint64_t> ids(count);
  std::vector<uint64_t> predicates(count);
  bool is_sound = reader.ok();
  for (const auto column : columns) {
    is_sound = is_sound && store::decode_column(rest, ids);
    for (size_t i = 0; i < count; ++i) quads[i].quad.*column = model::TermId(ids[i]);
  }
  is_sound = is_sound && store::decode_column(rest, predicates) && store::decode_grouped_column(predicates, rest, ids);
  for (size_t i = 0; i < count; ++i) {
    quads[i].quad.predicate = model::TermId(predicates[i]);
    quads[i].quad.object = model::TermId(ids[i]);
  }
  reader = ByteReader(rest);
  if (!is_sound) reader.fail();
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
  if (!reader.ok() || !reader.at_end()) fail_as_corrupt("log.operations");
  return operations;
}

}  // namespace quadrille::log
