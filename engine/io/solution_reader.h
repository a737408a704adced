// Reads the answer of a stranger to a SELECT, a solution at a time, so that only its text is ever whole in memory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"
#include "engine/model/term.h"

namespace quadrille::io {

class SolutionSink {
 public:
  using Solution = std::span<const std::pair<std::string, model::Term>>;  // variables without '?', and their values
  virtual ~SolutionSink() = default;
  // An error ends the reading, and is its result. May throw: that comes out of the reader too.
  virtual base::Result<void> add(Solution solution) = 0;
};

// application/sparql-results+json and application/sparql-results+xml. Terms are checked: absolute IRIs without what may
// not stand in one, language tags that are some. Blank nodes have the labels of the answer. Members and elements
// outside of the specification are passed over, as is the head: a variable that it does not name is told all the same.
// The answer to an ASK, and anything else, is InvalidInput: which solution, and what was expected.
base::Result<void> read_json_solutions(std::string_view document, SolutionSink& sink);
base::Result<void> read_xml_solutions(std::string_view document, SolutionSink& sink);

}  // namespace quadrille::io
