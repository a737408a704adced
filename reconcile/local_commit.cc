// How a local transaction ends: what it asserted becomes a changeset, in log and window.
#include <fmt/format.h>

#include <algorithm>

#include "reconcile/cell_text.h"
#include "reconcile/local_transaction.h"

namespace quadrille::reconcile {

base::Result<CommitReceipt> LocalTransaction::commit_with(const StagedPart* part) {
  if (refused_) return *refused_;
  write_gathered();
  std::vector<Assertion> assertions = final_assertions();
  QUADRILLE_TRY(check_quads(assertions));
  log::Operations operations;
  QUADRILLE_ASSIGN(operations.cells, final_cells());
  operations.announcements = announcements_;
  for (const Assertion& assertion : assertions) operations.quads.push_back({assertion.quad, assertion.exists});
  CommitReceipt receipt;
  count(assertions, operations.cells, receipt);
  std::vector<StagedBulk::CellToDecide> to_decide;
  if (part) {
    if (StagedBulk* bulk = part->staged.bulk()) {
      QUADRILLE_ASSIGN(to_decide, bulk->cells_to_decide(writing_));
    }
    QUADRILLE_ASSIGN(const uint64_t added, part->load.switch_in(quads_));
    receipt.quads_inserted += added;
  }
  const uint64_t operation_count =
      operations.size() + (part ? part->load.counts().absent + part->load.counts().present : 0);
  if (operation_count == 0) return receipt;
  const uint64_t bulk = bulk_for(operations, part);
  receipt.header = write_log(operations, operation_count, bulk, part);
  if (writing_.memory.is_alone()) return receipt;
  Window window(writing_, {writing_.state.number_of(receipt.header.id.origin), receipt.header.id.seq}, bulk);
  MixedVersions mixed;
  write_quads(assertions, window, part == nullptr, mixed);
  for (const auto& cell : to_decide) window.add_row(cell.quad, cell.existed, true);
  write_cells(operations.cells, window, mixed);
  write_mixed(mixed, window);
  window.finish(part ? part->staged.bulk() : nullptr, to_decide.size());
  return receipt;
}

void LocalTransaction::count(const std::vector<Assertion>& assertions, const std::vector<log::CellOperation>& cells,
                             CommitReceipt& receipt) {
  for (const Assertion& assertion : assertions) {
    if (assertion.exists && !assertion.existed) ++receipt.quads_inserted;
    if (!assertion.exists && assertion.existed) ++receipt.quads_erased;
  }
  for (const log::CellOperation& operation : cells) {
    const auto missing_in = [](const log::CellContent& content) {
      return [&content](const log::Statement& one) { return !std::binary_search(content.begin(), content.end(), one); };
    };
    const auto count_of = [&](const log::CellContent& of, const log::CellContent& in) {
      return static_cast<uint64_t>(std::count_if(of.begin(), of.end(), missing_in(in)));
    };
    receipt.quads_inserted += count_of(operation.left, operation.saw);
    receipt.quads_erased += count_of(operation.saw, operation.left);
  }
}

// 0: the changeset has none.
uint64_t LocalTransaction::bulk_for(const log::Operations& operations, const StagedPart* part) {
  if (writing_.memory.is_alone()) return 0;
  if (part) return part->staged.bulk()->number();
  return operations.size() < writing_.memory.large_changeset_min ? 0 : writing_.state.add_bulk().number;
}

std::vector<LocalTransaction::Assertion> LocalTransaction::final_assertions() {
  std::stable_sort(assertions_.begin(), assertions_.end(), [](const Assertion& left, const Assertion& right) {
    return log::comes_before(left.quad, right.quad);  // so that the window's table is walked in order
  });
  std::vector<Assertion> finals;
  for (const Assertion& assertion : assertions_) {
    if (!finals.empty() && finals.back().quad == assertion.quad) {
      finals.back().exists = assertion.exists;  // the last counts; whether it existed, the first knows
    } else {
      finals.push_back(assertion);
    }
  }
  return finals;
}

base::Result<std::vector<log::CellOperation>> LocalTransaction::final_cells() {
  std::vector<log::CellOperation> operations;
  for (auto& [cell, state] : cells_) {
    if (has_too_many_values(cell, state)) {
      return base::Error{
          base::ErrorKind::Refused,
          fmt::format("{} values for {} {}, which may have one", state.inserted.size(),
                      to_ntriples(quads_.get_term(cell.subject)), to_ntriples(quads_.get_term(cell.property))),
          {}};
    }
    log::CellContent left = visible_content(quads_, cell, writing_.memory.rules());
    if (left == state.saw) continue;
    QUADRILLE_ASSIGN(left, checked(cell, state.saw, std::move(left)));
    if (left != state.saw) operations.push_back({cell, state.saw, std::move(left)});
  }
  return operations;
}

log::ChangesetHeader LocalTransaction::write_log(const log::Operations& operations, uint64_t operation_count,
                                                 uint64_t bulk, const StagedPart* part) {
  log::LogState& state = writing_.state;
  const log::OriginNumber self = state.number_of(writing_.memory.identity.site);
  log::ChangesetHeader header;
  header.id = {writing_.memory.identity.site, state.origins[self].seq + 1};
  header.stamp = writing_.memory.clock.tick();
  header.dependencies = state.version_vector();
  header.assignment = writing_.memory.assignments.in_force().number;
  header.operation_count = operation_count;
  header.chunk_count = part ? part->staged.chunk_count() : 0;
  log::ChangesetHasher hasher = part ? part->staged.hasher() : log::ChangesetHasher();
  // With no other member nobody will ever ask for it.
  if (!writing_.memory.is_alone()) write_chunks(operations, {self, header.id.seq}, bulk, header, hasher);
  header.hash = hasher.finish(state.origins[self].hash, header);
  writing_.log().add_header({self, header.id.seq}, header, state, bulk);
  state.clock_floor = std::max(state.clock_floor, header.stamp);
  return header;
}

void LocalTransaction::write_chunks(const log::Operations& operations, log::ChangesetKey changeset, uint64_t bulk,
                                    log::ChangesetHeader& header, log::ChangesetHasher& hasher) {
  const log::SourceTermText terms(quads_);
  log::ChangeLogWriter log = writing_.log();
  log::OperationsView rest{operations.quads, operations.cells, operations.announcements};
  while (rest.size() > 0) {
    const log::EncodedChunk chunk = encode_chunk(rest, terms);
    hasher.add_chunk(chunk.bytes);
    log.add_operations(changeset, bulk, header.chunk_count++, chunk.taken);
    rest.quads = rest.quads.subspan(chunk.taken.quads.size());
    rest.cells = rest.cells.subspan(chunk.taken.cells.size());
    rest.announcements = rest.announcements.subspan(chunk.taken.announcements.size());
  }
}

void LocalTransaction::write_cells(const std::vector<log::CellOperation>& cells, Window& window, MixedVersions& mixed) {
  for (const log::CellOperation& operation : cells) {
    if (writing_.memory.assignments.is_in_transition(operation.cell, quads_)) {
      mixed.add(operation.cell, window.version(operation.saw, operation.left), operation.saw);
      continue;
    }
    const std::string key = log::cell_key(operation.cell);
    const Window::Found found = window.find(operation.cell, key);
    std::string row = found.row ? *found.row : log::empty_history(operation.cell, operation.saw);
    log::append_version(row, operation.cell, window.version(operation.saw, operation.left));
    window.put_row(key, row, found);
  }
}

void LocalTransaction::write_quads(const std::vector<Assertion>& assertions, Window& window, bool in_range,
                                   MixedVersions& mixed) {
  for (const auto& [quad, existed, exists] : assertions) {
    const log::Cell cell = log::quad_cell(quad);
    if (!writing_.memory.assignments.is_in_transition(cell, quads_)) {
      if (in_range) {
        window.add_seen_quad(quad, existed, exists);
      } else {
        window.add_row(quad, existed, exists);
      }
      continue;
    }
    const log::CellContent here{{quad.predicate, quad.object}};
    const log::CellContent nothing;
    mixed.add(cell, window.version({}, exists ? here : nothing), existed ? here : nothing);
  }
}

void LocalTransaction::write_mixed(const MixedVersions& mixed, Window& window) {
  const log::ChangeLogWriter log = writing_.log();
  CellEvaluator evaluator(quads_, log, writing_.state, writing_.memory.facts, writing_.memory.assignments,
                          writing_.outcomes());
  ConflictTableWriter conflicts(quads_.tables(), writing_.tables.conflicts);
  MixedCells(writing_, conflicts, evaluator).add_local(mixed, window);
}

base::Result<void> LocalTransaction::check_quads(std::vector<Assertion>& assertions) {
  for (Assertion& assertion : assertions) {
    const log::Cell cell = log::quad_cell(assertion.quad);
    if (!writing_.memory.rules().find_rule_of(cell, quads_)->decided_by.policy->checks_local_changes()) continue;
    const log::CellContent here{{cell.property, cell.object}};
    const log::CellContent nothing;
    QUADRILLE_ASSIGN(const auto left,
                     checked(cell, assertion.existed ? here : nothing, assertion.exists ? here : nothing));
    assertion.exists = !left.empty();
  }
  return {};
}

base::Result<log::CellContent> LocalTransaction::checked(const log::Cell& cell, const log::CellContent& saw,
                                                         log::CellContent left) {
  const NamedPolicy& decides = writing_.memory.rules().find_rule_of(cell, quads_)->decided_by;
  if (!decides.policy->checks_local_changes()) return left;
  LocalDecision decision;
  try {
    decision =
        decides.policy->check({cell_name(cell, quads_), to_text(saw, quads_), to_text(left, quads_), decides.argument});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& trouble) {
    decision.refused = std::string("its check failed: ") + trouble.what();
  }
  if (!decision.refused && !decision.completed) return left;
  log::CellContent completed;
  if (decision.completed) completed = to_ids(*decision.completed, quads_);
  const bool is_all_of_cell = std::all_of(completed.begin(), completed.end(), [&](const log::Statement& statement) {
    return writing_.memory.rules().is_of(cell, statement.property, quads_) &&
           (cell.kind != log::CellKind::Quad || statement.object == cell.object);
  });
  if (!is_all_of_cell) decision.refused = "its check completed the cell with a statement that is not of it";
  if (decision.refused) {
    return base::Error{base::ErrorKind::Refused,
                       fmt::format("policy '{}' refuses the change of {} {}: {}", decides.text,
                                   to_ntriples(quads_.get_term(cell.subject)),
                                   to_ntriples(quads_.get_term(cell.property)), *decision.refused),
                       {}};
  }
  set_content(quads_, cell, left, completed);
  return completed;
}

}  // namespace quadrille::reconcile
