// Pieces of Turtle syntax as text, for the writers. https://www.w3.org/TR/turtle/
#pragma once

#include <string>
#include <string_view>

#include "engine/model/term.h"

namespace quadrille::io {

// Whether the whole text is a number as Turtle writes them without quotes (INTEGER, DECIMAL, DOUBLE).
bool is_turtle_integer(std::string_view text) noexcept;
bool is_turtle_decimal(std::string_view text) noexcept;
bool is_turtle_double(std::string_view text) noexcept;

// Whether a literal may stand without quotes and datatype and still be the same term: 1, 1.5, 1e0, true.
bool has_turtle_shorthand(const model::Term& term) noexcept;

// Appends the term as N-Triples writes it; a shorthand where there is one, if `use_shorthand`.
void append_term(std::string& out, const model::Term& term, bool use_shorthand);

}  // namespace quadrille::io
