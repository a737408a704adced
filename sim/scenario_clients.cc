// What clients ask, and what must hold, as a scenario's file says it: [workload], [[clients]], [[update]],
// [[invariant]].
#include <algorithm>

#include "engine/sparql/parse.h"
#include "sim/client_templates.h"
#include "sim/scenario_parts.h"

namespace quadrille::sim {
namespace {

using replica::TomlReader;

base::Result<void> read_mix(TomlReader& workload, WorkloadMix& mix) {
  QUADRILLE_ASSIGN(auto table, workload.table("mix"));
  if (!table) return {};
  QUADRILLE_TRY(read_number(*table, "insert", 0, 1e6, 1, mix.insert));
  QUADRILLE_TRY(read_number(*table, "erase", 0, 1e6, 1, mix.erase));
  QUADRILLE_TRY(read_number(*table, "pair", 0, 1e6, 1, mix.pair));
  QUADRILLE_TRY(read_number(*table, "set_value", 0, 1e6, 1, mix.set_value));
  QUADRILLE_TRY(read_number(*table, "increment", 0, 1e6, 1, mix.increment));
  QUADRILLE_TRY(read_number(*table, "bulk", 0, 1e6, 1, mix.bulk));
  if (mix.insert + mix.erase + mix.pair + mix.set_value + mix.increment + mix.bulk <= 0) {
    return workload.error("mix", "expected at least one kind of update that is not 0");
  }
  return table->check_all_known();
}

base::Result<std::pair<std::string, Parameter>> read_parameter(TomlReader& table) {
  QUADRILLE_ASSIGN(auto name, table.text("name"));
  const auto is_word = [](const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c == '_' || std::isalnum(c); });
  };
  if (!name || !is_word(*name)) return table.error("name", "expected a word of letters, digits and _");
  if (*name == "site" || *name == "number") {
    return table.error("name", "is taken: every template has %site% and %number%");
  }
  Parameter parameter;
  QUADRILLE_ASSIGN(const auto given, table.text("kind"));
  const std::string kind = given.value_or("");
  if (kind == "uniform") {
    parameter.kind = Parameter::Kind::Uniform;
    QUADRILLE_TRY(read_number(table, "from", -1e15, 1e15, 1, parameter.first));
    if (!table.has("to")) return table.error("to", "missing; expected the last number");
    QUADRILLE_TRY(read_number(table, "to", static_cast<double>(parameter.first), 1e15, 1, parameter.last));
  } else if (kind == "zipf") {
    parameter.kind = Parameter::Kind::Zipf;
    if (!table.has("keys")) return table.error("keys", "missing; expected how many keys there are");
    int64_t keys = 1;
    QUADRILLE_TRY(read_number(table, "keys", 1, 1e6, 1, keys));
    parameter.last = keys - 1;
    QUADRILLE_TRY(read_number(table, "exponent", 0, 10, 1, parameter.exponent));
  } else if (kind == "counter") {
    parameter.kind = Parameter::Kind::Counter;
  } else if (kind == "one-of") {
    parameter.kind = Parameter::Kind::OneOf;
    QUADRILLE_ASSIGN(auto texts, table.texts("values"));
    if (!texts || texts->empty()) return table.error("values", "expected some texts, as in [\"red\", \"green\"]");
    parameter.texts = std::move(*texts);
  } else {
    return table.error("kind", "expected one of uniform, zipf, counter, one-of");
  }
  QUADRILLE_TRY(table.check_all_known());
  return std::pair(std::move(*name), std::move(parameter));
}

base::Result<UpdateTemplate> read_template(TomlReader& table, const std::map<std::string, Parameter>& parameters) {
  UpdateTemplate update;
  QUADRILLE_ASSIGN(auto text, table.text("text"));
  if (!text) return table.error("text", "missing; expected a SPARQL update, with %name% where a parameter goes");
  update.text = std::move(*text);
  QUADRILLE_TRY(read_number(table, "weight", 0, 1e9, 1, update.weight));
  QUADRILLE_TRY(table.check_all_known());
  if (const auto unknown = find_unknown_parameter(update.text, parameters)) {
    return table.error("text",
                       fmt::format("no parameter %{}%; expected one of {}", *unknown, parameter_names(parameters)));
  }
  const auto sample = sample_of(update.text, parameters);
  if (const auto parsed = sparql::parse_update(sample); !parsed.ok()) {
    return table.error("text", fmt::format("expected a SPARQL update: {} in: {}", parsed.error().message, sample));
  }
  return update;
}

