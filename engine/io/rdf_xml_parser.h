// RDF/XML (https://www.w3.org/TR/rdf-syntax-grammar/), read by Raptor. Part of the build where Raptor is installed.
#pragma once

#include "engine/io/rdf_parser.h"

namespace quadrille::io {

// False: this build was made without Raptor, and parse_rdf_xml answers Unsupported.
bool reads_rdf_xml() noexcept;

// As parse_rdf. External entities are not fetched, from files neither from the network.
base::Result<void> parse_rdf_xml(InputStream& input, const ParseOptions& options, model::BlankNodeScope& blank_nodes,
                                 QuadSink& sink);

}  // namespace quadrille::io
