// Reading chunks, which may be hostile; the format is in changeset_codec.h.
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/vocabulary.h"
#include "log/bytes.h"
#include "log/changeset_codec.h"

namespace quadrille::log {
namespace {

class ChunkDecoder {
 public:
  explicit ChunkDecoder(std::string_view bytes) : reader_(bytes) {}

  // Empty, or what is wrong.
  std::string read(DecodedChunk& chunk) {
    if (reader_.byte() != 1) return "is of another format than 1";
    if (!read_terms(chunk) || !read_quads(chunk) || !read_cells(chunk) || !read_announcements(chunk))
      return "is cut off or malformed";
    if (!reader_.ok() || !reader_.at_end()) return "is cut off or has bytes after its end";
    const size_t rows = chunk.quads.size() + chunk.cells.size() + chunk.announcements.size();
    if (rows == 0 || rows > chunk_operations_max) {
      return fmt::format("has {} operations; expected 1 to {}", rows, chunk_operations_max);
    }
    if (!check_places(chunk)) return "names its terms in another order than that of its rows, or of a wrong kind";
    return {};
  }

 private:
  bool read_terms(DecodedChunk& chunk) {
    const uint64_t count = reader_.count(2);
    chunk.terms.reserve(count);
    for (uint64_t i = 0; i < count && reader_.ok(); ++i) {
      std::optional<model::Term> term = read_term(reader_);
      if (!term) return false;
      chunk.terms.push_back(std::move(*term));
    }
    return reader_.ok();
  }

  bool read_quads(DecodedChunk& chunk) {
    const uint64_t count = reader_.count(4);
    if (count > chunk_operations_max) return false;
    chunk.quads.resize(count);
    const std::string_view bits = reader_.raw((count + 7) / 8);
    if (!reader_.ok()) return false;
    for (size_t i = 0; i < bits.size() * 8; ++i) {
      const bool bit = (static_cast<uint8_t>(bits[i / 8]) >> i % 8 & 1) != 0;
      if (i < count)
        chunk.quads[i].exists = bit;
      else if (bit)
        return false;
    }
    using Row = DecodedChunk::QuadRow;
    for (uint32_t Row::*column : {&Row::graph, &Row::subject, &Row::predicate, &Row::object}) {
      int64_t value = 0;
      for (Row& row : chunk.quads) {
        const int64_t step = reader_.signed_varint();
        if (step > INT32_MAX || step < INT32_MIN) return false;
        value += step;
        if (value < 0 || value > INT32_MAX) return false;
        row.*column = static_cast<uint32_t>(value);
      }
    }
    return reader_.ok();
  }

  bool read_cells(DecodedChunk& chunk) {
    const uint64_t count = reader_.count(6);
    if (count > chunk_operations_max) return false;
    chunk.cells.resize(count);
    for (DecodedChunk::CellRow& row : chunk.cells) {
      const uint8_t kind = reader_.byte();
      if (kind != static_cast<uint8_t>(CellKind::Value) && kind != static_cast<uint8_t>(CellKind::Record)) return false;
      row.kind = static_cast<CellKind>(kind);
      row.graph = read_place();
      row.subject = read_place();
      row.property = read_place();
      if (!read_content(row.saw) || !read_content(row.left)) return false;
    }
    return reader_.ok();
  }

  bool read_announcements(DecodedChunk& chunk) {
    uint64_t left = reader_.count(2);
    if (left > announcements_max) return false;
    for (; left > 0 && reader_.ok(); --left) {
      const auto kind = static_cast<AnnouncementKind>(reader_.byte());
      if (kind != AnnouncementKind::Assignment && kind != AnnouncementKind::Membership) return false;
      const std::string_view bytes = reader_.sized();
      if (bytes.size() > announcement_bytes_max) return false;
      chunk.announcements.push_back({kind, std::string(bytes)});
    }
    return reader_.ok();
  }

  bool read_content(std::vector<DecodedChunk::StatementRow>& content) {
    content.resize(reader_.count(2));
    for (auto& [property, object] : content) {
      property = read_place();
      object = read_place();
    }
    std::vector<DecodedChunk::StatementRow> sorted = content;
    std::sort(sorted.begin(), sorted.end());
    return reader_.ok() && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  }

