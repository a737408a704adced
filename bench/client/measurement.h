// What was measured: the time of each request, by kind of query, and what they come to.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace quadrille::bench {

// The times of one kind, in milliseconds.
struct KindTimes {
  std::vector<double> times_ms;
  size_t failures = 0;

  double mean() const;
  double percentile(double share) const;  // share 0.5: the median. 0 where nothing was measured
};

struct Measurement {
  std::map<std::string, KindTimes> kinds;
  size_t clients = 1;
  size_t mixes = 0;
  double seconds = 0;
  std::string first_failure;

  void merge(Measurement other);
  size_t queries() const;
  double geometric_mean_ms() const;  // over the kinds, of their means
};

std::string to_table(const Measurement& measurement);
std::string to_json(const Measurement& measurement);

}  // namespace quadrille::bench
