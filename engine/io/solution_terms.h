// What the readers of solutions share: terms from the pieces that a document gives, checked.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/model/term.h"

namespace quadrille::io {

// A binding as it is read, piece by piece.
struct TermPieces {
  std::string variable;
  std::string type;  // "uri", "bnode" or "literal"; others are refused
  std::optional<std::string> text;
  std::string language;
  std::string datatype;
};

// The term, or what is wrong with it. `solution` counts from 1.
base::Result<model::Term> make_term(TermPieces pieces, size_t solution);

base::Error bad_solutions(const std::string& where, const std::string& expected);

}  // namespace quadrille::io
