#include "reconcile/remote_changesets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "log/bulk_table.h"
#include "log/changeset_codec.h"
#include "log/history_window.h"
#include "reconcile/assignment_table.h"
#include "reconcile/assignments_in.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/membership_changes.h"
#include "reconcile/outcome.h"

namespace quadrille::reconcile {
namespace {

base::Error invalid(const log::ChangesetHeader& header, std::string_view trouble) {
  return {base::ErrorKind::InvalidInput,
          fmt::format("changeset {}:{} {}", to_string(header.id.origin), header.id.seq, trouble),
          {}};
}

}  // namespace

base::Result<ApplyReport> RemoteChangesets::apply(std::span<const log::ShippedChangeset> changesets) {
  for (const log::ShippedChangeset& changeset : changesets) {
    const log::ChangesetHeader& header = changeset.header;
    const auto number = writing_.state.find(header.id.origin);
    if (number && header.id.seq <= writing_.state.origins[*number].seq) {
      QUADRILLE_TRY(check_repeated(header));
      continue;
    }
    QUADRILLE_TRY(apply_one(changeset));
  }
  // Only now: what is refused moves no clock.
  for (const log::ChangesetHeader& header : report_.applied) writing_.memory.clock.observe(header.stamp);
  return std::move(report_);
}

base::Result<void> RemoteChangesets::check_repeated(const log::ChangesetHeader& header) const {
  const auto number = writing_.state.find(header.id.origin);
  const auto known = writing_.log().find_header({*number, header.id.seq});
  if (known && known->hash != header.hash) {
    return invalid(header, "differs from the one of that number that is here: two sites write under one identity");
  }
  return {};
}

base::Result<void> RemoteChangesets::check_header(const log::ChangesetHeader& header) const {
  const log::LogState& state = writing_.state;
  if (header.id.origin == writing_.memory.identity.site) {
    return invalid(header, "is said to be this site's own, and was never written here");
  }
  const auto number = state.find(header.id.origin);
  const uint64_t have = number ? state.origins[*number].seq : 0;
  if (!writing_.memory.membership.is_member(header.id.origin) &&
      !writing_.memory.membership.is_evicted(header.id.origin)) {
    return invalid(header, "is of a site that is no member");
  }
  if (header.id.seq != have + 1) return invalid(header, fmt::format("leaves a gap: expected {}", have + 1));
  if (header.dependencies.at(header.id.origin) != have) {
    return invalid(header, "does not depend on just the changesets of its origin before it");
  }
  for (const auto& [origin, seq] : header.dependencies.entries()) {
    const auto other = state.find(origin);
    if (!other || state.origins[*other].seq < seq) {
      return invalid(header, fmt::format("depends on {}:{}, which is not here", to_string(origin), seq));
    }
    // Stamps agree with causality: replay and the order of versions rest on that.
    const auto stamp = origin == header.id.origin ? std::nullopt : stamp_of(*other, seq);
    if (stamp && header.stamp <= *stamp) {
      return invalid(header, fmt::format("has a stamp that is not above that of {}:{}, on which it depends",
                                         to_string(origin), seq));
    }
  }
  if (!writing_.memory.assignments.find(header.assignment)) {
    return invalid(header, "was made under the policy assignment " + to_string(header.assignment) +
                               ", which is not here, or which all members have left behind");
  }
  const NumberedRules* in_force = writing_.memory.assignments.find_in_force_at(header.dependencies);
  if (!in_force || in_force->number != header.assignment) {
    return invalid(header, "was made under another policy assignment than the highest that it knew");
  }
  if (number && header.stamp <= state.origins[*number].stamp) {
    return invalid(header, "has a stamp that is not above that of the one before it");
  }
  return {};
}

// Nothing: the log no longer has its header.
std::optional<log::Stamp> RemoteChangesets::stamp_of(log::OriginNumber origin, uint64_t seq) const {
  const log::OriginState& state = writing_.state.origins[origin];
  if (state.seq == seq) return state.stamp;
  const auto known = writing_.log().find_header({origin, seq});
  if (!known) return std::nullopt;
  return known->stamp;
}

base::Result<void> RemoteChangesets::apply_one(const log::ShippedChangeset& changeset) {
  const log::ChangesetHeader& header = changeset.header;
  QUADRILLE_TRY(check_header(header));
  log::LogState& state = writing_.state;
  const log::ChangesetKey key{state.number_of(header.id.origin), header.id.seq};
  const bool is_large = header.operation_count >= writing_.memory.large_changeset_min;
  const uint64_t bulk = is_large ? state.add_bulk().number : 0;
  QUADRILLE_ASSIGN(log::Operations operations, take_chunks(changeset, key, bulk));
  report_.operations += operations.size();
  const log::SeenVector seen = add_header(key, header, bulk);
  Window window(writing_, key, bulk);
  QUADRILLE_TRY(apply_quads(key, seen, std::move(operations.quads), window, true));
  QUADRILLE_TRY(apply_cells(key, seen, std::move(operations.cells), window));
  evaluate_mixed(seen, window);
  window.finish();
  QUADRILLE_TRY(take_announcements(header, operations.announcements));
  report_.applied.push_back(header);
  return {};
}

base::Result<ApplyReport> RemoteChangesets::enter(const log::ChangesetHeader& header, const StagedBulk& bulk,
                                                  std::vector<log::QuadOperation> to_decide,
                                                  std::vector<log::CellOperation> cells,
                                                  const std::vector<log::Announcement>& announcements) {
  const log::ChangesetKey key{writing_.state.number_of(header.id.origin), header.id.seq};
  const log::SeenVector seen = add_header(key, header, bulk.number());
  Window window(writing_, key, bulk.number());
  const uint64_t rows_taken = to_decide.size();
  QUADRILLE_TRY(apply_quads(key, seen, std::move(to_decide), window, false));
  QUADRILLE_TRY(apply_cells(key, seen, std::move(cells), window));
  evaluate_mixed(seen, window);
  window.finish(&bulk, rows_taken);
  QUADRILLE_TRY(take_announcements(header, announcements));
  report_.operations = header.operation_count;
  report_.applied.push_back(header);
  writing_.memory.clock.observe(header.stamp);
  return std::move(report_);
}

log::SeenVector RemoteChangesets::add_header(log::ChangesetKey key, const log::ChangesetHeader& header, uint64_t bulk) {
  log::LogState& state = writing_.state;
  writing_.log().add_header(key, header, state, bulk);
  state.clock_floor = std::max(state.clock_floor, header.stamp);
  log::SeenVector seen(header.dependencies, state);
  writing_.memory.facts.make_room();
  writing_.memory.facts.put(key, {header.stamp, seen, writing_.memory.assignments.find(header.assignment)});
  return seen;
}

base::Result<void> RemoteChangesets::check_hash(const log::ShippedChangeset& changeset,
                                                const log::ChangesetHash& previous) {
  const log::ChangesetHeader& header = changeset.header;
  log::ChangesetHasher hasher;
  for (const std::string& chunk : changeset.chunks) hasher.add_chunk(chunk);
  if (hasher.finish(previous, header) != header.hash) {
    return invalid(header, "does not follow from its origin's hash chain");
  }
  if (changeset.chunks.empty() || header.chunk_count != changeset.chunks.size()) {
    return invalid(header, fmt::format("has {} chunks; expected {}, and at least one", changeset.chunks.size(),
                                       header.chunk_count));
  }
  return {};
}

base::Result<log::Operations> RemoteChangesets::take_chunks(const log::ShippedChangeset& changeset,
                                                            log::ChangesetKey key, uint64_t bulk) {
  const log::ChangesetHeader& header = changeset.header;
  QUADRILLE_TRY(check_hash(changeset, writing_.state.origins[key.origin].hash));
  log::ChangeLogWriter log = writing_.log();
  log::Operations all;
  for (uint32_t i = 0; i < header.chunk_count; ++i) {
    QUADRILLE_ASSIGN(const log::Operations operations, take_chunk(header, changeset.chunks[i]));
    log.add_operations(key, bulk, i, {operations.quads, operations.cells, operations.announcements});
    all.quads.insert(all.quads.end(), operations.quads.begin(), operations.quads.end());
    all.cells.insert(all.cells.end(), operations.cells.begin(), operations.cells.end());
    all.announcements.insert(all.announcements.end(), operations.announcements.begin(), operations.announcements.end());
  }
  if (all.size() != header.operation_count) {
    return invalid(header, fmt::format("has {} operations; expected {}", all.size(), header.operation_count));
  }
  return all;
}

base::Result<log::Operations> RemoteChangesets::take_chunk(const log::ChangesetHeader& header, std::string_view bytes) {
  const auto take = [&]() -> base::Result<log::Operations> {
    QUADRILLE_ASSIGN(const log::DecodedChunk chunk, log::decode_chunk(bytes));
    QUADRILLE_ASSIGN(log::Operations operations, log::with_ids(chunk, quads_.intern_all(chunk.terms)));
    return operations;
  };
  base::Result<log::Operations> operations = take();
  if (!operations) return invalid(header, operations.error().message);
  QUADRILLE_TRY(check_cells(header, *operations));
  return operations;
}

// Sites that meet have compared their assignments, so what differs here is a fault, and must not get in.
base::Result<void> RemoteChangesets::check_cells(const log::ChangesetHeader& header,
                                                 const log::Operations& operations) {
  const base::Error error = invalid(header, "writes a cell that is none under the policy assignment that it names");
  CellRules& rules = writing_.memory.assignments.find(header.assignment)->rules;
  for (const log::QuadOperation& operation : operations.quads) {
    const model::Quad& quad = operation.quad;
    if (writing_.is_local_graph(quad.graph)) return error;
    if (rules.rule_of(quad.graph, quad.predicate, quads_).kind != log::CellKind::Quad) return error;
  }
  for (const log::CellOperation& operation : operations.cells) {
    const log::Cell& cell = operation.cell;
    if (writing_.is_local_graph(cell.graph) || !rules.find_rule_of(cell, quads_)) return error;
    for (const log::CellContent* content : {&operation.saw, &operation.left}) {
      for (const log::Statement& statement : *content) {
        if (!rules.is_of(cell, statement.property, quads_)) return error;
      }
    }
  }
  return {};
}

base::Result<void> RemoteChangesets::take_announcements(const log::ChangesetHeader& header,
                                                        const std::vector<log::Announcement>& announcements) {
  for (const log::Announcement& announcement : announcements) {
    if (announcement.kind == log::AnnouncementKind::Membership) {
      auto change = decode_membership_change(announcement.bytes);
      if (!change.ok()) return invalid(header, change.error().message);
      take_membership(writing_, header, std::move(*change));
      continue;
    }
    if (auto taken = take_assignment(writing_, conflicts_, header, announcement.bytes); !taken.ok()) {
      return base::Error{
          taken.error().kind,
          fmt::format("changeset {}:{}: {}", to_string(header.id.origin), header.id.seq, taken.error().message),
          {}};
    }
  }
  return {};
}

base::Result<void> RemoteChangesets::apply_quads(log::ChangesetKey changeset, const log::SeenVector& seen,
                                                 std::vector<log::QuadOperation> operations, Window& window,
                                                 bool in_range) {
  std::sort(operations.begin(), operations.end(), [](const log::QuadOperation& left, const log::QuadOperation& right) {
    return log::comes_before(left.quad, right.quad);
  });
  const bool is_store_empty = quads_.quad_count() == 0;
  std::vector<model::Quad> inserted;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto& [quad, exists] = operations[i];
    if (i > 0 && operations[i - 1].quad == quad) {
      return base::Error{base::ErrorKind::InvalidInput, "a changeset asserts one quad twice", {}};
    }
    const log::Cell cell = log::quad_cell(quad);
    if (writing_.memory.assignments.is_in_transition(cell, quads_)) {
      const log::CellContent here{{quad.predicate, quad.object}};
      mixed_.add(cell, {changeset.origin, changeset.seq, {}, exists ? here : log::CellContent{}});
      continue;
    }
    const std::string key = log::cell_key(cell);
    const bool existed = !is_store_empty && quads_.contains(quad);
    const Window::Found found = window.find(cell, key, existed);
    if (found.row && !log::has_seen_all(seen, cell.kind, *found.row)) {
      const log::CellContent here{{quad.predicate, quad.object}};
      evaluate(cell, key, found, {changeset.origin, changeset.seq, {}, exists ? here : log::CellContent{}}, seen,
               window);
      continue;
    }
    if (in_range) {
      window.add_seen_quad(quad, key, found, existed, exists);
    } else {
      window.add_row(quad, key, found, existed, exists);
    }
    if (exists && !existed) inserted.push_back(quad);
    if (!exists && existed) quads_.erase(quad);
  }
  quads_.insert_all(std::move(inserted));
  return {};
}

