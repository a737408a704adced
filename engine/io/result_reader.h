// Reads SPARQL answers, as the command line needs to show what a server sent.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/io/result_set.h"

namespace quadrille::io {

// application/sparql-results+json, whole in memory. Takes what is outside of the specification (other members) and
// leaves it out; the old "typed-literal" is a literal. An error says where in the document, and what was expected.
base::Result<ResultSet> read_json_results(std::string_view document);

}  // namespace quadrille::io
