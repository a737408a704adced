// Compares answers of an endpoint with those that are expected, as sets of rows, numbers by value.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bench/client/query_list.h"
#include "engine/base/result.h"

namespace quadrille::bench {

// `expected`: a file .srj (SPARQL results in JSON) or .nt. An error says what differs. Numbers may differ by a
// millionth of their size: sums of floating-point numbers depend on their order.
base::Result<void> check_answer(std::string_view answer, const std::filesystem::path& expected);

struct CheckReport {
  size_t right = 0;
  size_t wrong = 0;
  size_t unknown = 0;  // queries without an expected answer
};

// Runs each NNN.rq of the directory and compares with NNN.srj or NNN.nt beside it; prints what differs.
base::Result<CheckReport> check_directory(const std::string& endpoint_url, const std::filesystem::path& directory);

}  // namespace quadrille::bench
