// SPARQL 1.1 Query and Update, from text to algebra. https://www.w3.org/TR/sparql11-query/#sparqlGrammar
//
// Pure functions, callable from any thread. An Error carries the position and says what was found and what could stand
// there. Nesting deeper than `max_nesting` is an error, never a crash.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/sparql/algebra.h"

namespace quadrille::sparql {

// So that the deepest query that is accepted is parsed, planned, run and printed on a stack of 1 MiB (most take 2 KiB a
// level). A thread has 8 MiB, unless `ulimit -s` says otherwise.
inline constexpr int max_nesting = 400;

// `base_iri` resolves relative IRIs before any BASE; empty: relative IRIs are errors.
base::Result<Query> parse_query(std::string_view text, std::string_view base_iri = {});
base::Result<Update> parse_update(std::string_view text, std::string_view base_iri = {});

}  // namespace quadrille::sparql
