// What a run was like, for people who look at it afterwards: what happened when, at which site, and how far sites were
// behind. All moments are seconds from the start of the run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace quadrille::sim {

struct RunRecord {
  struct Span {
    std::string kind;  // of the fault
    std::vector<std::string> sites;
    double from_s = 0;
    double until_s = 0;  // the same where it does not last
    std::string detail;
  };
  struct Transaction {
    std::string id;  // "ams:12"
    std::string site;
    double at_s = 0;
    uint64_t operations = 0;
  };
  struct Conflict {
    double at_s = 0;  // of its newest stamp, by the clock that gave it
    std::string cell;
    std::string chosen;
    std::string policy;
    std::vector<std::string> candidates;
  };
  // Of one site at one moment.
  struct Sample {
    double at_s = 0;
    std::string site;
    bool is_running = true;
    uint64_t lacks = 0;      // changesets that were committed somewhere
    double staleness_s = 0;  // how long ago the oldest of them was committed
    uint64_t window_cells = 0;
  };
  struct LinkBytes {
    std::string one;
    std::string another;
    uint64_t messages = 0;
    uint64_t bytes = 0;
  };
  struct Verdict {
    std::string check;
    bool holds = true;
  };

  std::vector<std::string> sites;
  double run_s = 0;      // when all was healed
  double settled_s = 0;  // when all had the same; 0: never
  double end_s = 0;
  std::vector<Span> spans;
  std::vector<Transaction> transactions;
  std::vector<Conflict> conflicts;
  std::vector<Sample> samples;
  std::vector<LinkBytes> links;
  std::vector<Verdict> verdicts;
};

nlohmann::json as_json(const RunRecord& record);
RunRecord run_record_from_json(const nlohmann::json& json);

}  // namespace quadrille::sim
