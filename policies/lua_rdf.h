// What Lua cannot do itself: values of RDF.
//
//   rdf.compare(a, b)        -1, 0 or 1 in the one total order over all terms (engine/model/term_order.h); 0: the same
//   term rdf.add(a, b)            the sum of two numbers of any size, exact for integers and decimals
//   (engine/model/value.h); rdf.subtract(a, b)       nil where one is no number rdf.integer(term)        Lua's integer
//   for a literal of that value, nil where there is none rdf.iri(text)            a term rdf.literal(text, datatype or
//   nil, language or nil)   a term: xsd:string where nothing is said
#pragma once

#include <lua.hpp>

namespace quadrille::policies {

// Puts these functions into the table on top of the stack.
void add_lua_rdf(lua_State* state);

}  // namespace quadrille::policies
