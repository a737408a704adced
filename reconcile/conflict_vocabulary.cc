#include "reconcile/conflict_vocabulary.h"

#include <fmt/format.h>

#include "engine/model/vocabulary.h"

namespace quadrille::reconcile {
namespace {

namespace vocabulary = model::vocabulary;
using model::Term;

class QuadMaker {
 public:
  void say(const Term& subject, std::string_view property, Term object) {
    say_with(subject, Term::iri(std::string(conflict_vocabulary) + std::string(property)), std::move(object));
  }
  void say_with(const Term& subject, Term property, Term object) {
    quads_.push_back({subject, std::move(property), std::move(object), graph_});
  }
  void say_each(const Term& subject, std::string_view property, const Content& content) {
    for (const CellStatement& statement : content) say(subject, property, statement.object);
  }
  std::vector<model::TermQuad> take() { return std::move(quads_); }

 private:
  Term graph_ = Term::iri(std::string(vocabulary::conflicts_graph));
  std::vector<model::TermQuad> quads_;
};

Term time_of(log::Stamp stamp) {
  stamp.counter = 0;
  return Term::typed_literal(to_string(stamp), std::string(vocabulary::xsd_date_time));
}

void say_candidate(QuadMaker& maker, const std::string& iri, const Version& version, log::CellKind kind) {
  const Term node = Term::iri(iri);
  const auto say_in_prov = [&](std::string_view property, Term object) {
    maker.say_with(node, Term::iri(std::string(prov_vocabulary) + std::string(property)), std::move(object));
  };
  say_in_prov("wasAttributedTo", Term::iri(std::string(site_iri_prefix) + version.id.origin.name));
  say_in_prov("generatedAtTime", time_of(version.stamp));
  maker.say(node, "site", Term::literal(version.id.origin.name));
  maker.say(node, "changeset", Term::literal(fmt::format("{}:{}", to_string(version.id.origin), version.id.seq)));
  maker.say(node, "time", time_of(version.stamp));
  maker.say_each(node, "left", version.left);
  maker.say_each(node, "saw", version.saw);
  if (kind != log::CellKind::Record) return;
  const Term record = Term::iri(iri + ":left");
  maker.say(node, "record", record);
  for (const CellStatement& statement : version.left) maker.say_with(record, statement.property, statement.object);
}

}  // namespace

std::vector<model::TermQuad> conflict_quads(const ConflictRecord& record) {
  QuadMaker maker;
  const std::string iri = std::string(conflict_iri_prefix) + record.id;
  const Term node = Term::iri(iri);
  maker.say_with(node, Term::iri(std::string(vocabulary::rdf_type)),
                 Term::iri(std::string(conflict_vocabulary) + "Conflict"));
  maker.say(node, "time", time_of(record.time));
  if (record.cell.graph) maker.say(node, "graph", *record.cell.graph);
  maker.say(node, "subject", record.cell.subject);
  maker.say(node, "property", record.cell.property);
  if (record.cell.object) maker.say(node, "object", *record.cell.object);
  maker.say_each(node, "chosen", record.chosen);
  maker.say(node, "policy", Term::literal(record.policy));
  if (!record.failure.empty()) maker.say(node, "failure", Term::literal(record.failure));
  if (!record.fallback.empty()) maker.say(node, "fallback", Term::literal(record.fallback));
  maker.say(node, "provisional",
            Term::typed_literal(record.is_provisional ? "true" : "false", std::string(vocabulary::xsd_boolean)));
  for (size_t i = 0; i < record.candidates.size(); ++i) {
    const std::string candidate = fmt::format("{}:{}", iri, i + 1);
    maker.say(node, "candidate", Term::iri(candidate));
    say_candidate(maker, candidate, record.candidates[i], record.cell.kind);
  }
  return maker.take();
}

}  // namespace quadrille::reconcile
