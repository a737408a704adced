// Sites under load are killed at random moments, over and over, and at last told to stop, while the links between them
// are cut and healed; their clients write some cells at all sites at once. After each time every store is verified,
// every client looks for what was acknowledged, the sites have to come to hold the same quads, and counters to hold
// what all clients together counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace quadrille::crash_soak {

struct SoakOptions {
  std::string program;              // quadrille
  std::string link_program;         // quadrille-link
  std::filesystem::path directory;  // of the stores, journals and traces; exists and is empty
  int kills = 20;                   // of one site each
  int sites = 2;
  int clients = 4;  // of each site, that write; one more reads
  uint64_t seed = 1;
  int round_ms_max = 1500;  // how long a site is left alone under load
  int minutes = 0;          // go on for so long, whatever `kills` says
  int delay_ms = 0;         // of each link
};

struct SoakResult {
  int kills = 0;
  int kills_at_start = 0;  // of these, of a site that was not ready yet
  int stops = 0;           // with SIGTERM, under load too
  uint64_t acknowledged = 0;
  uint64_t caught_whole = 0;
  uint64_t caught_absent = 0;
  uint64_t reads = 0;
  int cuts = 0;                  // of links, each healed later
  uint64_t conflicts = 0;        // that one site has on record
  double hours = 0;              // under load
  int64_t longest_start_ms = 0;  // from the start of the process to ready, after a kill
  uint64_t quads = 0;            // at the end, in one site
  std::vector<std::string> findings;
};

// Ends at the first round with findings. Prints a line every few rounds.
SoakResult run_soak(const SoakOptions& options);

}  // namespace quadrille::crash_soak
