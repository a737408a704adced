#include "bench/client/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace quadrille::bench {
namespace {

// Kinds are numbers as a rule: 2 before 10.
std::vector<std::string> in_order(const Measurement& measurement) {
  std::vector<std::string> names;
  for (const auto& [name, times] : measurement.kinds) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return names;
}

double per_second(double count, double seconds) { return seconds > 0 ? count / seconds : 0; }

}  // namespace

double KindTimes::mean() const {
  if (times_ms.empty()) return 0;
  return std::accumulate(times_ms.begin(), times_ms.end(), 0.0) / static_cast<double>(times_ms.size());
}

double KindTimes::percentile(double share) const {
  if (times_ms.empty()) return 0;
  std::vector<double> sorted = times_ms;
  const auto index = static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + index, sorted.end());
  return sorted[static_cast<size_t>(index)];
}

void Measurement::add(const std::string& kind, double took_ms, const std::string& failure, bool ends_mix) {
  KindTimes& times = kinds[kind];
  if (failure.empty()) {
    times.times_ms.push_back(took_ms);
  } else {
    ++times.failures;
    mix_has_failure = true;
    if (first_failure.empty()) first_failure = "q" + kind + ": " + failure;
  }
  if (!ends_mix) return;
  if (!mix_has_failure) ++mixes;
  mix_has_failure = false;
}

void Measurement::merge(Measurement other) {
  for (auto& [name, times] : other.kinds) {
    KindTimes& target = kinds[name];
    target.times_ms.insert(target.times_ms.end(), times.times_ms.begin(), times.times_ms.end());
    target.failures += times.failures;
  }
  mixes += other.mixes;
  if (first_failure.empty()) first_failure = std::move(other.first_failure);
}

size_t Measurement::queries() const {
  size_t sum = 0;
  for (const auto& [name, times] : kinds) sum += times.times_ms.size();
  return sum;
}

size_t Measurement::failures() const {
  size_t sum = 0;
  for (const auto& [name, times] : kinds) sum += times.failures;
  return sum;
}

double Measurement::geometric_mean_ms() const {
  double sum = 0;
  size_t count = 0;
  for (const auto& [name, times] : kinds) {
    if (times.times_ms.empty()) continue;
    sum += std::log(std::max(times.mean(), 1e-6));
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / static_cast<double>(count));
}

std::string to_table(const Measurement& measurement) {
  std::string text = fmt::format("{:>6}{:>10}{:>8}{:>11}{:>11}{:>11}{:>11}\n", "query", "answered", "failed", "mean ms",
                                 "p50 ms", "p99 ms", "of one/s");
  for (const std::string& name : in_order(measurement)) {
    const KindTimes& times = measurement.kinds.at(name);
    text += fmt::format("{:>6}{:>10}{:>8}{:>11.3f}{:>11.3f}{:>11.3f}{:>11.0f}\n", name, times.times_ms.size(),
                        times.failures, times.mean(), times.percentile(0.5), times.percentile(0.99),
                        per_second(1000, times.mean()));
  }
  const auto queries = static_cast<double>(measurement.queries());
  text += fmt::format("{} clients, {:.2f} s: {:.0f} queries/s, {:.0f} mixes/hour, geometric mean {:.3f} ms\n",
                      measurement.clients, measurement.seconds, per_second(queries, measurement.seconds),
                      3600 * per_second(static_cast<double>(measurement.mixes), measurement.seconds),
                      measurement.geometric_mean_ms());
  if (!measurement.first_failure.empty()) text += fmt::format("first failure: {}\n", measurement.first_failure);
  return text;
}

std::string to_json(const Measurement& measurement) {
  nlohmann::json kinds;
  for (const auto& [name, times] : measurement.kinds) {
    kinds[name] = {{"count", times.times_ms.size()},
                   {"failures", times.failures},
                   {"mean_ms", times.mean()},
                   {"p50_ms", times.percentile(0.5)},
                   {"p99_ms", times.percentile(0.99)}};
  }
  const auto queries = static_cast<double>(measurement.queries());
  const nlohmann::json document = {
      {"clients", measurement.clients},
      {"seconds", measurement.seconds},
      {"queries_per_second", per_second(queries, measurement.seconds)},
      {"mixes_per_hour", 3600 * per_second(static_cast<double>(measurement.mixes), measurement.seconds)},
      {"geometric_mean_ms", measurement.geometric_mean_ms()},
      {"kinds", kinds},
  };
  return document.dump(1) + "\n";
}

}  // namespace quadrille::bench