base::Result<ClientsSetup> read_one_clients(TomlReader& table, const Scenario& scenario) {
  ClientsSetup clients;
  const double run_s = static_cast<double>(scenario.run_us) / 1e6;
  QUADRILLE_ASSIGN(auto sites, table.texts("sites"));
  if (sites) clients.sites = std::move(*sites);
  for (const auto& name : clients.sites) QUADRILLE_TRY(check_site(table, "sites", name, scenario));
  QUADRILLE_TRY(read_number(table, "updates_per_second", 0, 10'000, 1, clients.updates_per_second));
  QUADRILLE_TRY(read_number(table, "from_s", 0, run_s, 1e6, clients.from_us));
  QUADRILLE_TRY(read_number(table, "until_s", 0, run_s, 1e6, clients.until_us));
  QUADRILLE_ASSIGN(auto parameters, table.tables("parameter"));
  for (auto& each : parameters) {
    QUADRILLE_ASSIGN(auto parameter, read_parameter(each));
    if (!clients.parameters.emplace(std::move(parameter)).second) {
      return each.error("name", "there is a parameter of that name already");
    }
  }
  QUADRILLE_ASSIGN(auto updates, table.tables("update"));
  double weight = 0;
  for (auto& each : updates) {
    QUADRILLE_ASSIGN(auto update, read_template(each, clients.parameters));
    weight += update.weight;
    clients.updates.push_back(std::move(update));
  }
  if (weight <= 0) return table.error("update", "expected at least one [[clients.update]] with a weight above 0");
  QUADRILLE_TRY(table.check_all_known());
  return clients;
}

}  // namespace

base::Result<void> read_workload(TomlReader& top, Scenario& scenario) {
  auto& setup = scenario.workload;
  QUADRILLE_ASSIGN(auto table, top.table("workload"));
  if (!table) {
    // Who brings clients does not want ours too.
    if (top.has("clients") || top.has("update")) setup.updates_per_second = setup.reads_per_second = 0;
    if (top.has("clients") || top.has("update")) setup.opens_accounts = false;
    return {};
  }
  QUADRILLE_TRY(read_number(*table, "updates_per_second", 0, 10'000, 1, setup.updates_per_second));
  QUADRILLE_TRY(read_number(*table, "reads_per_second", 0, 10'000, 1, setup.reads_per_second));
  QUADRILLE_TRY(read_number(*table, "keys", 1, 1'000'000, 1, setup.keys));
  QUADRILLE_TRY(read_number(*table, "bulk_quads", 1, 100'000, 1, setup.bulk_quads));
  QUADRILLE_TRY(read_number(*table, "sessions", 0, 1000, 1, setup.sessions));
  QUADRILLE_ASSIGN(auto opens_accounts, table->boolean("opens_accounts"));
  setup.opens_accounts = opens_accounts.value_or(setup.updates_per_second > 0);
  QUADRILLE_TRY(read_mix(*table, setup.mix));
  return table->check_all_known();
}

base::Result<void> read_clients(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto tables, top.tables("clients"));
  for (auto& table : tables) {
    QUADRILLE_ASSIGN(auto clients, read_one_clients(table, scenario));
    scenario.clients.push_back(std::move(clients));
  }
  return {};
}

base::Result<void> read_updates(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto tables, top.tables("update"));
  for (auto& table : tables) {
    TimedUpdate update;
    QUADRILLE_ASSIGN(auto site, table.text("site"));
    if (!site) return table.error("site", "missing; expected the site that is asked");
    QUADRILLE_TRY(check_site(table, "site", *site, scenario));
    update.site = std::move(*site);
    if (!table.has("at_s")) return table.error("at_s", "missing; expected seconds from the start of the run");
    QUADRILLE_TRY(read_number(table, "at_s", 0, static_cast<double>(scenario.run_us) / 1e6, 1e6, update.at_us));
    QUADRILLE_ASSIGN(auto text, table.text("text"));
    if (!text) return table.error("text", "missing; expected a SPARQL update");
    if (const auto parsed = sparql::parse_update(*text); !parsed.ok()) {
      return table.error("text", "expected a SPARQL update: " + parsed.error().message);
    }
    update.text = std::move(*text);
    QUADRILLE_TRY(table.check_all_known());
    scenario.updates.push_back(std::move(update));
  }
  return {};
}

std::string_view name_of(Invariant::When when) noexcept {
  switch (when) {
    case Invariant::When::End: return "end";
    case Invariant::When::Always: return "always";
    case Invariant::When::InContact: return "in-contact";
  }
  return "";
}

base::Result<void> read_invariants(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto tables, top.tables("invariant"));
  for (auto& table : tables) {
    Invariant invariant;
    QUADRILLE_ASSIGN(auto name, table.text("name"));
    if (!name || name->empty()) return table.error("name", "missing; expected what the report is to call it");
    invariant.name = std::move(*name);
    QUADRILLE_ASSIGN(auto ask, table.text("ask"));
    if (!ask) return table.error("ask", "missing; expected a SPARQL ASK that must be true");
    const auto parsed = sparql::parse_query(*ask);
    if (!parsed.ok()) return table.error("ask", "expected a SPARQL ASK: " + parsed.error().message);
    if (parsed->form != sparql::QueryForm::Ask) return table.error("ask", "expected a query that begins with ASK");
    invariant.ask = std::move(*ask);
    QUADRILLE_ASSIGN(const auto given, table.text("when"));
    const std::string when = given.value_or(std::string(name_of(Invariant::When::End)));
    bool is_known = false;
    for (const auto each : {Invariant::When::End, Invariant::When::Always, Invariant::When::InContact}) {
      if (when != name_of(each)) continue;
      invariant.when = each;
      is_known = true;
    }
    if (!is_known) return table.error("when", "expected one of end, always, in-contact");
    QUADRILLE_TRY(table.check_all_known());
    scenario.invariants.push_back(std::move(invariant));
  }
  return {};
}

}  // namespace quadrille::sim
