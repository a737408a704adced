// A piece of a document, parsed: its statements by number of term, and its terms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/rdf_parser.h"
#include "engine/load/term_rows.h"

namespace quadrille::load {

// The default graph, in the place of a term.
inline constexpr TermNumber default_graph_number = ~TermNumber{0};

struct ParsedPiece {
  explicit ParsedPiece(uint64_t fingerprint_seed) : terms(fingerprint_seed) {}

  uint32_t document = 0;
  uint64_t line_count = 0;           // of the piece, if it is whole lines and sound
  std::optional<base::Error> error;  // behind the last statement
  TermRows terms;
  std::vector<std::array<TermNumber, 4>> quads;  // subject, predicate, object, graph
  std::vector<uint64_t> lines;                   // of the quads, from 1 in the piece; if they are wanted
};

// Gathers a parser's statements.
class PieceSink final : public io::QuadSink {
 public:
  PieceSink(ParsedPiece& piece, bool with_lines) : piece_(piece), with_lines_(with_lines) {}
  base::Result<void> add(const model::TermQuadView& quad, uint64_t line) override;

 private:
  // A term that is often the same as a few statements ago.
  struct Memory {
    TermNumber number = default_graph_number;
    model::TermKind kind = model::TermKind::Iri;
    bool is_named(const ParsedPiece& piece, const model::TermView& term) const noexcept;
  };
  TermNumber remembered(Memory& memory, const model::TermView& term);

  ParsedPiece& piece_;
  bool with_lines_;
  Memory subject_, graph_;
  std::array<Memory, 64> predicates_;
};

// N-Triples or N-Quads: parses what PieceReader gave into `out`, an empty piece. Lines, also of the error, count from 1
// in the piece.
void parse_piece(std::string_view text, bool is_start, bool with_graphs, const io::ParseOptions& options,
                 const model::BlankNodeScope& blank_nodes, bool with_lines, ParsedPiece& out);

}  // namespace quadrille::load
