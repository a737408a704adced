// The text of a query or an update, from the command line or from a file.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace quadrille::cli {

struct TextArgument {
  std::string where;  // in error messages: the file, or what is given: "query"
  std::string text;
};

// The usage error if not exactly one of `text` and `file` was given.
std::optional<std::string> check_text_argument(const std::string& text, const std::string& file,
                                               const std::string& what);
// The file's name as for io::open_input.
base::Result<TextArgument> read_text_argument(const std::string& text, const std::string& file,
                                              const std::string& what);

}  // namespace quadrille::cli
