// What the program's commands do. Each returns the exit status: 0 all promises were kept, 1 one was broken, 2 used
// wrongly. May throw std::exception where a file or a directory fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quadrille::sim {

struct CommandOptions {
  std::string scenario;  // run
  uint64_t seed = 1;     // run
  std::string seeds;
  unsigned jobs = 1;
  bool trace = false;
  std::string json;
  std::string report;
  std::vector<std::string> plugins;  // run
  std::vector<std::string> without;  // fuzz: names of fault kinds
  bool print_scenario = false;       // fuzz
  size_t shrink_max = 2;             // so many failing seeds are shrunk
  std::string keep = ".";            // where scenario files of failures go
};

int run_command(const CommandOptions& options);
int fuzz_command(const CommandOptions& options);

}  // namespace quadrille::sim
