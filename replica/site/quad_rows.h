// Quads as bytes, between a site and who compares it with others: blank nodes keep their labels, and any term goes.
//
// A quad is four terms, subject, predicate, object and graph, each the number of its bytes (LEB128) and its row
// (engine/store/term_row.h); no bytes for the default graph.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "replica/site/comparisons.h"

namespace quadrille::replica {

void append_quad(std::string& out, const QuadOfTerms& quad);
// Takes it off the front. InvalidInput: there is none.
base::Result<QuadOfTerms> take_quad(std::string_view& bytes);

void append_item(std::string& out, uint64_t item);                 // 8 bytes, little-endian
bool take_item(std::string_view& bytes, uint64_t& item) noexcept;  // off the front

}  // namespace quadrille::replica
