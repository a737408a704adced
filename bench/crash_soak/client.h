// A client that writes to one site, one request at a time, and knows at any time what its graph must hold: what was
// acknowledged, and for the one request that a crash may have caught under way, both what it would leave and what was
// before. For one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/crash_soak/accounts.h"
#include "bench/crash_soak/contended.h"
#include "bench/crash_soak/http_session.h"

namespace quadrille::crash_soak {

struct ClientCounts {
  uint64_t acknowledged = 0;
  uint64_t caught_whole = 0;   // under way when the site was killed, and there afterwards
  uint64_t caught_absent = 0;  // and not there afterwards
};

class Client {
 public:
  // `journal`: a file that gets a line for each request and each answer.
  Client(uint64_t seed, std::string site, int number, const std::string& journal);

  // Writes until the site does not answer any more. No answer, and another one than "done", are findings before
  // `is_ending`.
  void write_until_gone(const std::string& url, const std::atomic<bool>& is_ending);
  // Compares the graph as the site has it with what must be there, and takes as done or not what was under way.
  void check(const std::string& url);

  const std::vector<std::string>& findings() const { return findings_; }
  const ClientCounts& counts() const { return counts_; }
  // By what has happened for certain.
  const Balances& balance_changes() const { return balance_changes_; }
  const Counters& counter_changes() const { return counter_changes_; }

 private:
  using Lines = std::set<std::string>;  // of N-Triples
  struct Request {
    const char* kind = "";
    std::string path = {};
    std::string content_type = {};
    std::string body = {};
    std::vector<std::string> removed = {};  // names of items
    std::string added = {};                 // likewise; empty: none
    Lines added_lines = {};
    Balances balance_changes = {};
    Counters counter_changes = {};
  };

  Request make_request();
  Request insert();
  Request remove();
  Request replace();
  Request transfer();
  Request contend();  // with the clients of other sites
  Request load();
  Request clear();

  int number_up_to(int last);
  const std::string& any_item();
  std::string value();
  void add_item(Request& request, int lines);
  std::string graph_block(const Lines& lines) const;
  std::string graph_block(const std::string& item) const;
  void settle(const Request& request);
  Lines lines() const;
  void record(const Request& request, const std::string& outcome);
  void report_difference(const Lines& found);

  std::mt19937_64 random_;
  std::string site_;
  std::string name_;   // "ams-3"
  std::string graph_;  // an IRI
  std::ofstream journal_;
  HttpSession http_;
  uint64_t next_number_ = 1;
  std::map<std::string, Lines> items_;
  std::optional<Request> under_way_;
  Balances balance_changes_{};
  Counters counter_changes_{};
  ClientCounts counts_;
  std::vector<std::string> findings_;
};

}  // namespace quadrille::crash_soak
