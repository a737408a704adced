// The bytes of a changeset, as it travels and as its hash is taken. Format 1.
//
// Header: origin (name sized, incarnation 8 bytes little-endian), seq, stamp (physical signed, counter), number of
// dependencies and each as origin and seq in the order of origins, assignment (0 for that of `init`; else 1, a stamp,
// an origin), operation_count, chunk_count; then, not part of what is hashed, 16 bytes of hash. All integers are
// varints (bytes.h) unless said otherwise.
//
// Chunk: the byte 1 (the format); number of terms, and each as a kind byte (0 IRI, 1 blank node, 2 string, 3 literal
// with language, 4 typed literal), its text, sized, and for the last two the language or datatype, sized; number of
// quad operations, then five columns: exists (bits, 8 a byte, lowest first), graph, subject, predicate, object; number
// of cell operations, and each as kind byte, graph, subject, property, number of statements seen, each as property
// and object, the same for those left; number of announcements (one at most), and each as kind byte and bytes, sized. A
// term is its place in the chunk's table, counted from 1; graph 0 is the default graph. Columns hold differences from
// the row above, signed. Terms stand in the order in which rows first name them (a quad: graph, subject, predicate,
// object), each once.
//
// One changeset has one encoding: everything that could be written two ways is refused when it is read. So a site
// that took in a changeset, and kept it in ids of its own, gives the same bytes again.
//
// Reading is safe on hostile bytes: no count is believed before the bytes for it are there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/quad_source.h"
#include "engine/model/term.h"
#include "log/bytes.h"
#include "log/changeset.h"

namespace quadrille::log {

inline constexpr size_t chunk_operations_max = 4096;
inline constexpr size_t announcements_max = 1;  // of a changeset, for each would have its number
inline constexpr size_t announcement_bytes_max = size_t{1} << 20;
inline constexpr size_t chunk_term_bytes_max = size_t{1} << 20;  // a new chunk begins once there are more

std::string encode_header(const ChangesetHeader& header);
// InvalidInput unless `bytes` are exactly one header.
base::Result<ChangesetHeader> decode_header(std::string_view bytes);

// The hash chain. Chunks first, in order, as they are made or read; then the header.
class ChangesetHasher {
 public:
  ChangesetHasher();
  ~ChangesetHasher();
  ChangesetHasher(const ChangesetHasher& other);
  ChangesetHasher& operator=(const ChangesetHasher&) = delete;
  void add_chunk(std::string_view chunk);
  // The header's own hash does not count. `previous`: the hash of the origin's changeset before; zeros before the
  // first. More chunks may follow, and another finish.
  ChangesetHash finish(const ChangesetHash& previous, const ChangesetHeader& header) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Where an encoder finds the text of an id.
class TermText {
 public:
  virtual ~TermText() = default;
  // Appends the term as chunks have it (append_term).
  virtual void append_text(model::TermId id, std::string& out) const = 0;
};
void append_term(const model::Term& term, std::string& out);
// Nothing for bytes that append_term does not write.
std::optional<model::Term> read_term(ByteReader& reader);

// The text of ids of a store.
class SourceTermText final : public TermText {
 public:
  explicit SourceTermText(const model::QuadSource& source) : source_(source) {}
  void append_text(model::TermId id, std::string& out) const override { append_term(source_.get_term(id), out); }

 private:
  const model::QuadSource& source_;
};

// Part of a changeset's operations: what stands in one chunk.
struct OperationsView {
  std::span<const QuadOperation> quads;
  std::span<const CellOperation> cells;
  std::span<const Announcement> announcements = {};

  size_t size() const noexcept { return quads.size() + cells.size() + announcements.size(); }
};

struct EncodedChunk {
  std::string bytes;
  OperationsView taken;
};

// Encodes the first operations of `rest`, as many as one chunk takes (at least one; all if they fit).
EncodedChunk encode_chunk(const OperationsView& rest, const TermText& terms);
// Encodes all of them: a chunk that was decoded or encoded before.
std::string encode_whole_chunk(const OperationsView& operations, const TermText& terms);

// A chunk as it stands: rows of places in its own table of terms.
struct DecodedChunk {
  struct QuadRow {
    uint32_t graph = 0;  // 0: the default graph; else, and below, 1 + index in `terms`
    uint32_t subject = 0;
    uint32_t predicate = 0;
    uint32_t object = 0;
    bool exists = false;
  };
  using StatementRow = std::pair<uint32_t, uint32_t>;  // property, object
  struct CellRow {
    CellKind kind = CellKind::Value;
    uint32_t graph = 0;
    uint32_t subject = 0;
    uint32_t property = 0;
    std::vector<StatementRow> saw;
    std::vector<StatementRow> left;
  };
  std::vector<model::Term> terms;
  std::vector<QuadRow> quads;
  std::vector<CellRow> cells;
  std::vector<Announcement> announcements;
};
base::Result<DecodedChunk> decode_chunk(std::string_view bytes);

// The rows with ids of a store for the chunk's terms (as intern_all gives them). Statements stay in the order in which
// they came. InvalidInput if two of the terms are one.
base::Result<Operations> with_ids(const DecodedChunk& chunk, std::span<const model::TermId> ids);

}  // namespace quadrille::log
