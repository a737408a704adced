#include "bench/client/query_list.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/io/input_stream.h"

namespace quadrille::bench {
namespace {

constexpr size_t list_bytes_max = size_t{256} << 20;

std::string attribute(std::string_view line, std::string_view name) {
  const std::string key = fmt::format(" {}=", name);
  const size_t found = line.find(key);
  if (found == std::string_view::npos) return {};
  const std::string_view value = line.substr(found + key.size());
  return std::string(value.substr(0, value.find(' ')));
}

RequestType type_of(std::string_view name) {
  if (name == "construct" || name == "describe") return RequestType::Graph;
  if (name == "ask") return RequestType::Ask;
  return name == "update" ? RequestType::Update : RequestType::Select;
}

void add_block(std::string_view block, std::vector<BenchQuery>& queries) {
  const size_t opening = block.find("#@ ");
  if (opening == std::string_view::npos) return;
  const std::string_view line = block.substr(opening, block.find('\n', opening) - opening);
  queries.push_back({attribute(line, "q"), attribute(line, "mix"), type_of(attribute(line, "type")),
                     std::string(block.substr(opening))});
}

}  // namespace

base::Result<std::vector<BenchQuery>> read_query_list(const std::filesystem::path& file) {
  QUADRILLE_ASSIGN(const auto input, io::open_input(file.string()));
  QUADRILLE_ASSIGN(const std::string text, io::read_all(*input, list_bytes_max));
  std::vector<BenchQuery> queries;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find("\n###", begin);
    if (end == std::string::npos) end = text.size();
    add_block(std::string_view(text).substr(begin, end - begin), queries);
    begin = end + 4;
  }
  if (queries.empty()) {
    return base::Error{
        base::ErrorKind::InvalidInput,
        fmt::format("{}: no query; expected blocks that open with \"#@ mix=M q=K type=T\"", file.string()),
        {}};
  }
  return queries;
}

}  // namespace quadrille::bench
