#include "log/stored_operations.h"

#include <fmt/format.h>

namespace quadrille::log {
namespace {

constexpr std::array<model::TermId model::Quad::*, 4> columns = {&model::Quad::graph, &model::Quad::subject,
                                                                 &model::Quad::predicate, &model::Quad::object};

void write_quads(ByteWriter& writer, std::span<const QuadOperation> quads) {
  writer.varint(quads.size());
  for (size_t i = 0; i < quads.size(); i += 8) {
    uint8_t bits = 0;
    for (size_t k = i; k < std::min(i + 8, quads.size()); ++k) {
      bits = static_cast<uint8_t>(bits | (quads[k].exists ? 1u : 0u) << (k - i));
    }
    writer.byte(bits);
  }
  for (const auto column : columns) {
    uint64_t last = 0;
    for (const QuadOperation& operation : quads) {
      const uint64_t value = (operation.quad.*column).bits();
      writer.signed_varint(static_cast<int64_t>(value - last));
      last = value;
    }
  }
}

std::vector<QuadOperation> read_quads(ByteReader& reader) {
  std::vector<QuadOperation> quads(reader.count(4));
  const std::string_view bits = reader.raw((quads.size() + 7) / 8);
  for (size_t i = 0; i < quads.size() && reader.ok(); ++i) {
    quads[i].exists = (static_cast<uint8_t>(bits[i / 8]) >> i % 8 & 1) != 0;
  }
  for (const auto column : columns) {
    uint64_t value = 0;
    for (QuadOperation& operation : quads) {
      value += static_cast<uint64_t>(reader.signed_varint());
      operation.quad.*column = model::TermId(value);
    }
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
  write_quads(writer, operations.quads);
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
