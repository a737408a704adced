#include "engine/load/parsed_piece.h"

#include <utility>

#include "engine/io/line_parser.h"

namespace quadrille::load {

// Of IRIs and blank nodes: their row is a byte for the kind, and the text.
bool PieceSink::Memory::is_named(const ParsedPiece& piece, const model::TermView& term) const noexcept {
  if (number == default_graph_number) return false;
  const std::string_view row = piece.terms.row(number);
  return kind == term.kind && row.size() == term.text.size() + 1 && row.substr(1) == term.text;
}

TermNumber PieceSink::remembered(Memory& memory, const model::TermView& term) {
  if (!memory.is_named(piece_, term)) memory = {piece_.terms.number_of(term), term.kind};
  return memory.number;
}

base::Result<void> PieceSink::add(const model::TermQuadView& quad, uint64_t line) {
  const std::string_view predicate = quad.predicate.text;
  const size_t place = (predicate.size() * 7 + static_cast<unsigned char>(predicate.back()) +
                        static_cast<unsigned char>(predicate[predicate.size() / 2]) * 3) %
                       predicates_.size();
  piece_.quads.push_back({remembered(subject_, quad.subject), remembered(predicates_[place], quad.predicate),
                          piece_.terms.number_of(quad.object),
                          quad.graph ? remembered(graph_, *quad.graph) : default_graph_number});
  if (with_lines_) piece_.lines.push_back(line);
  return {};
}

void parse_piece(std::string_view text, bool is_start, bool with_graphs, const io::ParseOptions& options,
                 const model::BlankNodeScope& blank_nodes, bool with_lines, ParsedPiece& out) {
  out.terms.reserve_for(text.size());
  out.quads.reserve(text.size() / 128);
  PieceSink sink(out, with_lines);
  const auto parsed = io::parse_line_piece(with_graphs, text, is_start, options, blank_nodes, sink);
  if (parsed.ok()) {
    out.line_count = *parsed;
  } else {
    out.error = parsed.error();
  }
  out.terms.seal();
}

}  // namespace quadrille::load
