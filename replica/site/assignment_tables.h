// The policy assignment as TOML writes it, in a site's configuration and in a simulator's scenario:
//
//   default_policy = "add-wins"        # of quads that no [[policy]] names; this is also the default
//
//   [[policy]]
//   graph = "*"                        # an IRI, a prefix "http://…*", "*" any, "" the default graph; default "*"
//   property = "http://example.org/balance"   # an IRI, a prefix, or "*"; required
//   cells = "value"                    # "quad" (the default), "value" (single-valued), "record"
//   group = "http://example.org/address"      # with cells = "record": the IRI that names the group
//   policy = "sum"                     # required
#pragma once

#include "engine/base/result.h"
#include "reconcile/assignment.h"
#include "replica/site/toml_reader.h"

namespace quadrille::replica {

// Reads the keys `default_policy` and `policy` of `top`, and checks the whole against the policies that are known.
base::Result<reconcile::Assignment> read_assignment(TomlReader& top, const reconcile::PolicyRegistry& policies);

// The same of a whole text, which holds nothing else. `name`: of the text, for errors.
base::Result<reconcile::Assignment> parse_assignment(std::string_view text, const std::string& name,
                                                     const reconcile::PolicyRegistry& policies);

// For people and programs: number, rules, and the policies that are known.
std::string assignment_as_json(const reconcile::NumberedAssignment& assignment,
                               const reconcile::PolicyRegistry& policies);

// Back again: text that read_assignment() reads as the same assignment.
std::string assignment_as_toml(const reconcile::Assignment& assignment);

// A string in quotes, escaped as TOML has it.
std::string toml_quoted(std::string_view text);
std::string quoted_list(const std::vector<std::string>& texts);  // ["a", "b"]

}  // namespace quadrille::replica
