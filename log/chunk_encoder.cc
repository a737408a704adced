// Writing chunks; the format is in changeset_codec.h.
#include <unordered_map>

#include "log/bytes.h"
#include "log/changeset_codec.h"

namespace quadrille::log {
namespace {

enum class TermCode : uint8_t { Iri = 0, BlankNode = 1, String = 2, Language = 3, Typed = 4 };

class ChunkEncoder {
 public:
  explicit ChunkEncoder(const TermText& text) : text_(text) {}

  bool is_full() const noexcept { return rows_ >= chunk_operations_max || terms_.size() >= chunk_term_bytes_max; }
  void add(const QuadOperation& operation) {
    const model::Quad& quad = operation.quad;
    if (quads_ % 8 == 0) exists_.push_back(0);
    if (operation.exists) exists_.back() = static_cast<char>(exists_.back() | 1 << quads_ % 8);
    columns_[0].add(graph_place(quad.graph));
    columns_[1].add(place(quad.subject));
    columns_[2].add(place(quad.predicate));
    columns_[3].add(place(quad.object));
    ++quads_;
    ++rows_;
  }
  void add(const CellOperation& operation) {
    ByteWriter writer(cells_);
    writer.byte(static_cast<uint8_t>(operation.cell.kind));
    writer.varint(graph_place(operation.cell.graph));
    writer.varint(place(operation.cell.subject));
    writer.varint(place(operation.cell.property));
    for (const CellContent* content : {&operation.saw, &operation.left}) {
      writer.varint(content->size());
      for (const Statement& statement : *content) {
        writer.varint(place(statement.property));
        writer.varint(place(statement.object));
      }
    }
    ++rows_;
  }
  void add(const Announcement& announcement) {
    ByteWriter writer(announcements_);
    writer.byte(static_cast<uint8_t>(announcement.kind));
    writer.sized(announcement.bytes);
    ++announced_;
    ++rows_;
  }
  std::string finish() const {
    std::string bytes;
    bytes.reserve(terms_.size() + cells_.size() + quads_ * 8 + 64);
    ByteWriter writer(bytes);
    writer.byte(1);
    writer.varint(places_.size());
    writer.raw(terms_);
    writer.varint(quads_);
    writer.raw(exists_);
    for (const Column& column : columns_) writer.raw(column.bytes);
    writer.varint(rows_ - quads_ - announced_);
    writer.raw(cells_);
    writer.varint(announced_);
    writer.raw(announcements_);
    return bytes;
  }

 private:
  struct Column {
    std::string bytes;
    int64_t last = 0;
    void add(uint32_t value) {
      ByteWriter(bytes).signed_varint(int64_t{value} - last);
      last = value;
    }
  };

  uint32_t graph_place(model::TermId graph) { return graph == model::TermId::default_graph() ? 0 : place(graph); }
  uint32_t place(model::TermId id) {
    const auto [entry, is_new] = places_.try_emplace(id, static_cast<uint32_t>(places_.size() + 1));
    if (is_new) text_.append_text(id, terms_);
    return entry->second;
  }

  const TermText& text_;
  std::unordered_map<model::TermId, uint32_t> places_;
  std::string terms_;
  size_t quads_ = 0;
  size_t rows_ = 0;
  std::string exists_;
  std::array<Column, 4> columns_;
  std::string cells_;
  size_t announced_ = 0;
  std::string announcements_;
};

}  // namespace

void append_term(const model::Term& term, std::string& out) {
  ByteWriter writer(out);
  const auto write = [&](TermCode code) {
    writer.byte(static_cast<uint8_t>(code));
    writer.sized(term.text());
  };
  if (term.is_iri()) return write(TermCode::Iri);
  if (term.is_blank_node()) return write(TermCode::BlankNode);
  if (term.is_plain_string()) return write(TermCode::String);
  const bool has_language = !term.language().empty();
  write(has_language ? TermCode::Language : TermCode::Typed);
  writer.sized(has_language ? term.language() : term.datatype());
}

EncodedChunk encode_chunk(const OperationsView& rest, const TermText& terms) {
  ChunkEncoder encoder(terms);
  size_t quads = 0;
  size_t cells = 0;
  while (quads < rest.quads.size() && !encoder.is_full()) encoder.add(rest.quads[quads++]);
  while (cells < rest.cells.size() && !encoder.is_full()) encoder.add(rest.cells[cells++]);
  size_t announced = 0;
  while (announced < rest.announcements.size() && !encoder.is_full()) encoder.add(rest.announcements[announced++]);
  return {encoder.finish(), {rest.quads.first(quads), rest.cells.first(cells), rest.announcements.first(announced)}};
}

std::string encode_whole_chunk(const OperationsView& operations, const TermText& terms) {
  ChunkEncoder encoder(terms);
  for (const QuadOperation& operation : operations.quads) encoder.add(operation);
  for (const CellOperation& operation : operations.cells) encoder.add(operation);
  for (const Announcement& announcement : operations.announcements) encoder.add(announcement);
  return encoder.finish();
}

}  // namespace quadrille::log
