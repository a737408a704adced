#include "reconcile/local_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "log/bulk_table.h"
#include "log/changeset_codec.h"
#include "log/history_window.h"
#include "reconcile/window.h"

namespace quadrille::reconcile {
namespace {

constexpr size_t gathered_max = 500'000;

// As the window's keys, so that its table is walked in order.
auto window_order(const model::Quad& quad) { return std::tuple(quad.graph, quad.subject, quad.predicate, quad.object); }

}  // namespace

bool LocalTransaction::insert(const model::Quad& quad) {
  if (!may_write(quad)) return false;
  const log::Cell cell = writing_.memory.rules.cell_of(quad, quads_);
  return cell.kind == log::CellKind::Quad ? assert_quad(quad, true) : insert_value(cell, quad);
}

bool LocalTransaction::erase(const model::Quad& quad) {
  if (!may_write(quad)) return false;
  const log::Cell cell = writing_.memory.rules.cell_of(quad, quads_);
  return cell.kind == log::CellKind::Quad ? assert_quad(quad, false) : erase_value(cell, quad);
}

bool LocalTransaction::may_write(const model::Quad& quad) {
  if (!writing_.is_local_graph(quad.graph)) return true;
  if (!refused_) {
    refused_ =
        base::Error{base::ErrorKind::Refused,
                    fmt::format("graph <{}> is local to the site and read-only", quads_.get_term(quad.graph).text()),
                    {}};
  }
  return false;
}

bool LocalTransaction::assert_quad(const model::Quad& quad, bool exists) {
  const bool has_changed = exists ? insert_quad(quad) : erase_quad(quad);
  assertions_.push_back({quad, has_changed ? !exists : exists, exists});
  return has_changed;
}

bool LocalTransaction::insert_quad(const model::Quad& quad) {
  if (quads_.contains(quad)) return false;
  const bool is_new = gathered_.insert(quad).second;
  if (gathered_.size() == gathered_max) write_gathered();
  return is_new;
}

bool LocalTransaction::erase_quad(const model::Quad& quad) { return gathered_.erase(quad) > 0 || quads_.erase(quad); }

void LocalTransaction::write_gathered() const {
  if (gathered_.empty()) return;
  quads_.insert_all({gathered_.begin(), gathered_.end()});
  gathered_.clear();
}

LocalTransaction::CellState& LocalTransaction::cell_state(const log::Cell& cell) {
  const auto [entry, is_new] = cells_.try_emplace(cell);
  if (is_new) entry->second.saw = visible_content(quads_, cell);
  return entry->second;
}

bool LocalTransaction::insert_value(const log::Cell& cell, const model::Quad& quad) {
  CellState& state = cell_state(cell);
  std::vector<log::Statement>& inserted = state.inserted;
  for (const log::Statement& statement : visible_content(quads_, cell)) {
    const bool is_own = std::find(inserted.begin(), inserted.end(), statement) != inserted.end();
    if (!is_own && statement.object != quad.object) quads_.erase(quad_of(cell, statement));
  }
  const log::Statement statement{quad.predicate, quad.object};
  if (std::find(inserted.begin(), inserted.end(), statement) == inserted.end()) inserted.push_back(statement);
  return quads_.insert(quad);
}

bool LocalTransaction::erase_value(const log::Cell& cell, const model::Quad& quad) {
  CellState& state = cell_state(cell);
  std::erase(state.inserted, log::Statement{quad.predicate, quad.object});
  return quads_.erase(quad);
}

base::Result<CommitReceipt> LocalTransaction::commit() {
  if (refused_) return *refused_;
  write_gathered();
  const std::vector<Assertion> assertions = final_assertions();
  log::Operations operations;
  QUADRILLE_ASSIGN(operations.cells, final_cells());
  CommitReceipt receipt;
  operations.quads.reserve(assertions.size());
  for (const Assertion& assertion : assertions) {
    operations.quads.push_back({assertion.quad, assertion.exists});
    if (assertion.exists && !assertion.existed) ++receipt.quads_inserted;
    if (!assertion.exists && assertion.existed) ++receipt.quads_erased;
  }
  for (const log::CellOperation& operation : operations.cells) {
    const auto missing_in = [](const log::CellContent& content) {
      return [&content](const log::Statement& one) { return !std::binary_search(content.begin(), content.end(), one); };
    };
    const auto count = [&](const log::CellContent& of, const log::CellContent& in) {
      return static_cast<uint64_t>(std::count_if(of.begin(), of.end(), missing_in(in)));
    };
    receipt.quads_inserted += count(operation.left, operation.saw);
    receipt.quads_erased += count(operation.saw, operation.left);
  }
  if (operations.size() == 0) return receipt;
  const bool is_large = !writing_.memory.is_alone() && operations.size() >= writing_.memory.large_changeset_min;
  const uint64_t bulk = is_large ? writing_.state.add_bulk().number : 0;
  receipt.header = write_log(operations, bulk);
  const log::ChangesetKey changeset{writing_.state.number_of(receipt.header.id.origin), receipt.header.id.seq};
  if (!writing_.memory.is_alone()) write_window(changeset, bulk, assertions, operations.cells);
  return receipt;
}

std::vector<LocalTransaction::Assertion> LocalTransaction::final_assertions() {
  std::stable_sort(assertions_.begin(), assertions_.end(), [](const Assertion& left, const Assertion& right) {
    return window_order(left.quad) < window_order(right.quad);
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
    const CellRule& rule = writing_.memory.rules.rule_of(cell, quads_);
    if (state.inserted.size() > 1 && !rule.policy->accepts_several_values()) {
      return base::Error{
          base::ErrorKind::Refused,
          fmt::format("{} values for {} {}, which may have one", state.inserted.size(),
                      to_ntriples(quads_.get_term(cell.subject)), to_ntriples(quads_.get_term(cell.property))),
          {}};
    }
    log::CellContent left = visible_content(quads_, cell);
    if (left != state.saw) operations.push_back({cell, state.saw, std::move(left)});
  }
  return operations;
}

log::ChangesetHeader LocalTransaction::write_log(const log::Operations& operations, uint64_t bulk) {
  log::LogState& state = writing_.state;
  const log::OriginNumber self = state.number_of(writing_.memory.identity.site);
  log::ChangesetHeader header;
  header.id = {writing_.memory.identity.site, state.origins[self].seq + 1};
  header.stamp = writing_.memory.clock.tick();
  header.dependencies = state.version_vector();
  header.operation_count = operations.size();
  const log::ChangesetKey changeset{self, header.id.seq};
  const log::SourceTermText terms(quads_);
  log::ChangesetHasher hasher;
  log::ChangeLogWriter log = writing_.log();
  log::BulkTableWriter bulks(quads_.tables(), writing_.tables.log.bulk);
  log::OperationsView rest{operations.quads, operations.cells};
  while (rest.size() > 0) {
    const log::EncodedChunk chunk = encode_chunk(rest, terms);
    hasher.add_chunk(chunk.bytes);
    if (bulk != 0) {
      bulks.add_operations(bulk, header.chunk_count++, chunk.taken);
    } else {
      log.add_operations(changeset, header.chunk_count++, chunk.taken);
    }
    rest.quads = rest.quads.subspan(chunk.taken.quads.size());
    rest.cells = rest.cells.subspan(chunk.taken.cells.size());
  }
  header.hash = hasher.finish(state.origins[self].hash, header);
  log.add_header(changeset, header, state, bulk);
  state.clock_floor = std::max(state.clock_floor, header.stamp);
  return header;
}

void LocalTransaction::write_window(log::ChangesetKey changeset, uint64_t bulk,
                                    const std::vector<Assertion>& assertions,
                                    const std::vector<log::CellOperation>& cells) {
  Window window(writing_, changeset, bulk);
  for (const Assertion& assertion : assertions) {
    const model::Quad& quad = assertion.quad;
    const log::Cell cell{log::CellKind::Quad, quad.graph, quad.subject, quad.predicate, quad.object};
    const std::string key = log::cell_key(cell);
    window.add_seen_quad(quad, key, window.find(cell, key, assertion.existed), assertion.existed, assertion.exists);
  }
  for (const log::CellOperation& operation : cells) {
    const std::string key = log::cell_key(operation.cell);
    Window::Found found = window.find(operation.cell, key);
    std::string row = found.row ? std::move(*found.row) : log::empty_history(operation.cell, operation.saw);
    log::append_version(row, operation.cell, {changeset.origin, changeset.seq, operation.saw, operation.left});
    window.put_row(key, row, found);
  }
  window.finish();
}

}  // namespace quadrille::reconcile
