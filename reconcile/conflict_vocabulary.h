// Conflict records as quads of the local graph <urn:quadrille:conflicts>, for SPARQL.
//
// Prefix q: is urn:quadrille:vocabulary#
//   <urn:quadrille:conflict:ID>  a q:Conflict ;
//     q:time         when, the newest stamp of the component (xsd:dateTime, UTC, milliseconds) ;
//     q:graph        the cell's graph; none for the default graph ;
//     q:subject, q:property ;
//     q:object       of a quad cell: its object ;
//     q:chosen       each value that the cell has after the decision; none if it is left empty.
//                    Of a quad cell: the object if the quad exists ;
//     q:policy       the name of the policy that decided ;
//     q:failure      why it did not, if the fallback decided for it ;
//     q:provisional  true until the component folds; then false, and the record is the same at every site ;
//     q:candidate    each of the maximal versions:
//   <urn:quadrille:conflict:ID:N>  (N counts from 1, by stamp and origin)
//     q:site         the name of the site that wrote it ;
//     q:changeset    "SITE.INCARNATION:SEQ" ;
//     q:time         its stamp ;
//     q:left         each value that it left, as q:chosen ;
//     q:saw          each value that it had seen (not of quad cells).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/quad.h"
#include "reconcile/conflict_record.h"

namespace quadrille::reconcile {

inline constexpr std::string_view conflict_vocabulary = "urn:quadrille:vocabulary#";
inline constexpr std::string_view conflict_iri_prefix = "urn:quadrille:conflict:";

std::vector<model::TermQuad> conflict_quads(const ConflictRecord& record);

}  // namespace quadrille::reconcile
