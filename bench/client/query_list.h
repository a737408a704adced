// Lists of queries: blocks of text between lines "###", each opened by a line "#@ mix=M q=K type=T".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::bench {

enum class RequestType : uint8_t { Select, Ask, Graph, Update };  // Graph: CONSTRUCT and DESCRIBE

struct BenchQuery {
  std::string kind;  // K: queries of one kind differ in their constants only
  std::string mix;   // M: a mix is run as a whole
  RequestType type = RequestType::Select;
  std::string text;  // with the line that opens it: it is a comment
};

// Blocks without an opening line are left out. A file that cannot be read or holds no query is an error; .zst is read.
base::Result<std::vector<BenchQuery>> read_query_list(const std::filesystem::path& file);

// Whether the query is the last of its mix.
inline bool ends_mix(const std::vector<BenchQuery>& queries, size_t index) {
  return index + 1 == queries.size() || queries[index + 1].mix != queries[index].mix;
}

}  // namespace quadrille::bench
