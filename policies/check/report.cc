#include "policies/check/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace quadrille::policies::check {
namespace {

using Out = std::back_insert_iterator<std::string>;

double percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

void write_coverage(Out out, const CheckReport& report) {
  const Coverage& held = report.coverage;
  struct Row {
    const char* name;
    uint64_t count;
  };
  const std::array rows = {
      Row{"a real conflict", held.with_conflict},
      Row{"versions that had seen others of their component", held.chain},
      Row{"a criss-cross merge", held.criss_cross},
      Row{"a conflict after a fold", held.fold_between},
      Row{"a conflict of mixed types", held.mixed_types},
      Row{"a deletion against a write", held.with_deletion},
      Row{"the same value written twice", held.same_value},
      Row{"equal stamps", held.equal_stamps},
      Row{"an update that changes nothing", held.no_ops},
      Row{"a join", held.joins},
      Row{"an eviction", held.evictions},
      Row{"versions that leave", held.leaving},
  };
  fmt::format_to(
      out,
      "\nCoverage: {} histories, {} different conflicts, {} of them asked in other processes too. Histories with\n",
      held.histories, held.calls, report.questions_elsewhere);
  for (const Row& row : rows) fmt::format_to(out, "  {:<49}{:>6.1f} %\n", row.name, percent(row.count, held.histories));
}

void write_family(Out out, std::string_view name, const FamilyCounts& counts) {
  if (counts.conflicts == 0) return;
  fmt::format_to(out, "  {:<20}{:>10}", name, counts.conflicts);
  for (const uint64_t count :
       {counts.kept_one, counts.kept_base, counts.made_new, counts.several, counts.emptied, counts.failed}) {
    if (count == 0) {
      fmt::format_to(out, "{:>10}", "-");
    } else {
      fmt::format_to(out, "{:>8.1f} %", percent(count, counts.conflicts));
    }
  }
  fmt::format_to(out, "\n");
}

void write_families(Out out, const Coverage& held) {
  const bool has_any = held.mixed.conflicts > 0 || std::any_of(held.families.begin(), held.families.end(),
                                                               [](const auto& counts) { return counts.conflicts > 0; });
  if (!has_any) return;  // quads
  fmt::format_to(
      out,
      "\nWhat it does with conflicts between values of one kind\n  {:<20}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
      "", "conflicts", "kept one", "as before", "new value", "several", "emptied", "failed");
  for (size_t i = 0; i < value_families; ++i) write_family(out, name_of(static_cast<ValueFamily>(i)), held.families[i]);
  write_family(out, "of several kinds", held.mixed);
}

void write_lines(Out out, std::string_view heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::format_to(out, "  {}\n", heading);
  for (const std::string& line : lines) fmt::format_to(out, "    {}\n", line);
}

void write_finding(Out out, const Finding& finding, const CheckOptions& options, const std::string& command) {
  fmt::format_to(out, "\nWRONG: {}\n  {}\n", finding.cause, finding.explanation);
  std::vector<std::string> laws;
  for (const Law law : finding.laws) laws.emplace_back(name_of(law));
  write_lines(out, "Broken:", laws);
  write_lines(out, "Evidence:", finding.evidence);
  write_lines(out, fmt::format("The smallest history that shows it ({}):", finding.size), finding.story);
  write_lines(out, "The conflict:", finding.conflict);
  write_lines(out, "Answers:", finding.computed);
  fmt::format_to(out, "  Again: {} --seed {} --case {}\n", command, options.seed, finding.number);
}

}  // namespace

std::string write_report(const CheckReport& report, const CheckOptions& options, const ReportHeading& heading) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "Checked {}, in {:.1f} s.\n", heading.policy, heading.seconds);
  if (report.coverage.calls > 0) write_coverage(out, report);
  write_families(out, report.coverage);
  for (const Finding& finding : report.findings) write_finding(out, finding, options, heading.command);
  if (!report.findings.empty()) {
    fmt::format_to(out, "\n{} wrong. Checking stopped after {} histories.\n", report.findings.size(),
                   report.coverage.histories);
    return text;
  }
  fmt::format_to(out, "\nHolds:\n");
  for (const Law law : report.looked_for) fmt::format_to(out, "  {}\n", name_of(law));
  for (const std::string& note : report.notes) fmt::format_to(out, "Note: {}.\n", note);
  return text;
}

}  // namespace quadrille::policies::check
