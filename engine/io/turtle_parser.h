// Turtle and TriG: the structure of a document above its terms.
#pragma once

#include "engine/io/rdf_parser.h"

namespace quadrille::io {

// Graphs are taken in TriG only; `with_graphs` says which of the two it is.
base::Result<void> parse_turtle(bool with_graphs, InputStream& input, const ParseOptions& options,
                                model::BlankNodeScope& blank_nodes, QuadSink& sink);

}  // namespace quadrille::io
