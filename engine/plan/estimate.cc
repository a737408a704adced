#include "engine/plan/estimate.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/plan/pattern_access.h"

namespace quadrille::plan {

using model::Column;
using model::QuadOrder;
using model::TermId;

namespace {

constexpr uint64_t sampled_steps = 32;
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

namespace {

// Steps through the objects of a predicate, each with one of its subjects.
class ObjectWalk {
 public:
  ObjectWalk(const model::QuadSource& source, TermId predicate)
      : scan_(source.scan(QuadOrder::Posg, std::array{predicate},
                          model::ColumnSet().with(Column::Subject).with(Column::Object))) {
    batch_.columns[static_cast<size_t>(Column::Subject)] = &subject_;
    batch_.columns[static_cast<size_t>(Column::Object)] = &object_;
    batch_.capacity = 1;
  }
  bool next() { return scan_->next(batch_) > 0; }
  void skip_to(uint64_t object) { scan_->skip_to(std::array{TermId(object)}); }
  TermId subject() const noexcept { return subject_; }
  TermId object() const noexcept { return object_; }

 private:
  std::unique_ptr<model::QuadScan> scan_;
  model::ScanBatch batch_;
  TermId subject_;
  TermId object_;
};

// A power of two by which the first object is less than any other one of its kind, at most twice too large.
uint64_t spread_of_objects(const model::QuadSource& source, TermId predicate) {
  ObjectWalk walk(source, predicate);
  if (!walk.next()) return 0;
  const TermId first = walk.object();
  uint64_t spread = 1;
  for (; spread < model::TermId::payload_mask; spread *= 2) {
    walk.skip_to(first.bits() + spread);
    if (!walk.next() || walk.object().tag() != first.tag()) break;
    while (spread * 2 <= walk.object().bits() - first.bits()) spread *= 2;
  }
  return spread;
}

}  // namespace

// Looks at objects of the predicate that are spread evenly over the ids that its objects have, and at a subject of
// each.
const Estimator::FanOut& Estimator::fan_out_of(TermId predicate) {
  auto [entry, is_new] = fan_outs_.try_emplace(predicate);
  FanOut& fan_out = entry->second;
  if (!is_new) return fan_out;
  const uint64_t step = std::max<uint64_t>(1, spread_of_objects(source_, predicate) / sampled_steps);
  ObjectWalk walk(source_, predicate);
  double of_subject = 0;
  double of_object = 0;
  double found = 0;
  for (; found < sampled_steps && walk.next(); ++found) {
    of_subject += count(QuadOrder::Spog, std::array{walk.subject(), predicate});
    of_object += count(QuadOrder::Posg, std::array{predicate, walk.object()});
    walk.skip_to(walk.object().bits() + step);
  }
  if (found > 0) {
    fan_out.objects_of_subject = std::max(1.0, of_subject / found);
    fan_out.subjects_of_object = std::max(1.0, of_object / found);
  }
  return fan_out;
}

PatternEstimate Estimator::estimate(const PatternAccess& access) {
  PatternEstimate made;
  made.rows = rows(access);
  const Place& predicate = access.triple[1];
  if (made.rows == 0 || !predicate.is_constant()) return made;
  made.rows_of_predicate = std::max(1.0, count(QuadOrder::Posg, std::array{predicate.constant}));
  const FanOut& fan_out = fan_out_of(predicate.constant);
  made.objects_of_subject = fan_out.objects_of_subject;
  made.subjects_of_object = fan_out.subjects_of_object;
  return made;
}

namespace {

// Of rows with so many values in a place, the share whose value the pattern has too.
double share_found(double values_of_rows, double values_of_pattern) {
  return values_of_rows <= values_of_pattern ? 1 : values_of_pattern / values_of_rows;
}

}  // namespace

PlaceValues values_of(const PatternAccess& access, const PatternEstimate& estimate) {
  const auto& [subject, predicate, object] = access.triple;
  if (!predicate.is_constant()) return {};
  PlaceValues values;
  values.subjects = object.is_constant() ? estimate.rows : estimate.rows / estimate.objects_of_subject;
  values.objects = subject.is_constant() ? estimate.rows : estimate.rows / estimate.subjects_of_object;
  return values;
}

double rows_for_one(const PatternAccess& access, const PatternEstimate& estimate, const VariableSet& bound,
                    const PlaceValues& values) {
  const auto& [subject, predicate, object] = access.triple;
  const auto known = [&](const Place& place) { return place.is_variable() && bound.has(place.variable); };
  const bool subject_known = known(subject);
  const bool object_known = known(object);
  const bool graph_known = access.graph.mode == GraphMode::Each && bound.has(access.graph.variable);
  double all = estimate.rows;
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
  const PlaceValues own = values_of(access, estimate);
  if (subject_known && object_known) {
    // Of the subject's objects, the share that is this one.
    return std::min(1.0, estimate.objects_of_subject * estimate.subjects_of_object / estimate.rows_of_predicate);
  }
  if (subject_known && object.is_constant()) {
    if (values.subjects > 0) return share_found(values.subjects, own.subjects);
    return std::min(1.0, estimate.objects_of_subject * all / estimate.rows_of_predicate);
  }
  if (subject_known) return share_found(values.subjects, own.subjects) * std::min(all, estimate.objects_of_subject);
  if (subject.is_constant()) {
    if (values.objects > 0) return share_found(values.objects, own.objects);
    return std::min(1.0, all * estimate.subjects_of_object / estimate.rows_of_predicate);
  }
  return share_found(values.objects, own.objects) * std::min(all, estimate.subjects_of_object);
}

}  // namespace quadrille::plan
