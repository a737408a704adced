#include "replica/site/conflict_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/model/date_time.h"
#include "engine/model/iri.h"
#include "engine/model/utf8.h"
#include "policies/keep_all.h"

namespace quadrille::replica {
namespace {

using reconcile::ConflictRecord;

constexpr std::array<std::string_view, 7> filter_names = {"since",       "until", "property", "policy",
                                                          "provisional", "open",  "limit"};

base::Error wrong(std::string_view name, std::string_view value, std::string_view expected) {
  return {base::ErrorKind::InvalidInput,
          fmt::format("{}: '{}'; expected {}", name, model::describe_text(value), expected),
          {}};
}

base::Result<int64_t> read_time(std::string_view name, std::string_view value) {
  auto moment = model::parse_date_time(value);
  if (!moment) moment = model::parse_date(value);
  if (moment) {
    const auto ms = model::Decimal::multiply(moment->instant(), 1000);
    const auto whole = ms ? ms->floor().to_int64() : std::nullopt;
    if (whole) return *whole;
  }
  return wrong(name, value, "a time such as 2026-12-01T09:30:00Z or 2026-12-01");
}

base::Result<bool> read_boolean(std::string_view name, std::string_view value) {
  if (value == "true") return true;
  if (value == "false") return false;
  return wrong(name, value, "true or false");
}

base::Result<uint64_t> read_count(std::string_view name, std::string_view value) {
  uint64_t count = 0;
  const auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (trouble == std::errc() && end == value.data() + value.size() && count > 0) return count;
  return wrong(name, value, "a whole number from 1 on");
}

base::Result<std::string> read_iri(std::string_view name, std::string_view value) {
  std::string_view iri = value;
  if (iri.starts_with('<') && iri.ends_with('>')) iri = iri.substr(1, iri.size() - 2);
  if (iri.empty() || !model::check_iri(iri).ok()) return wrong(name, value, "an absolute IRI");
  return std::string(iri);
}

bool wrote(const reconcile::Content& content, const std::string& property) {
  return std::any_of(content.begin(), content.end(),
                     [&](const auto& statement) { return statement.property.text() == property; });
}

bool is_about(const ConflictRecord& record, const std::string& property) {
  if (record.cell.property.text() == property) return true;
  return std::any_of(record.candidates.begin(), record.candidates.end(), [&](const auto& candidate) {
    return wrote(candidate.left, property) || wrote(candidate.saw, property);
  });
}

bool is_named(std::string_view text, std::string_view wanted) {
  return text == wanted || text.substr(0, text.find('(')) == wanted;
}

bool passes(const ConflictRecord& record, const ConflictFilter& filter) {
  if (filter.since_ms && record.time.physical_ms < *filter.since_ms) return false;
  if (filter.until_ms && record.time.physical_ms >= *filter.until_ms) return false;
  if (!filter.property.empty() && !is_about(record, filter.property)) return false;
  if (!filter.policy.empty() && !is_named(record.policy, filter.policy)) return false;
  return !filter.provisional || record.is_provisional == *filter.provisional;
}

// Sorted. Of a value cell.
std::vector<model::Term> present_values(const reconcile::SiteSnapshot& snapshot, const reconcile::CellName& cell) {
  const auto graph = cell.graph ? snapshot.find_term(*cell.graph) : model::TermId::default_graph();
  const auto subject = snapshot.find_term(cell.subject);
  const auto property = snapshot.find_term(cell.property);
  std::vector<model::Term> values;
  if (!graph || !subject || !property) return values;
  const std::array<model::TermId, 3> prefix = {*graph, *subject, *property};
  const auto scan = snapshot.scan(model::QuadOrder::Gspo, prefix, model::ColumnSet::all());
  std::array<model::TermId, 4> row;
  model::ScanBatch batch;
  for (size_t i = 0; i < row.size(); ++i) batch.columns[i] = &row[i];
  batch.capacity = 1;
  while (scan->next(batch) == 1) values.push_back(snapshot.get_term(row[2]));
  std::sort(values.begin(), values.end());
  return values;
}

bool is_open(const reconcile::SiteSnapshot& snapshot, const ConflictRecord& record) {
  const bool was_left_open =
      record.policy == policies::KeepAll::policy_name && record.failure.empty() && record.chosen.size() > 1;
  if (!was_left_open) return false;
  const std::vector<model::Term> values = present_values(snapshot, record.cell);
  return std::equal(values.begin(), values.end(), record.chosen.begin(), record.chosen.end(),
                    [](const auto& value, const auto& statement) { return value == statement.object; });
}

}  // namespace

base::Result<void> ConflictFilter::set(std::string_view name, std::string_view value) {
  if (name == "since") {
    QUADRILLE_ASSIGN(since_ms, read_time(name, value));
  } else if (name == "until") {
    QUADRILLE_ASSIGN(until_ms, read_time(name, value));
  } else if (name == "property") {
    QUADRILLE_ASSIGN(property, read_iri(name, value));
  } else if (name == "policy") {
    if (value.empty()) return wrong(name, value, "the name of a policy");
    policy = value;
  } else if (name == "provisional") {
    QUADRILLE_ASSIGN(provisional, read_boolean(name, value));
  } else if (name == "open") {
    QUADRILLE_ASSIGN(open, read_boolean(name, value));
  } else if (name == "limit") {
    QUADRILLE_ASSIGN(limit, read_count(name, value));
  } else {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("'{}' is no parameter of conflicts; expected {}", model::describe_text(name),
                                   fmt::join(filter_names, ", ")),
                       {}};
  }
  return {};
}

std::vector<ListedConflict> list_conflicts(const reconcile::SiteSnapshot& snapshot, const ConflictFilter& filter) {
  std::vector<ListedConflict> listed;
  for (ConflictRecord& record : snapshot.conflicts()) {
    if (!passes(record, filter)) continue;
    const bool is_still_open = is_open(snapshot, record);
    if (filter.open && is_still_open != *filter.open) continue;
    listed.push_back({std::move(record), is_still_open});
  }
  if (filter.limit && listed.size() > *filter.limit) {
    listed.erase(listed.begin(), listed.end() - static_cast<std::ptrdiff_t>(*filter.limit));
  }
  return listed;
}

}  // namespace quadrille::replica
