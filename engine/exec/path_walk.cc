#include "engine/exec/path_walk.h"

#include <algorithm>
#include <unordered_set>

#include "engine/exec/pattern_reader.h"
#include "engine/plan/pattern_access.h"

namespace quadrille::exec {

using sparql::Path;
using sparql::PathKind;

namespace {

// Stand for the free places of a pattern: what a plan would have given numbers to.
constexpr plan::VariableId subject_place = 0;
constexpr plan::VariableId predicate_place = 1;
constexpr plan::VariableId object_place = 2;

}  // namespace

void PathWalk::follow(const Path& path, TermId node, bool backwards, std::vector<TermId>& found) {
  switch (path.kind) {
    case PathKind::Link: link(run_.terms.id_of(*path.link), node, backwards, found); return;
    case PathKind::Inverse: follow(path.parts.front(), node, !backwards, found); return;
    case PathKind::Sequence: {
      std::vector<TermId> here = {node};
      for (size_t i = 0; i < path.parts.size(); ++i) {
        const Path& part = path.parts[backwards ? path.parts.size() - 1 - i : i];
        std::vector<TermId> next;
        for (TermId from : here) follow(part, from, backwards, next);
        here = std::move(next);
      }
      found.insert(found.end(), here.begin(), here.end());
      return;
    }
    case PathKind::Alternative:
      for (const Path& part : path.parts) follow(part, node, backwards, found);
      return;
    case PathKind::ZeroOrMore: closure(path.parts.front(), node, backwards, true, true, found); return;
    case PathKind::OneOrMore: closure(path.parts.front(), node, backwards, false, true, found); return;
    case PathKind::ZeroOrOne: closure(path.parts.front(), node, backwards, true, false, found); return;
    case PathKind::NegatedSet: negated(path, node, backwards, found); return;
  }
}

void PathWalk::link(TermId predicate, TermId node, bool backwards, std::vector<TermId>& found) {
  for (const PairOfNodes& pair : neighbours(node, predicate, backwards)) found.push_back(pair.node);
}

void PathWalk::negated(const Path& path, TermId node, bool backwards, std::vector<TermId>& found) {
  const auto add = [&](const std::vector<model::Term>& forbidden, bool against) {
    std::vector<TermId> ids;
    for (const model::Term& term : forbidden) ids.push_back(run_.terms.id_of(term));
    for (const PairOfNodes& pair : neighbours(node, TermId(), against)) {
      if (std::find(ids.begin(), ids.end(), pair.predicate) == ids.end()) found.push_back(pair.node);
    }
  };
  // !(^a) looks only at links against the direction, !(a) only at those along it.
  if (!path.forbidden.empty() || path.forbidden_inverse.empty()) add(path.forbidden, backwards);
  if (!path.forbidden_inverse.empty()) add(path.forbidden_inverse, !backwards);
}

void PathWalk::closure(const Path& step, TermId node, bool backwards, bool with_start, bool repeats,
                       std::vector<TermId>& found) {
  std::unordered_set<TermId> seen;
  std::vector<TermId> order;
  const auto visit = [&](TermId one) {
    if (seen.insert(one).second) order.push_back(one);
  };
  std::vector<TermId> next;
  if (with_start) {
    visit(node);
  } else {
    follow(step, node, backwards, next);
    for (TermId one : next) visit(one);
  }
  const size_t first_round = repeats ? SIZE_MAX : 1;
  for (size_t i = 0; i < order.size() && i < first_round; ++i) {
    next.clear();
    follow(step, order[i], backwards, next);
    for (TermId one : next) visit(one);
    run_.check();
  }
  found.insert(found.end(), order.begin(), order.end());
}

std::vector<PathWalk::PairOfNodes> PathWalk::neighbours(TermId node, TermId predicate, bool backwards) {
  std::vector<PairOfNodes> found;
  // Terms of the query's own are in no index.
  if (node.is_transient() || predicate.is_transient()) return found;
  plan::PatternAccess access;
  access.graph = graph_;
  access.triple[backwards ? 2 : 0].constant = node;
  access.triple[backwards ? 0 : 2].variable = backwards ? subject_place : object_place;
  if (predicate.is_bound()) {
    access.triple[1].constant = predicate;
  } else {
    access.triple[1].variable = predicate_place;
  }
  plan::choose_order(access, {});
  PatternReader reader(access, {}, run_);
  reader.open();
  const auto far = backwards ? model::Column::Subject : model::Column::Object;
  for (size_t capacity = first_batch_rows;; capacity = grown(capacity)) {
    const size_t rows = reader.read(capacity);
    if (rows == 0) return found;
    for (size_t row = 0; row < rows; ++row) {
      if (!reader.passes(row) || (reader.merges_graphs() && reader.is_repeated(row))) continue;
      found.push_back(
          {reader.at(row, far), predicate.is_bound() ? predicate : reader.at(row, model::Column::Predicate)});
    }
  }
}

bool PathWalk::is_node(TermId node) {
  if (node.is_transient()) return false;
  for (const bool as_object : {false, true}) {
    plan::PatternAccess access;
    access.graph = graph_;
    access.triple[as_object ? 2 : 0].constant = node;
    plan::choose_order(access, {});
    PatternReader reader(access, {}, run_);
    reader.open();
    for (size_t rows = reader.read(1); rows > 0; rows = reader.read(first_batch_rows)) {
      for (size_t row = 0; row < rows; ++row) {
        if (reader.passes(row)) return true;
      }
    }
  }
  return false;
}

std::vector<TermId> PathWalk::all_nodes() {
  std::vector<TermId> nodes;
  plan::PatternAccess access;
  access.graph = graph_;
  access.triple[0].variable = subject_place;
  access.triple[2].variable = object_place;
  plan::choose_order(access, {});
  PatternReader reader(access, {}, run_);
  reader.open();
  for (size_t rows = reader.read(batch_rows_max); rows > 0; rows = reader.read(batch_rows_max)) {
    for (size_t row = 0; row < rows; ++row) {
      if (!reader.passes(row)) continue;
      nodes.push_back(reader.at(row, model::Column::Subject));
      nodes.push_back(reader.at(row, model::Column::Object));
    }
    if (nodes.size() > 1'000'000) {
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    run_.check();
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace quadrille::exec
