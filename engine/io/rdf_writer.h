// Writes RDF data as a stream: N-Triples, N-Quads, Turtle, TriG.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/output_sink.h"
#include "engine/io/rdf_format.h"
#include "engine/model/quad.h"

namespace quadrille::io {

// One statement after the other, in any order, repetitions too. Turtle and TriG group what comes in a row: give quads
// sorted by graph, subject and predicate for short and readable text. Errors are the sink's, but for one: a statement
// in a named graph for a format that cannot name graphs is refused (Unsupported), not dropped.
class RdfWriter {
 public:
  virtual ~RdfWriter() = default;
  virtual base::Result<void> write(const model::TermQuad& quad) = 0;
  // To be called once, at the end; without it the document is cut off.
  virtual base::Result<void> finish() = 0;
};

// Turtle and TriG write IRIs that begin with `iri` as name:rest, where the rest is a plain name.
struct NamedPrefix {
  std::string name;  // without ':'; a PN_PREFIX of the grammar, or empty
  std::string iri;
};

// The sink must outlive the writer.
std::unique_ptr<RdfWriter> make_rdf_writer(RdfFormat format, OutputSink& sink, std::vector<NamedPrefix> prefixes = {});

}  // namespace quadrille::io
