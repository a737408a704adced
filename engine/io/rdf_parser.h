// Parses RDF 1.1 data as a stream: N-Triples, N-Quads, Turtle, TriG, and RDF/XML where the build has it.
//
// What is accepted: the grammars of the four recommendations, in UTF-8; a byte order mark at the start; any line end.
// What is refused, with line, column, what was found and what was expected: anything else. In particular bytes that are
// not UTF-8, \u escapes of surrogates, IRIs that are not absolute after resolution or hold forbidden characters.
//
// Memory does not depend on the size of the input, but for prefixes, and for the blank node labels of the scope.
// Hostile input meets limits (ParseOptions), never a stack overflow. A parser belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/input_stream.h"
#include "engine/io/rdf_format.h"
#include "engine/model/blank_node_source.h"
#include "engine/model/quad.h"
#include "engine/model/term_view.h"

namespace quadrille::io {

// Takes the statements of a document, in order, with repetitions if it has them.
class QuadSink {
 public:
  virtual ~QuadSink() = default;
  // The view is valid during the call only. `line` is where the statement's object ends, from 1.
  // An error stops the parser, and is what it returns; it gets this line as its position if it has none.
  virtual base::Result<void> add(const model::TermQuadView& quad, uint64_t line) = 0;
};

struct ParseOptions {
  // Relative IRIs of Turtle and TriG are resolved against it. Empty: they are errors until the document sets a base.
  std::string base_iri;
  // The graph of statements that name none. Nothing: the default graph.
  std::optional<model::Term> graph;
  // The longest line of N-Triples and N-Quads, and the longest term of Turtle and TriG, in bytes.
  size_t term_size_max = size_t{256} << 20;
  // How deep [ ] and ( ) may nest in Turtle and TriG. Each level takes up to 2 KiB of the thread's stack (more in debug
  // builds); people write a handful.
  unsigned nesting_max = 1000;
};

// Reads all of `input`. On an error the sink has got what came before it: undoing that is the caller's.
// Requires that base_iri, if not empty, is absolute.
base::Result<void> parse_rdf(RdfFormat format, InputStream& input, const ParseOptions& options,
                             model::BlankNodeScope& blank_nodes, QuadSink& sink);

// A whole small document.
base::Result<std::vector<model::TermQuad>> parse_rdf_text(RdfFormat format, std::string_view text,
                                                          const ParseOptions& options,
                                                          model::BlankNodeScope& blank_nodes);

}  // namespace quadrille::io