  uint32_t read_place() {
    const uint64_t place = reader_.varint();
    if (place > INT32_MAX) reader_.fail();
    return reader_.ok() ? static_cast<uint32_t>(place) : 0;
  }

  // Walks the rows as the encoder does: each new term is the next of the table, and of a kind that may stand there.
  bool check_places(const DecodedChunk& chunk) const {
    size_t known = 0;
    enum class May { BeIri, BeNode, BeAnything };
    const auto names = [&](uint32_t place, May may) {
      if (place == 0 || place > known + 1 || place > chunk.terms.size()) return false;
      known = std::max<size_t>(known, place);
      const model::Term& term = chunk.terms[place - 1];
      return term.is_iri() || (may == May::BeNode && term.is_blank_node()) || may == May::BeAnything;
    };
    for (const auto& row : chunk.quads) {
      if (row.graph != 0 && !names(row.graph, May::BeNode)) return false;
      if (!names(row.subject, May::BeNode) || !names(row.predicate, May::BeIri)) return false;
      if (!names(row.object, May::BeAnything)) return false;
    }
    for (const auto& row : chunk.cells) {
      if (row.graph != 0 && !names(row.graph, May::BeNode)) return false;
      if (!names(row.subject, May::BeNode) || !names(row.property, May::BeIri)) return false;
      for (const auto* content : {&row.saw, &row.left}) {
        for (const auto& [property, object] : *content) {
          if (!names(property, May::BeIri) || !names(object, May::BeAnything)) return false;
        }
      }
    }
    return known == chunk.terms.size();
  }

  ByteReader reader_;
};

CellContent with_ids(const std::vector<DecodedChunk::StatementRow>& rows, std::span<const model::TermId> ids) {
  CellContent content;
  content.reserve(rows.size());
  for (const auto& [property, object] : rows) content.push_back({ids[property - 1], ids[object - 1]});
  return content;
}

}  // namespace

std::optional<model::Term> read_term(ByteReader& reader) {
  const uint8_t code = reader.byte();
  std::string text(reader.sized());
  std::string qualifier(code >= 3 ? reader.sized() : std::string_view());
  switch (code) {
    case 0: return model::Term::iri(std::move(text));
    case 1: return model::Term::blank_node(std::move(text));
    case 2: return model::Term::literal(std::move(text));
    case 3: {
      // Only what append_term writes: tags are kept in lower case.
      model::Term term = model::Term::language_literal(std::move(text), qualifier);
      if (qualifier.empty() || term.language() != qualifier) return std::nullopt;
      return term;
    }
    case 4: {
      model::Term term = model::Term::typed_literal(std::move(text), qualifier);
      if (term.is_plain_string() || !term.language().empty() || term.datatype() != qualifier) return std::nullopt;
      return term;
    }
    default: return std::nullopt;
  }
}

base::Result<DecodedChunk> decode_chunk(std::string_view bytes) {
  DecodedChunk chunk;
  const std::string trouble = ChunkDecoder(bytes).read(chunk);
  if (trouble.empty()) return chunk;
  return base::Error{base::ErrorKind::InvalidInput, "a chunk of a changeset " + trouble, {}};
}

base::Result<Operations> with_ids(const DecodedChunk& chunk, std::span<const model::TermId> ids) {
  QUADRILLE_CHECK(ids.size() == chunk.terms.size(), "a chunk needs an id for each of its terms");
  std::vector<model::TermId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return base::Error{base::ErrorKind::InvalidInput, "a chunk of a changeset names one term twice in its table", {}};
  }
  const auto graph_of = [&](uint32_t place) { return place == 0 ? model::TermId::default_graph() : ids[place - 1]; };
  Operations operations;
  operations.quads.reserve(chunk.quads.size());
  for (const auto& row : chunk.quads) {
    operations.quads.push_back(
        {{ids[row.subject - 1], ids[row.predicate - 1], ids[row.object - 1], graph_of(row.graph)}, row.exists});
  }
  operations.cells.reserve(chunk.cells.size());
  for (const auto& row : chunk.cells) {
    const Cell cell{row.kind, graph_of(row.graph), ids[row.subject - 1], ids[row.property - 1], {}};
    operations.cells.push_back({cell, with_ids(row.saw, ids), with_ids(row.left, ids)});
  }
  operations.announcements = chunk.announcements;
  return operations;
}

}  // namespace quadrille::log
