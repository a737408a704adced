#include "tests/reconcile/histories/random_request.h"

#include <fmt/format.h>

#include <array>

namespace quadrille::test {
namespace {

using model::Term;

constexpr const char* graph_iri = "http://e/g";

Term iri(const std::string& name) { return Term::iri("http://e/" + name); }

std::vector<model::Quad> quads_of(const model::QuadSource& source, model::QuadOrder order,
                                  std::span<const model::TermId> prefix) {
  std::vector<model::Quad> found;
  std::array<model::TermId, 4> row;
  model::ScanBatch batch;
  for (size_t i = 0; i < 4; ++i) batch.columns[i] = &row[i];
  batch.capacity = 1;
  const auto scan = source.scan(order, prefix, model::ColumnSet::all());
  while (scan->next(batch) == 1) found.push_back({row[0], row[1], row[2], row[3]});
  return found;
}

}  // namespace

RandomRequest::RandomRequest(std::mt19937& random, const HistorySetting& setting,
                             const reconcile::PolicyRegistry& registry)
    : random_(random), setting_(setting), registry_(registry) {}

void RandomRequest::write(model::QuadTarget& target, const reconcile::Assignment& in_force) {
  const size_t most = setting_.is_hot ? 2 : 3;
  const size_t operations = !setting_.is_hot && below(8) == 0 ? 10 + below(30) : 1 + below(most);
  for (size_t i = 0; i < operations; ++i) {
    const size_t what = below(40);
    if (what == 0) {
      clear(target);
    } else if (what < 16) {
      write_quad(target);
    } else if (what < 30 || setting_.records.empty()) {
      write_value(target, in_force);
    } else {
      write_record(target);
    }
  }
}

void RandomRequest::write_quad(model::QuadTarget& target) {
  model::Quad quad = any_place(target, fmt::format("p{}", below(setting_.quads.size())));
  quad.object = target.intern(iri(below(3) == 0 ? "other" : "o"));
  if (below(5) < 3) {
    target.insert(quad);
  } else {
    target.erase(quad);
  }
}

void RandomRequest::write_value(model::QuadTarget& target, const reconcile::Assignment& in_force) {
  if (setting_.values.empty()) return;
  const std::string property = fmt::format("v{}", below(setting_.values.size()));
  const auto rule = find_rule(in_force, registry_, {}, "http://e/" + property);
  const bool may_leave_two = rule.kind != log::CellKind::Value || rule.decided_by.policy->accepts_several_values();
  change(target, any_place(target, property), may_leave_two);
}

void RandomRequest::write_record(model::QuadTarget& target) {
  const std::string group = fmt::format("r{}", below(setting_.records.size()));
  model::Quad place = any_place(target, group + "a");
  const size_t parts = 1 + below(3);
  if ((parts & 1) != 0) change(target, place, true);
  place.predicate = target.intern(iri(group + "b"));
  if ((parts & 2) != 0) change(target, place, true);
}

void RandomRequest::change(model::QuadTarget& target, const model::Quad& place, bool may_leave_two) {
  const std::array<model::TermId, 2> prefix = {place.subject, place.predicate};
  model::Quad written = place;
  written.object = target.intern(any_object());
  if (below(12) == 0) {  // of a value that is probably not there
    target.erase(written);
    return;
  }
  const bool leaves_what_is_there = may_leave_two && below(3) == 0;
  for (const model::Quad& quad : quads_of(target, model::QuadOrder::Spog, prefix)) {
    if (quad.graph == place.graph && !leaves_what_is_there) target.erase(quad);
  }
  if (below(6) > 0) target.insert(written);
}

void RandomRequest::clear(model::QuadTarget& target) {
  const std::array<model::TermId, 1> prefix = {target.intern(Term::iri(graph_iri))};
  for (const model::Quad& quad : quads_of(target, model::QuadOrder::Gspo, prefix)) target.erase(quad);
}

model::Quad RandomRequest::any_place(model::QuadTarget& target, const std::string& property) {
  model::Quad place;
  const bool is_elsewhere = !setting_.is_hot && below(3) == 0;
  place.subject = target.intern(iri(is_elsewhere ? "t" : "s"));
  place.predicate = target.intern(iri(property));
  place.graph =
      !setting_.is_hot && below(4) == 0 ? target.intern(Term::iri(graph_iri)) : model::TermId::default_graph();
  return place;
}

// Mostly numbers, for sums; some that are equal in value and different in text.
model::Term RandomRequest::any_object() {
  constexpr const char* xsd = "http://www.w3.org/2001/XMLSchema#";
  const auto typed = [&](const std::string& text, const char* type) {
    return Term::typed_literal(text, std::string(xsd) + type);
  };
  switch (below(12)) {
    case 0: return typed(fmt::format("{}.5", below(4)), "decimal");
    case 1: return typed(fmt::format("{}.0E0", below(4)), "double");
    case 2: return typed(fmt::format("0{}", below(4)), "integer");
    case 3: return Term::literal(below(2) == 0 ? "word" : "2");
    case 4: return iri("o");
    case 5: return typed("123456789012345678901234567890", "integer");
    default: return typed(std::to_string(below(10)), "integer");
  }
}

}  // namespace quadrille::test
