// The quads of a site as a document.
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/io/output_sink.h"
#include "engine/io/rdf_format.h"
#include "engine/model/term.h"
#include "reconcile/site_store.h"

namespace quadrille::replica {

// Which graphs a request speaks of.
struct GraphChoice {
  enum class Kind : uint8_t { All, Default, One };
  Kind kind = Kind::All;
  std::optional<model::Term> graph;  // One
};

// Writes the quads, sorted by graph; local graphs are left out. Of one graph: as triples, without its name, in a format
// that cannot name it. All graphs in such a format: refused if there is a named graph.
base::Result<void> write_dump(const reconcile::SiteSnapshot& snapshot, const GraphChoice& choice, io::RdfFormat format,
                              io::OutputSink& sink);

}  // namespace quadrille::replica
