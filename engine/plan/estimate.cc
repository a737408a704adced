#include "engine/plan/estimate.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/plan/pattern_access.h"

namespace quadrille::plan {

using model::Column;
using model::QuadOrder;
using model::TermId;

namespace {

constexpr size_t sampled_rows = 4;
// What is assumed where the predicate is a variable, and nothing can be measured cheaply.
constexpr double properties_of_subject = 12;
constexpr double references_to_object = 8;

}  // namespace

double Estimator::count(QuadOrder order, std::span<const TermId> prefix) {
  auto [entry, is_new] = counts_.try_emplace({order, {prefix.begin(), prefix.end()}});
  if (is_new) entry->second = static_cast<double>(source_.estimate_count(order, prefix));
  return entry->second;
}

double Estimator::rows(const PatternAccess& access) {
  PatternAccess by_constants = access;
  choose_order(by_constants, {});
  std::array<TermId, 4> prefix;
  for (size_t i = 0; i < by_constants.prefix_length; ++i) {
    const Column column = model::columns_of(by_constants.order)[i];
    if (column != Column::Graph) {
      prefix[i] = access.triple[static_cast<size_t>(column)].constant;
      continue;
    }
    // The graph of a loop is not known yet: count what is before it.
    if (access.graph.mode == GraphMode::Current) {
      return count(by_constants.order, std::span(prefix).first(i));
    }
    prefix[i] = access.graph.graph;
  }
  const double all = count(by_constants.order, std::span(prefix).first(by_constants.prefix_length));
  // A constant object or predicate after a gap in the order (S ? O) thins the rows out.
  double thinned = all;
  size_t constants = 0;
  for (const Place& place : access.triple) constants += place.is_constant() ? 1 : 0;
  size_t counted = 0;
  for (size_t i = 0; i < by_constants.prefix_length; ++i) {
    counted += model::columns_of(by_constants.order)[i] != Column::Graph ? 1 : 0;
  }
  for (size_t i = counted; i < constants; ++i) thinned /= 4;
  return all == 0 ? 0 : std::max(thinned, 1.0);
}

const Estimator::FanOut& Estimator::fan_out_of(TermId predicate) {
  auto [entry, is_new] = fan_outs_.try_emplace(predicate);
  FanOut& fan_out = entry->second;
  if (!is_new) return fan_out;
  std::array<TermId, sampled_rows> subjects;
  std::array<TermId, sampled_rows> objects;
  const TermId prefix[] = {predicate};
  auto scan = source_.scan(QuadOrder::Posg, prefix, model::ColumnSet().with(Column::Subject).with(Column::Object));
  model::ScanBatch batch;
  batch.columns[static_cast<size_t>(Column::Subject)] = subjects.data();
  batch.columns[static_cast<size_t>(Column::Object)] = objects.data();
  batch.capacity = sampled_rows;
  const size_t found = scan->next(batch);
  double of_subject = 0;
  double of_object = 0;
  for (size_t i = 0; i < found; ++i) {
    of_subject += count(QuadOrder::Spog, std::array{subjects[i], predicate});
    of_object += count(QuadOrder::Posg, std::array{predicate, objects[i]});
  }
  if (found > 0) {
    fan_out.objects_of_subject = std::max(1.0, of_subject / static_cast<double>(found));
    fan_out.subjects_of_object = std::max(1.0, of_object / static_cast<double>(found));
  }
  return fan_out;
}

double Estimator::rows_for_one(const PatternAccess& access, const VariableSet& bound) {
  const auto& [subject, predicate, object] = access.triple;
  const auto known = [&](const Place& place) { return place.is_variable() && bound.has(place.variable); };
  const bool subject_known = known(subject);
  const bool object_known = known(object);
  const bool graph_known = access.graph.mode == GraphMode::Each && bound.has(access.graph.variable);
  double all = rows(access);
  if (all == 0) return 0;
  if (graph_known) all = std::max(1.0, all / 4);
  if (known(predicate)) all = std::max(1.0, all / 10);
  if (!subject_known && !object_known) return all;

  if (!predicate.is_constant()) {
    double guess = all;
    if (subject_known) guess = std::min(guess, properties_of_subject);
    if (object_known) guess = std::min(guess, references_to_object);
    return guess;
  }
  const FanOut& fan_out = fan_out_of(predicate.constant);
  const double of_predicate = std::max(1.0, count(QuadOrder::Posg, std::array{predicate.constant}));
  if (subject_known && (object_known || object.is_constant())) {
    // Of the subject's objects, the share that is this one.
    const double share = object.is_constant() ? all / of_predicate : fan_out.subjects_of_object / of_predicate;
    return std::min(1.0, fan_out.objects_of_subject * share);
  }
  if (subject_known) return std::min(all, fan_out.objects_of_subject);
  if (subject.is_constant()) return std::min(1.0, all * fan_out.subjects_of_object / of_predicate);
  return std::min(all, fan_out.subjects_of_object);
}

}  // namespace quadrille::plan
