// The queries and updates of the Berlin SPARQL Benchmark: they parse, and how fast.
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "tests/engine/sparql/parsing.h"

using namespace quadrille::sparql;
using namespace quadrille::sparql::testing;

namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(QUADRILLE_SOURCE_DIR) / ".." / "shared" / "bsbm";

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  if (path.extension() != ".zst") {
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(("zstd -dcq '" + path.string() + "'").c_str(), "r"));
  std::array<char, 65536> buffer{};
  while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.write(buffer.data(), static_cast<std::streamsize>(size));
  }
  return text.str();
}

struct Request {
  bool is_update;
  std::string text;
};

std::vector<Request> requests_of(const fs::path& path) {
  std::vector<Request> requests;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#@ ", 0) == 0) {
      requests.push_back({line.find("type=update") != std::string::npos, {}});
    } else if (line != "###" && !requests.empty()) {
      requests.back().text += line + "\n";
    }
  }
  return requests;
}

}  // namespace

TEST_CASE("every request of the Berlin benchmark parses") {
  for (const char* name : {"queries-explore-1m.txt", "queries-bi-1m.txt", "queries-update-1mud.txt.zst"}) {
    if (!fs::exists(folder / name)) {
      std::cout << "skipped: " << name << " is not there\n";
      continue;
    }
    const auto requests = requests_of(folder / name);
    CHECK(requests.size() > 300);
    size_t bytes = 0;
    size_t failed = 0;
    const std::clock_t start = std::clock();
    for (const auto& request : requests) {
      bytes += request.text.size();
      const std::string error = request.is_update ? update_error(request.text) : query_error(request.text);
      if (error == "accepted") continue;
      ++failed;
      UNSCOPED_INFO(request.text << error);
    }
    const double took_us = static_cast<double>(std::clock() - start) * 1e6 / CLOCKS_PER_SEC;
    std::cout << name << ": " << requests.size() << " requests, " << failed << " failed, "
              << took_us / static_cast<double>(requests.size()) << " us of CPU and " << bytes / requests.size()
              << " bytes each\n";
    CHECK(failed == 0);
  }
}
