#include "reconcile/context_outcomes.h"

#include <algorithm>

#include "log/bytes.h"
#include "log/stored_operations.h"

namespace quadrille::reconcile {
namespace {

ContextOutcome read_one(log::ByteReader& reader) {
  ContextOutcome outcome;
  for (uint64_t left = reader.count(2); left > 0 && reader.ok(); --left) {
    log::ChangesetKey& version = outcome.maximal.emplace_back();
    version.origin = static_cast<log::OriginNumber>(reader.varint());
    version.seq = reader.varint();
  }
  outcome.content = log::read_content(reader);
  outcome.failure = reader.sized();
  std::sort(outcome.content.begin(), outcome.content.end());
  return outcome;
}

void write_one(log::ByteWriter& writer, const ContextOutcome& outcome) {
  writer.varint(outcome.maximal.size());
  for (const log::ChangesetKey& version : outcome.maximal) {
    writer.varint(version.origin);
    writer.varint(version.seq);
  }
  log::write_content(writer, outcome.content);
  writer.sized(outcome.failure);
}

}  // namespace

ContextTables open_context_tables(store::Store& store) {
  return {store.open_table("reconcile.outcomes"), store.open_table("reconcile.awaiting")};
}

std::vector<ContextOutcome> ContextOutcomes::of(std::string_view cell_key) const {
  const auto row = reading_.get(tables_.outcomes, cell_key);
  if (!row) return {};
  log::ByteReader reader(*row);
  std::vector<ContextOutcome> outcomes;
  while (reader.ok() && !reader.at_end()) outcomes.push_back(read_one(reader));
  if (!reader.ok()) log::fail_as_corrupt("reconcile.outcomes");
  return outcomes;
}

std::optional<ContextOutcome> ContextOutcomes::find(std::string_view cell_key,
                                                    const std::vector<log::ChangesetKey>& maximal) const {
  for (ContextOutcome& outcome : of(cell_key)) {
    if (outcome.maximal == maximal) return std::move(outcome);
  }
  return std::nullopt;
}

void put_outcomes(store::WriteTransaction& writing, const ContextTables& tables, std::string_view cell_key,
                  const std::vector<ContextOutcome>& outcomes) {
  if (outcomes.empty()) {
    writing.erase(tables.outcomes, cell_key);
    return;
  }
  std::string row;
  log::ByteWriter writer(row);
  for (const ContextOutcome& outcome : outcomes) write_one(writer, outcome);
  writing.put(tables.outcomes, cell_key, row);
}

void set_awaiting(store::WriteTransaction& writing, const ContextTables& tables, std::string_view cell_key,
                  bool is_awaiting) {
  if (is_awaiting) {
    writing.put(tables.awaiting, cell_key, {});
  } else {
    writing.erase(tables.awaiting, cell_key);
  }
}

}  // namespace quadrille::reconcile
