// The algebra as text, for people: tests, --explain and error reports. Not SPARQL, and not meant to be parsed.
#pragma once

#include <string>

#include "engine/sparql/algebra.h"

namespace quadrille::sparql {

// A node a line, its inputs below it and further in, each line ended by a line break:
//   Project ?name
//     Filter (?age > "18"^^<http://www.w3.org/2001/XMLSchema#integer>)
//       BasicGraphPattern
//         ?person <http://example/age> ?age
std::string to_text(const Algebra& pattern);

// On one line, but for the patterns of EXISTS.
std::string to_text(const Expression& expression);
std::string to_text(const Path& path);
std::string to_text(const PatternTerm& term);
std::string to_text(const TriplePattern& triple);
std::string to_text(const Aggregate& aggregate);

}  // namespace quadrille::sparql
