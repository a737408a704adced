// As much of RDF/XML as the W3C's SPARQL suites use for data and answers: typed and described nodes, rdf:about,
// rdf:nodeID, rdf:resource, rdf:datatype, rdf:parseType="Resource", xml:lang, nested nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/blank_node_source.h"
#include "engine/model/quad.h"

namespace quadrille::test {

base::Result<std::vector<model::TermQuad>> read_rdf_xml(std::string_view document, const std::string& base_iri,
                                                        model::BlankNodeScope& blank_nodes);

}  // namespace quadrille::test
