#include "replica/cli/text_argument.h"

#include <fmt/format.h>

#include <utility>

#include "engine/io/input_stream.h"

namespace quadrille::cli {
namespace {

constexpr size_t text_size_max = size_t{1} << 30;

}  // namespace

std::optional<std::string> check_text_argument(const std::string& text, const std::string& file,
                                               const std::string& what) {
  if (text.empty() != file.empty()) return std::nullopt;
  return fmt::format("{} the {} and -f FILE given; expected one of them", text.empty() ? "none of" : "both", what);
}

base::Result<TextArgument> read_text_argument(const std::string& text, const std::string& file,
                                              const std::string& what) {
  if (file.empty()) return TextArgument{what, text};
  QUADRILLE_ASSIGN(const auto input, io::open_input(file));
  QUADRILLE_ASSIGN(auto read, io::read_all(*input, text_size_max));
  return TextArgument{file, std::move(read)};
}

}  // namespace quadrille::cli
