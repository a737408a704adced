// Whether two graphs, datasets or answers are the same but for the labels of blank nodes.
// https://www.w3.org/TR/rdf11-concepts/#graph-isomorphism
#pragma once

#include <span>

#include "engine/io/result_set.h"
#include "engine/model/quad.h"

namespace quadrille::test {

// Repetitions do not count.
bool are_isomorphic(std::span<const model::TermQuad> a, std::span<const model::TermQuad> b);

// The same variables in any order, the same rows as often; in the same order if `ordered`. Blank nodes of the two
// answers may have different labels.
bool are_same_results(const io::ResultSet& a, const io::ResultSet& b, bool ordered);

}  // namespace quadrille::test
