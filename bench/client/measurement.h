// What was measured: the time of each request, by kind of query, and what they come to.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace quadrille::bench {

// The times of one kind, in milliseconds. A failure has none: it would make a mean of what was not done.
struct KindTimes {
  std::vector<double> times_ms;
  size_t failures = 0;

  double mean() const;
  double percentile(double share) const;  // share 0.5: the median. 0 where nothing was measured
};

struct Measurement {
  std::map<std::string, KindTimes> kinds;
  size_t clients = 1;
  size_t mixes = 0;  // without a failure
  double seconds = 0;
  std::string first_failure;
  bool mix_has_failure = false;  // the mix that is under way

  // One request; `failure`: why it was not answered, or nothing. A mix is over with the request that ends it.
  void add(const std::string& kind, double took_ms, const std::string& failure, bool ends_mix);
  void merge(Measurement other);
  size_t queries() const;            // that were answered
  size_t failures() const;           // that were not
  double geometric_mean_ms() const;  // over the kinds that have times, of their means
};

std::string to_table(const Measurement& measurement);
std::string to_json(const Measurement& measurement);

}  // namespace quadrille::bench
