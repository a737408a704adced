// N-Triples and N-Quads: a line a statement, no state from line to line, made to be fast.
#pragma once

#include <string_view>

#include "engine/io/rdf_parser.h"

namespace quadrille::io {

// Graphs are taken in N-Quads only; `with_graphs` says which of the two it is.
base::Result<void> parse_lines(bool with_graphs, InputStream& input, const ParseOptions& options,
                               model::BlankNodeScope& blank_nodes, QuadSink& sink);

// A piece of a document, cut behind a line feed or at its end: several pieces may be parsed at the same time, each with
// a sink of its own. Lines count from 1 in the piece, in the sink and in errors. A byte order mark is passed over if
// `is_start`. Where the bytes are not UTF-8, the lines before them are parsed first. Returns how many lines there were.
base::Result<uint64_t> parse_line_piece(bool with_graphs, std::string_view piece, bool is_start,
                                        const ParseOptions& options, const model::BlankNodeScope& blank_nodes,
                                        QuadSink& sink);

}  // namespace quadrille::io
