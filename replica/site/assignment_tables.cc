#include "replica/site/assignment_tables.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace quadrille::replica {
namespace {

base::Result<log::CellKind> read_cells(TomlReader& table) {
  QUADRILLE_ASSIGN(const auto name, table.text("cells"));
  if (!name || *name == "quad") return log::CellKind::Quad;
  if (*name == "value") return log::CellKind::Value;
  if (*name == "record") return log::CellKind::Record;
  return table.error("cells", fmt::format("\"{}\" is no kind of cell; expected quad, value or record", *name));
}

// A policy as it is written: a name, or name(argument).
base::Result<void> check_policy(TomlReader& table, std::string_view key, const std::string& written,
                                const reconcile::PolicyRegistry& policies) {
  const reconcile::NamedPolicy named = policies.find_named(written);
  if (!named.policy) {
    return table.error(
        key, fmt::format("unknown policy \"{}\"; expected one of {}", written, fmt::join(policies.names(), ", ")));
  }
  const auto checked = named.policy->check_argument(named.argument);
  return checked ? base::Result<void>() : table.error(key, checked.error().message);
}

base::Result<reconcile::AssignmentRule> read_rule(TomlReader& table, const reconcile::PolicyRegistry& policies) {
  reconcile::AssignmentRule rule;
  QUADRILLE_ASSIGN(auto graph, table.text("graph"));
  if (graph) rule.graph.text = std::move(*graph);
  QUADRILLE_ASSIGN(auto property, table.text("property"));
  if (!property) return table.error("property", "missing; expected an IRI, a prefix that ends in *, or \"*\"");
  rule.property.text = std::move(*property);
  QUADRILLE_ASSIGN(rule.cells, read_cells(table));
  QUADRILLE_ASSIGN(auto group, table.text("group"));
  if (group.has_value() != (rule.cells == log::CellKind::Record)) {
    return table.error("group", "expected with cells = \"record\", and only there");
  }
  if (group) rule.group = std::move(*group);
  QUADRILLE_ASSIGN(auto policy, table.text("policy"));
  if (!policy) {
    return table.error("policy", fmt::format("missing; expected one of {}", fmt::join(policies.names(), ", ")));
  }
  QUADRILLE_TRY(check_policy(table, "policy", *policy, policies));
  rule.policy = std::move(*policy);
  QUADRILLE_TRY(table.check_all_known());
  return rule;
}

const char* name_of(log::CellKind kind) {
  switch (kind) {
    case log::CellKind::Quad: return "quad";
    case log::CellKind::Value: return "value";
    case log::CellKind::Record: return "record";
  }
  return "quad";
}

}  // namespace

base::Result<reconcile::Assignment> read_assignment(TomlReader& top, const reconcile::PolicyRegistry& policies) {
  reconcile::Assignment assignment;
  QUADRILLE_ASSIGN(auto default_policy, top.text("default_policy"));
  if (default_policy) {
    QUADRILLE_TRY(check_policy(top, "default_policy", *default_policy, policies));
    assignment.default_policy = std::move(*default_policy);
  }
  QUADRILLE_ASSIGN(auto tables, top.tables("policy"));
  for (auto& table : tables) {
    QUADRILLE_ASSIGN(auto rule, read_rule(table, policies));
    assignment.rules.push_back(std::move(rule));
  }
  if (auto checked = assignment.check(policies); !checked.ok()) return top.error("policy", checked.error().message);
  return assignment;
}

base::Result<reconcile::Assignment> parse_assignment(std::string_view text, const std::string& name,
                                                     const reconcile::PolicyRegistry& policies) {
  QUADRILLE_ASSIGN(const toml::table table, parse_toml(text, name));
  TomlReader top(table, name, "");
  QUADRILLE_ASSIGN(auto assignment, read_assignment(top, policies));
  QUADRILLE_TRY(top.check_all_known());
  return assignment;
}

std::string assignment_as_json(const reconcile::NumberedAssignment& assignment,
                               const reconcile::PolicyRegistry& policies) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["number"] = assignment.number.is_initial()
                       ? std::string("initial")
                       : log::to_string(assignment.number.stamp) + " " + assignment.number.origin.name;
  json["default_policy"] = assignment.assignment.default_policy;
  json["rules"] = Json::array();
  for (const auto& rule : assignment.assignment.rules) {
    Json one = {{"graph", rule.graph.text}, {"property", rule.property.text}, {"cells", name_of(rule.cells)}};
    if (!rule.group.empty()) one["group"] = rule.group;
    one["policy"] = rule.policy;
    json["rules"].push_back(std::move(one));
  }
  json["policies"] = policies.names();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const auto& text : texts) quoted.push_back(toml_quoted(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string assignment_as_toml(const reconcile::Assignment& assignment) {
  std::string text;
  for (const auto& rule : assignment.rules) {
    text += fmt::format("[[policy]]\ngraph = {}\nproperty = {}\ncells = \"{}\"\n", toml_quoted(rule.graph.text),
                        toml_quoted(rule.property.text), name_of(rule.cells));
    if (rule.cells == log::CellKind::Record) text += fmt::format("group = {}\n", toml_quoted(rule.group));
    text += fmt::format("policy = {}\n\n", toml_quoted(rule.policy));
  }
  return text;
}

}  // namespace quadrille::replica
