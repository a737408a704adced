// `quadrille policy list` and `quadrille policy assign`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/text_argument.h"
#include "replica/cli/trouble.h"
#include "replica/site/assignment_tables.h"

namespace quadrille::cli {
namespace {

using Json = nlohmann::ordered_json;

base::Result<std::string> read_assigned(const std::string& target) {
  if (is_url(target)) return fetch(target, "/policy");
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(target));
  return replica::assignment_as_json(local->store().snapshot()->assignment(), local->policies());
}

void print_assigned(const Json& json) {
  fmt::print("number {}\n", json.value("number", ""));
  fmt::print("{:8} {:14} {:40} {}\n", "cells", "graph", "property", "policy");
  for (const Json& rule : json.value("rules", Json::array())) {
    const std::string group = rule.value("group", "");
    fmt::print("{:8} {:14} {:40} {}{}\n", rule.value("cells", ""), rule.value("graph", ""), rule.value("property", ""),
               rule.value("policy", ""), group.empty() ? "" : "  in " + group);
  }
  fmt::print("{:8} {:14} {:40} {}\n", "quad", "*", "all others", json.value("default_policy", ""));
  std::string known;
  for (const Json& name : json.value("policies", Json::array())) {
    known += (known.empty() ? "" : ", ") + name.get<std::string>();
  }
  fmt::print("known: {}\n", known);
}

base::Result<std::string> assign_at_site(const std::string& url, const std::string& text) {
  HttpCall call;
  call.method = "POST";
  call.url = join_url(url, "/policy");
  call.headers = {"Content-Type: application/toml"};
  call.body = text;
  QUADRILLE_ASSIGN(const auto reply, send(call));
  const auto json = Json::parse(reply.body, nullptr, false);
  return json.is_object() ? json.value("version", std::string()) : std::string();
}

base::Result<std::string> assign_in_directory(const std::string& directory, const std::string& text,
                                              const std::string& name) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(directory));
  QUADRILLE_ASSIGN(const auto assignment, replica::parse_assignment(text, name, local->policies()));
  QUADRILLE_ASSIGN(const auto outcome, local->assign(assignment));
  return local->token_text(outcome);
}

}  // namespace

int run_policy_list(const PolicyListOptions& options) {
  const auto text = read_assigned(options.target);
  if (!text.ok()) return report(text.error());
  if (options.json) {
    fmt::print("{}", *text);
    return Done;
  }
  const auto json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return report(not_a_site(options.target));
  try {
    print_assigned(json);
  } catch (const Json::exception&) {  // a member of an unexpected type
    return report(not_a_site(options.target));
  }
  return Done;
}

int run_policy_assign(const PolicyAssignOptions& options) {
  const auto argument = read_text_argument("", options.file, "assignment");
  if (!argument.ok()) return report(argument.error());
  const auto version = is_url(options.target) ? assign_at_site(options.target, argument->text)
                                              : assign_in_directory(options.target, argument->text, options.file);
  if (!version.ok()) return report(version.error());
  fmt::print("assigned, version {}\n", *version);
  return Done;
}

}  // namespace quadrille::cli
