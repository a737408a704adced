// Which policy decides which cell: by graph and property. DESIGN section 4, "Policy assignment".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/term.h"
#include "log/cell.h"
#include "log/changeset.h"
#include "reconcile/policy.h"

namespace quadrille::reconcile {

// A policy as an assignment names it: "sum", "site-priority(ams, nyc)".
struct NamedPolicy {
  std::string text;
  std::string argument;
  std::shared_ptr<const Policy> policy;  // null: the site does not know it
};

// The policies that a site knows, by name. Made by whoever wires the site (policies::built_in()), then unchanged.
class PolicyRegistry {
 public:
  base::Result<void> add(std::shared_ptr<const Policy> policy);  // refuses a second one of the same name
  std::shared_ptr<const Policy> find(std::string_view name) const;
  NamedPolicy find_named(std::string_view text) const;
  std::vector<std::string> names() const;  // sorted

 private:
  std::map<std::string, std::shared_ptr<const Policy>, std::less<>> policies_;
};

// An IRI to match: exactly, by prefix (written with a trailing '*'), or any ("*").
struct IriMatch {
  std::string text = "*";
  bool is_prefix() const { return text.ends_with('*'); }
};

struct AssignmentRule {
  IriMatch graph;  // "*" matches the default graph too; "" is the default graph alone
  IriMatch property;
  log::CellKind cells = log::CellKind::Quad;
  std::string group;  // Record: the IRI that names the group
  std::string policy;
};

// A whole assignment. The most specific rule counts: exact before longer prefix before shorter prefix before any, the
// property before the graph; two equally specific rules for one property are refused.
struct Assignment {
  std::vector<AssignmentRule> rules;
  std::string default_policy = "add-wins";  // for quads that no rule names

  // The first policy, as it is named, that this site does not know; empty: it knows all.
  std::string find_unknown_policy(const PolicyRegistry& policies) const;
  // Checks it against the policies that this site knows: unknown names, policies that do not decide that kind of cell,
  // a property with two cells.
  base::Result<void> check(const PolicyRegistry& policies) const;
  // The same at every site with the same rules and the same policy names and versions, whatever order they stand in.
  log::ChangesetHash digest(const PolicyRegistry& policies) const;
};

struct NumberedAssignment {
  log::AssignmentNumber number;
  Assignment assignment;
};

// The context-free policy that decides until one that reads other cells can; none for others.
std::optional<NamedPolicy> find_fallback(const NamedPolicy& policy, const PolicyRegistry& policies);

// How a statement's cell is made and decided.
struct CellRule {
  CellRule(log::CellKind its_kind, NamedPolicy policy, const PolicyRegistry& policies);

  log::CellKind kind = log::CellKind::Quad;
  std::optional<model::Term> group;  // Record
  NamedPolicy decided_by;
  std::optional<NamedPolicy> fallback;  // where that one reads other cells: who decides until it can
};

// `graph` empty: the default graph.
CellRule find_rule(const Assignment& assignment, const PolicyRegistry& policies, std::string_view graph,
                   std::string_view property);

// On one line, for people: "add-wins; single values http://e/price: sum".
std::string summary(const Assignment& assignment);

std::string encode(const Assignment& assignment);
base::Result<Assignment> decode_assignment(std::string_view bytes);

}  // namespace quadrille::reconcile
