#include "reconcile/local_transaction.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::reconcile {
namespace {

constexpr size_t gathered_max = 500'000;

}  // namespace

bool LocalTransaction::insert(const model::Quad& quad) {
  if (!may_write(quad)) return false;
  const log::Cell cell = writing_.memory.rules().cell_of(quad, quads_);
  return cell.kind == log::CellKind::Quad ? assert_quad(quad, true) : insert_value(cell, quad);
}

bool LocalTransaction::erase(const model::Quad& quad) {
  if (!may_write(quad)) return false;
  const log::Cell cell = writing_.memory.rules().cell_of(quad, quads_);
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
  if (is_new) entry->second.saw = visible_content(quads_, cell, writing_.memory.rules());
  return entry->second;
}

bool LocalTransaction::insert_value(const log::Cell& cell, const model::Quad& quad) {
  CellState& state = cell_state(cell);
  std::vector<log::Statement>& inserted = state.inserted;
  for (const log::Statement& statement : visible_content(quads_, cell, writing_.memory.rules())) {
    if (statement.property != quad.predicate) continue;  // of a record
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

bool LocalTransaction::has_too_many_values(const model::Quad& quad) {
  const auto entry = cells_.find(writing_.memory.rules().cell_of(quad, quads_));
  return entry != cells_.end() && has_too_many_values(entry->first, entry->second);
}

bool LocalTransaction::has_too_many_values(const log::Cell& cell, const CellState& state) {
  if (cell.kind != log::CellKind::Value || state.inserted.size() <= 1) return false;
  return !writing_.memory.rules().find_rule_of(cell, quads_)->decided_by.policy->accepts_several_values();
}

}  // namespace quadrille::reconcile
