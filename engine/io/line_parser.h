// N-Triples and N-Quads: a line a statement, no state from line to line, made to be fast.
#pragma once

#include "engine/io/rdf_parser.h"

namespace quadrille::io {

// Graphs are taken in N-Quads only; `with_graphs` says which of the two it is.
base::Result<void> parse_lines(bool with_graphs, InputStream& input, const ParseOptions& options,
                               model::BlankNodeScope& blank_nodes, QuadSink& sink);

}  // namespace quadrille::io
