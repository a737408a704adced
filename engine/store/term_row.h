// A term as bytes, the way the dictionary keeps it, and the hash by which it is found.
//
// Format of a row: a byte that says the kind (0 IRI, 1 blank node, 2 string, 3 with language, 4 typed); for the last
// two a qualifier (language tag, datatype IRI) as 4 bytes of length, little-endian, and its bytes; the text. So no row
// is empty, and equal terms are equal rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/model/term.h"
#include "engine/model/term_id.h"
#include "engine/model/term_view.h"

namespace quadrille::store {

// From the bytes of a term's row to its hash. Part of the format.
using TermHash = uint64_t (*)(std::string_view row) noexcept;
uint64_t hash_term(std::string_view row) noexcept;  // XXH3, 64 bits

std::string encode_term(const model::Term& term);
void append_term_row(std::string& out, const model::TermView& term);
// Corruption for bytes that are no row.
base::Result<model::Term> decode_term(std::string_view row);
// Both require that the row is not empty.
// Terms of one class are alike: IRIs, blank nodes, strings, strings of one language, literals of one datatype. Those of
// a batch stand together: they compress better, a query that reads many prices reads few frames, and ids of what a
// property has as its objects are close together.
std::string_view class_of_row(std::string_view row) noexcept;
model::TermTag tag_of_row(std::string_view row) noexcept;

}  // namespace quadrille::store
