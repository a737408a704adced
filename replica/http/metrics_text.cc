#include "replica/http/metrics_text.h"

#include <fmt/format.h>

namespace quadrille::http {
namespace {

std::string escaped(std::string_view text, bool is_label) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && is_label) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

const char* name_of(MetricsText::Kind kind) {
  switch (kind) {
    case MetricsText::Kind::Counter: return "counter";
    case MetricsText::Kind::Gauge: return "gauge";
    case MetricsText::Kind::Histogram: return "histogram";
  }
  return "untyped";
}

}  // namespace

void MetricsText::begin(std::string name, Kind kind, std::string_view help) {
  name_ = std::move(name);
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, escaped(help, false), name_, name_of(kind));
}

void MetricsText::sample(double value, const Labels& labels, std::string_view suffix) {
  text_ += name_;
  text_ += suffix;
  if (!labels.empty()) {
    text_ += '{';
    for (const auto& [name, content] : labels) {
      if (text_.back() != '{') text_ += ',';
      text_ += fmt::format("{}=\"{}\"", name, escaped(content, true));
    }
    text_ += '}';
  }
  text_ += fmt::format(" {}\n", value);
}

void MetricsText::counter(std::string name, std::string_view help, uint64_t value) {
  begin(std::move(name), Kind::Counter, help);
  sample(static_cast<double>(value));
}

void MetricsText::gauge(std::string name, std::string_view help, double value) {
  begin(std::move(name), Kind::Gauge, help);
  sample(value);
}

}  // namespace quadrille::http
