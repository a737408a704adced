#include "sim/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

constexpr double page_width = 1000;
constexpr double left = 70;  // where names stand
constexpr double lane_height = 46;
constexpr size_t conflicts_shown_max = 200;
constexpr size_t ticks_shown_max = 4000;  // transactions of the timeline

// What each kind of fault looks like, also without colours: its letter stands on it.
struct Look {
  std::string_view kind;
  std::string_view style;
  std::string_view letter;
};
constexpr std::array looks = {Look{"partition", "cut", "P"},    Look{"one-way-cut", "oneway", "O"},
                              Look{"crash", "down", "C"},       Look{"power-loss", "down", "L"},
                              Look{"pause", "pause", "Z"},      Look{"connection-loss", "event", "x"},
                              Look{"clock-jump", "event", "K"}, Look{"join", "event", "J"},
                              Look{"evict", "event", "E"},      Look{"restore", "down", "R"}};

constexpr std::string_view style_sheet = R"(
:root { --ink: #1c2733; --faint: #6a7686; --line: #d5dbe3; --paper: #fff; --good: #1a7f4b; --bad: #b3261e; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1060px;
       margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 1.6em; margin: 0 0 4px; } h2 { font-size: 1.15em; margin: 2em 0 .4em; }
p, dd { margin: .2em 0; } .faint { color: var(--faint); }
.verdict { font-weight: 700; } .good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-size: .92em; } caption { text-align: left; color: var(--faint); }
th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f4f6f9; padding: 12px; overflow-x: auto; font-size: .86em; white-space: pre-wrap; }
svg { width: 100%; height: auto; display: block; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .axis { stroke: var(--line); } svg .lane { fill: #f4f6f9; } svg .faint { fill: var(--faint); }
svg .cut { fill: #f3c18a; } svg .oneway { fill: #f9dfbf; } svg .down { fill: #c9ced6; } svg .pause { fill: #d8d0ee; }
svg .event { fill: #8a5a00; } svg .healed { stroke: var(--good); stroke-width: 1.5; }
svg .transaction { stroke: #2b62b8; stroke-width: 1; } svg .conflict { fill: var(--bad); }
svg polyline { fill: none; stroke-width: 1.6; }
svg [tabindex]:focus { outline: 2px solid #2b62b8; outline-offset: 1px; }
ul.ok { columns: 3; padding-left: 1.1em; } a { color: #2b62b8; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } details > * { display: block; }
  section { break-inside: avoid; } pre { white-space: pre-wrap; } }
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& texts, const char* between) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : between) + text;
  return out;
}

const Look& look_of(const std::string& kind) {
  const auto* found = std::find_if(looks.begin(), looks.end(), [&](const Look& each) { return each.kind == kind; });
  return found == looks.end() ? looks[5] : *found;
}

// A round step of seconds, about ten of which make `span`.
double tick_step(double span) {
  const double rough = std::max(span, 1e-3) / 10;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

std::string duration_text(double seconds) {
  if (seconds >= 2 * 86400) return fmt::format("{:.1f} days", seconds / 86400);
  if (seconds >= 7200) return fmt::format("{:.1f} hours", seconds / 3600);
  return fmt::format("{:.1f} s", seconds);
}

std::string bytes_text(uint64_t bytes) {
  if (bytes >= uint64_t{10} << 20) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= uint64_t{10} << 10) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} bytes", bytes);
}

class Page {
 public:
  Page(const std::string& title, const SeedResult& result, const std::string& replay_command)
      : title_(title), result_(result), record_(*result.record), replay_command_(replay_command) {
    end_s_ = std::max(record_.end_s, 1.0);
  }

  std::string text() {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>{}: seed {}</title>\n<style>{}</style></head><body>\n",
        escaped(title_), result_.seed, style_sheet);
    out += heading() + timeline() + curves() + conflicts() + links() + verdicts();
    return out + "</body></html>\n";
  }

 private:
  double x_of(double at_s) const { return left + std::clamp(at_s, 0.0, end_s_) / end_s_ * (page_width - left - 10); }

  std::string heading() const {
    const bool passed = result_.violations.empty();
    std::string out =
        fmt::format("<header><h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n", escaped(title_), passed ? "good" : "bad",
                    passed ? "Passed: every promise was kept." : "FAILED: a promise was broken.");
    out += fmt::format(
        "<p>Seed {}: {} sites, {} simulated, {} updates answered, {} refused, {} conflicts decided, {} "
        "faults.",
        result_.seed, record_.sites.size(), duration_text(end_s_), result_.updates, result_.refused, result_.conflicts,
        result_.faults);
    if (record_.settled_s > 0) {
      out +=
          fmt::format(" All sites had the same, and nothing left to settle, {} after the last fault had been healed.",
                      duration_text(result_.settled_after_s));
    }
    out += fmt::format("</p>\n<p class=\"faint\">To see it again: <code>{}</code></p></header>\n",
                       escaped(replay_command_));
    for (const auto& violation : result_.violations) {
      out += fmt::format("<section><h2 class=\"bad\">Broken: {}</h2><pre>{}</pre></section>\n",
                         escaped(violation.check), escaped(violation.story));
    }
    if (!passed && !result_.last_events.empty()) {
      out += "<section><h2>What happened last</h2><pre>" + escaped(result_.last_events) + "</pre></section>\n";
    }
    return out;
  }

  std::string axis(double height) const {
    std::string out;
    const double step = tick_step(end_s_);
    for (double at = 0; at <= end_s_; at += step) {
      out += fmt::format(
          "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1}\"/>"
          "<text class=\"faint\" x=\"{0:.1f}\" y=\"{2}\" text-anchor=\"middle\">{3:g} s</text>",
          x_of(at), height, height + 14, at);
    }
    out += fmt::format(
        "<line class=\"healed\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1}\"><title>All is healed"
        "</title></line>",
        x_of(record_.run_s), height);
    if (record_.settled_s > 0) {
      out += fmt::format(
          "<line class=\"healed\" stroke-dasharray=\"4 3\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" "
          "y2=\"{1}\"><title>All sites have the same</title></line>",
          x_of(record_.settled_s), height);
    }
    return out;
  }

  // One thing that can be pointed at, or reached by Tab, and says what it is.
  static std::string mark(const std::string& shape, const std::string& what) {
    return fmt::format("<g tabindex=\"0\" role=\"img\" aria-label=\"{0}\"><title>{0}</title>{1}</g>\n", escaped(what),
                       shape);
  }

  std::string span_mark(const RunRecord::Span& span, double y) const {
    const auto& look = look_of(span.kind);
    const double x = x_of(span.from_s);
    const double width = std::max(3.0, x_of(span.until_s) - x);
    const std::string what = fmt::format(
        "{} of {}{}{}, at {:.3f} s{}", span.kind, joined(span.sites, " and "), span.detail.empty() ? "" : " by ",
        span.detail, span.from_s, span.until_s > span.from_s ? fmt::format(", until {:.3f} s", span.until_s) : "");
    const double top = look.style == "event" ? y + lane_height - 18 : y + 2;
    const double height = look.style == "event" ? 12 : lane_height - 10;
    return mark(fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>"
                            "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"9\">{}</text>",
                            look.style, x, top, width, height, x + 1, top + 9, look.letter),
                what);
  }

  std::string lane(size_t index) const {
    const auto& site = record_.sites[index];
    const double y = static_cast<double>(index) * lane_height;
    std::string out = fmt::format(
        "<rect class=\"lane\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>"
        "<text x=\"4\" y=\"{}\">{}</text>\n",
        left, y + 2, page_width - left - 10, lane_height - 6, y + lane_height / 2 + 4, escaped(site));
    for (const auto& span : record_.spans) {
      const bool is_here = span.kind == "partition"
                               ? std::find(span.sites.begin(), span.sites.end(), site) != span.sites.end()
                               : !span.sites.empty() && span.sites.front() == site;
      if (is_here) out += span_mark(span, y);
    }
    std::string path;
    for (size_t i = 0; i < record_.transactions.size(); ++i) {
      const auto& each = record_.transactions[i];
      if (each.site != site || each.at_s < 0 || i >= ticks_shown_max) continue;
      path += fmt::format("M{:.1f} {:.1f}v14", x_of(each.at_s), y + 14);
    }
    return out + fmt::format("<path class=\"transaction\" d=\"{}\"><title>transactions of {}</title></path>\n", path,
                             escaped(site));
  }

  std::string timeline() const {
    const double lanes = static_cast<double>(record_.sites.size()) * lane_height;
    const double height = lanes + 24;
    std::string out = fmt::format(
        "<section><h2>Timeline</h2>\n<p class=\"faint\">A lane a site. Blue ticks are transactions, red points "
        "conflicts "
        "that were decided. P partition, O one-way cut (of what the site sends), C crash, L loss of power, Z pause, R "
        "disk lost and restored, x connection lost, K clock jumps, J joins, E is evicted. Green lines: all is healed; "
        "all have the same. Tab goes from mark to mark.</p>\n<svg viewBox=\"0 0 {} {}\" role=\"group\" "
        "aria-label=\"Timeline of all sites\">\n",
        page_width, height + 26);
    for (size_t i = 0; i < record_.sites.size(); ++i) out += lane(i);
    out += fmt::format("<text x=\"4\" y=\"{}\">conflicts</text>", lanes + 14);
    const size_t shown = std::min(record_.conflicts.size(), conflicts_shown_max);
    for (size_t i = 0; i < shown; ++i) {
      const auto& each = record_.conflicts[i];
      out += mark(
          fmt::format("<circle class=\"conflict\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", x_of(each.at_s), lanes + 10),
          fmt::format("conflict about {} at {:.3f} s: {} decides {}", each.cell, each.at_s, each.policy, each.chosen));
    }
    return out + axis(height) + "</svg></section>\n";
  }

  // One curve a site, of what `value` says.
  template <class Value>
  std::string curve(const char* heading, const char* unit, Value value) const {
    constexpr std::array colours = {"#2b62b8", "#b3261e", "#1a7f4b", "#8a5a00",
                                    "#6b3fa0", "#00767c", "#a0306b", "#555"};
    constexpr std::array dashes = {"", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 1", "3 5"};
    constexpr double height = 90;
    double highest = 1;
    for (const auto& sample : record_.samples) highest = std::max(highest, static_cast<double>(value(sample)));
    std::string out = fmt::format(
        "<h3>{}</h3>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}: at most {:g} "
        "{}\">\n",
        heading, page_width, height + 20, heading, highest, unit);
    out += axis(height) + fmt::format("<text x=\"4\" y=\"12\">{:.4g} {}</text><text x=\"4\" y=\"{}\">0</text>\n",
                                      highest, unit, height);
    std::string names;
    for (size_t i = 0; i < record_.sites.size(); ++i) {
      std::string points;
      for (const auto& sample : record_.samples) {
        if (sample.site != record_.sites[i] || !sample.is_running) continue;
        points += fmt::format("{:.1f},{:.1f} ", x_of(sample.at_s),
                              height - static_cast<double>(value(sample)) / highest * (height - 14));
      }
      out += fmt::format("<polyline points=\"{}\" stroke=\"{}\" stroke-dasharray=\"{}\"><title>{}</title></polyline>\n",
                         points, colours[i % colours.size()], dashes[i % dashes.size()], escaped(record_.sites[i]));
      names +=
          fmt::format(" <span style=\"color:{}\">{}</span>", colours[i % colours.size()], escaped(record_.sites[i]));
    }
    return out + "</svg>\n<p class=\"faint\">" + names + "</p>\n";
  }

  std::string curves() const {
    if (record_.samples.empty()) return "";
    return "<section><h2>How far behind</h2>\n" +
           curve("Staleness: age of the oldest transaction that a site lacks", "s",
                 [](const auto& sample) { return sample.staleness_s; }) +
           curve("Lag: transactions that a site lacks", "", [](const auto& sample) { return sample.lacks; }) +
           curve("Window: cells whose history is still kept", "cells",
                 [](const auto& sample) { return sample.window_cells; }) +
           "</section>\n";
  }

  std::string conflicts() const {
    std::string out = fmt::format(
        "<section><h2>Conflicts</h2>\n<table><caption>{}</caption><thead><tr><th>at</th><th>"
        "cell</th><th>candidates</th><th>decided</th><th>by</th></tr></thead><tbody>\n",
        record_.conflicts.size() > conflicts_shown_max
            ? fmt::format("The first {} of {}", conflicts_shown_max, record_.conflicts.size())
            : fmt::format("{} in all", record_.conflicts.size()));
    const size_t shown = std::min(record_.conflicts.size(), conflicts_shown_max);
    for (size_t i = 0; i < shown; ++i) {
      const auto& each = record_.conflicts[i];
      out += fmt::format("<tr><td class=\"number\">{:.3f} s</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                         each.at_s, escaped(each.cell), escaped(joined(each.candidates, "; ")), escaped(each.chosen),
                         escaped(each.policy));
    }
    return out + "</tbody></table></section>\n";
  }

  std::string links() const {
    std::string out =
        "<section><h2>Links</h2>\n<table><thead><tr><th>between</th><th class=\"number\">messages</th><th "
        "class=\"number\">bytes</th></tr></thead><tbody>\n";
    for (const auto& link : record_.links) {
      out += fmt::format("<tr><td>{} and {}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                         escaped(link.one), escaped(link.another), link.messages, bytes_text(link.bytes));
    }
    return out + "</tbody></table></section>\n";
  }

  std::string verdicts() const {
    std::string out = "<section><h2>Verdicts</h2>\n<ul class=\"ok\">\n";
    for (const auto& verdict : record_.verdicts) {
      out += fmt::format("<li class=\"{}\">{} {}</li>\n", verdict.holds ? "good" : "bad", verdict.holds ? "✓" : "✗",
                         escaped(verdict.check));
    }
    return out + "</ul></section>\n";
  }

  const std::string& title_;
  const SeedResult& result_;
  const RunRecord& record_;
  const std::string& replay_command_;
  double end_s_ = 1;
};

}  // namespace

std::string html_report(const std::string& title, const SeedResult& result, const std::string& replay_command) {
  QUADRILLE_CHECK(result.record.has_value(), "a report needs the record of its run");
  return Page(title, result, replay_command).text();
}

}  // namespace quadrille::sim