base::Result<void> RemoteChangesets::apply_cells(log::ChangesetKey changeset, const log::SeenVector& seen,
                                                 std::vector<log::CellOperation> operations, Window& window) {
  std::sort(operations.begin(), operations.end(),
            [](const log::CellOperation& left, const log::CellOperation& right) { return left.cell < right.cell; });
  for (size_t i = 0; i < operations.size(); ++i) {
    log::CellOperation& operation = operations[i];
    const log::Cell& cell = operation.cell;
    if (i > 0 && operations[i - 1].cell == cell) {
      return base::Error{base::ErrorKind::InvalidInput, "a changeset writes one cell twice", {}};
    }
    std::sort(operation.saw.begin(), operation.saw.end());
    std::sort(operation.left.begin(), operation.left.end());
    const log::WindowVersion version{changeset.origin, changeset.seq, operation.saw, operation.left};
    if (writing_.memory.assignments.is_in_transition(cell, quads_)) {
      mixed_.add(cell, version);
      continue;
    }
    const std::string key = log::cell_key(cell);
    const Window::Found found = window.find(cell, key);
    if (found.row && !log::has_seen_all(seen, cell.kind, *found.row)) {
      evaluate(cell, key, found, version, seen, window);
      continue;
    }
    const log::CellContent before = visible_content(quads_, cell, writing_.memory.rules());
    std::string row = found.row ? *found.row : log::empty_history(cell, before);
    log::append_version(row, cell, version);
    window.put_row(key, row, found);
    set_content(quads_, cell, before, operation.left);
  }
  return {};
}

void RemoteChangesets::evaluate(const log::Cell& cell, std::string_view key, const Window::Found& found,
                                const log::WindowVersion& version, const log::SeenVector& seen, Window& window) {
  log::CellHistory history = log::decode_history(cell, *found.row);
  const log::ChangeLogWriter log = writing_.log();
  CellEvaluator evaluator(quads_, log, writing_.state, writing_.memory.facts, writing_.memory.assignments,
                          writing_.outcomes());
  add_to(history.components, version, seen);
  evaluator.sort(history.components.back());
  show_outcome(writing_, conflicts_, evaluator, cell, key, history);
  window.put_row(key, log::encode_history(cell, history), found);
  ++report_.cells_in_conflict;
}

void RemoteChangesets::evaluate_mixed(const log::SeenVector& seen, Window& window) {
  const MixedVersions mixed = std::exchange(mixed_, {});
  const log::ChangeLogWriter log = writing_.log();
  CellEvaluator evaluator(quads_, log, writing_.state, writing_.memory.facts, writing_.memory.assignments,
                          writing_.outcomes());
  MixedCells(writing_, conflicts_, evaluator).take(mixed, seen, window);
}

}  // namespace quadrille::reconcile
