#include "sim/workload.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "engine/sparql/parse.h"

namespace quadrille::sim {
namespace {

constexpr uint64_t values = 3;  // of a shelf or a pair: few, so that sites meet

// Nothing where a place is a variable, as blank nodes are.
std::optional<model::TermQuad> quad_of(const sparql::QuadTemplate& from) {
  const auto* subject = std::get_if<model::Term>(&from.triple.subject);
  const auto* predicate = std::get_if<model::Term>(&from.triple.predicate);
  const auto* object = std::get_if<model::Term>(&from.triple.object);
  const auto* graph = from.graph ? std::get_if<model::Term>(&*from.graph) : nullptr;
  if (!subject || !predicate || !object || (from.graph && !graph)) return std::nullopt;
  return model::TermQuad{*subject, *predicate, *object, graph ? std::optional(*graph) : std::nullopt};
}

}  // namespace

std::string open_accounts(uint64_t keys) {
  std::string text = "INSERT DATA {";
  for (uint64_t key = 0; key < keys; ++key) {
    text += fmt::format(" <urn:sim:account/{}> <{}> {} .", key, iri_balance, opening_balance);
  }
  return text + " }";
}

std::vector<checks::RecordedAssertion> assertions_of(const std::string& text) {
  const auto update = sparql::parse_update(text);
  if (!update.ok()) return {};
  std::map<model::TermQuad, bool> last;
  for (const auto& operation : update->operations) {
    const bool exists = operation.kind == sparql::UpdateKind::InsertData;
    if (!exists && operation.kind != sparql::UpdateKind::DeleteData) return {};
    for (const auto& each : exists ? operation.inserts : operation.deletes) {
      auto quad = quad_of(each);
      if (!quad) return {};
      last[std::move(*quad)] = exists;
    }
  }
  std::vector<checks::RecordedAssertion> assertions;
  for (const auto& [quad, exists] : last) assertions.push_back({quad, exists});
  return assertions;
}

int64_t Workload::pause_us(double per_second, RandomStream& random) {
  constexpr int64_t never_us = int64_t{1} << 60;
  if (per_second <= 0) return never_us;
  return static_cast<int64_t>(random.exponential(1e6 / per_second)) + 1;
}

std::string Workload::next_update() {
  ++number_;
  const auto& mix = setup_.mix;
  double draw = random_.fraction() * (mix.insert + mix.erase + mix.pair + mix.set_value + mix.increment + mix.bulk);
  if ((draw -= mix.insert) < 0) return shelf(true);
  if ((draw -= mix.erase) < 0) return shelf(false);
  if ((draw -= mix.pair) < 0) return pair();
  if ((draw -= mix.set_value) < 0) return set_value();
  if ((draw -= mix.increment) < 0) return increment();
  return bulk();
}

std::string Workload::subject(const char* kind, uint64_t key) const { return fmt::format("urn:sim:{}/{}", kind, key); }

std::string Workload::shelf(bool exists) {
  const uint64_t key = random_.below(setup_.keys);
  const char* property = key % 2 == 0 ? iri_holds : iri_lends;
  return fmt::format("{} DATA {{ <{}> <{}> \"{}\" }}", exists ? "INSERT" : "DELETE", subject("shelf", key), property,
                     random_.below(values));
}

std::string Workload::pair() {
  const auto pair = subject("pair", random_.below(setup_.keys));
  const auto value = random_.below(values);
  const bool exists = random_.chance(0.6);
  return fmt::format("{} DATA {{ <{}> <{}> \"{}\" ; <{}> \"{}\" }}", exists ? "INSERT" : "DELETE", pair, iri_left,
                     value, iri_right, value);
}

std::string Workload::set_value() {
  const auto person = subject("person", random_.below(setup_.keys));
  const auto name = fmt::format("{} {}", site_, number_);
  switch (random_.below(5)) {
    case 0: return fmt::format("DELETE WHERE {{ <{}> <{}> ?old }}", person, iri_name);
    case 1:
    case 2: return fmt::format("INSERT DATA {{ <{}> <{}> \"{}\" }}", person, iri_name, name);
    default:
      return fmt::format(
          "DELETE {{ <{0}> <{1}> ?old }} INSERT {{ <{0}> <{1}> \"{2}\" }} "
          "WHERE {{ OPTIONAL {{ <{0}> <{1}> ?old }} }}",
          person, iri_name, name);
  }
}

std::string Workload::increment() {
  const auto account = subject("account", random_.below(setup_.keys));
  const int64_t by = random_.chance(0.3) ? -random_.between(1, 20) : random_.between(1, 50);
  return fmt::format(
      "DELETE {{ <{0}> <{1}> ?before }} "
      "INSERT {{ <{0}> <{1}> ?after . <{0}> <{2}> \"{3}-{4} {5:+}\" }} "
      "WHERE {{ <{0}> <{1}> ?before BIND(?before + {5} AS ?after) }}",
      account, iri_balance, iri_entry, site_, number_, by);
}

std::string Workload::bulk() {
  if (!last_bulk_.empty() && random_.chance(0.4)) {
    return fmt::format("DELETE WHERE {{ <{}> <{}> ?item }}", std::exchange(last_bulk_, {}), iri_item);
  }
  last_bulk_ = fmt::format("urn:sim:bulk/{}-{}/{}", site_, number_, setup_.bulk_quads);
  std::string text = fmt::format("INSERT DATA {{ <{}> <{}> 0", last_bulk_, iri_item);
  for (uint64_t item = 1; item < setup_.bulk_quads; ++item) text += fmt::format(", {}", item);
  return text + " }";
}

}  // namespace quadrille::sim
