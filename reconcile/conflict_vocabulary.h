// Conflict records as quads of the local graph <urn:quadrille:conflicts>, for SPARQL.
//
// Prefix q: is urn:quadrille:vocabulary#, prov: is http://www.w3.org/ns/prov# (W3C PROV-O)
//   <urn:quadrille:conflict:ID>  a q:Conflict ;
//     q:time         when, the newest stamp of the component (xsd:dateTime, UTC, milliseconds) ;
//     q:graph        the cell's graph; none for the default graph ;
//     q:subject, q:property  (of a record cell: the IRI that names the group) ;
//     q:object       of a quad cell: its object ;
//     q:chosen       each value that the cell has after the decision; none if it is left empty.
//                    Of a quad cell: the object if the quad exists ;
//     q:policy       the policy that decided, as the assignment names it: "site-priority(ams, nyc)" ;
//     q:failure      why it did not, if the fallback decided for it ;
//     q:fallback     what decided for the time being, while q:policy, which reads other quads, cannot yet ;
//     q:provisional  true until the component folds; then false, and the record is the same at every site ;
//     q:candidate    each of the maximal versions:
//   <urn:quadrille:conflict:ID:N>  (N counts from 1, by stamp and origin)
//     q:site         the name of the site that wrote it ;
//     q:changeset    "SITE.INCARNATION:SEQ" ;
//     q:time         its stamp ;
//     q:left         each value that it left, as q:chosen ;
//     q:saw          each value that it had seen (not of quad cells) ;
//     q:record       of a record cell: <urn:quadrille:conflict:ID:N:left>, which has what it left, each value by its
//     own
//                    property ;
//     prov:wasAttributedTo  the site, <urn:quadrille:site:NAME> ;
//     prov:generatedAtTime  the same as q:time.
//
// Whether a conflict that keep-all decided is still open is not in the graph, as it depends on what the cell holds now:
// it is while the cell still has each q:chosen, and they are several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/quad.h"
#include "reconcile/conflict_record.h"

namespace quadrille::reconcile {

inline constexpr std::string_view conflict_vocabulary = "urn:quadrille:vocabulary#";
inline constexpr std::string_view conflict_iri_prefix = "urn:quadrille:conflict:";
inline constexpr std::string_view site_iri_prefix = "urn:quadrille:site:";
inline constexpr std::string_view prov_vocabulary = "http://www.w3.org/ns/prov#";

std::vector<model::TermQuad> conflict_quads(const ConflictRecord& record);

}  // namespace quadrille::reconcile
