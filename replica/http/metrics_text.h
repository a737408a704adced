// Text for Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quadrille::http {

class MetricsText {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  enum class Kind : uint8_t { Counter, Gauge, Histogram };

  // Begins with a metric; its samples follow. Names by Prometheus' conventions: base units, counters end in _total.
  void begin(std::string name, Kind kind, std::string_view help);
  void sample(double value, const Labels& labels = {}, std::string_view suffix = {});
  // A metric with one sample.
  void counter(std::string name, std::string_view help, uint64_t value);
  void gauge(std::string name, std::string_view help, double value);
  std::string take() noexcept { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

}  // namespace quadrille::http
