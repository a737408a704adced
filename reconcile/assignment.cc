#include "reconcile/assignment.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "log/bytes.h"

namespace quadrille::reconcile {
namespace {

using log::CellKind;

bool matches(const IriMatch& match, std::string_view iri) {
  if (!match.is_prefix()) return match.text == iri;
  return iri.starts_with(std::string_view(match.text).substr(0, match.text.size() - 1));
}

// More specific is larger: an exact match before any prefix, a longer prefix before a shorter one.
std::pair<bool, size_t> specificity(const IriMatch& match) { return {!match.is_prefix(), match.text.size()}; }

auto specificity(const AssignmentRule& rule) { return std::tuple(specificity(rule.property), specificity(rule.graph)); }

const char* name_of(CellKind kind) {
  switch (kind) {
    case CellKind::Quad: return "quads";
    case CellKind::Value: return "single values";
    case CellKind::Record: return "records";
  }
  return "";
}

std::string describe(const AssignmentRule& rule) {
  return fmt::format("the rule for property '{}' in graph '{}'", rule.property.text, rule.graph.text);
}

base::Error invalid(std::string message) { return {base::ErrorKind::InvalidInput, std::move(message), {}}; }

base::Result<void> check_match(const AssignmentRule& rule, const IriMatch& match) {
  if (match.text.find('*') < match.text.size() - 1) {
    return invalid(fmt::format("{}: '*' may stand only at the end of '{}'", describe(rule), match.text));
  }
  return {};
}

// Who decides until a policy can read other cells may not need the same.
base::Result<void> check_fallback(const PolicyRegistry& policies, const NamedPolicy& named, CellKind kind,
                                  const std::string& where) {
  const NamedPolicy fallback = *find_fallback(named, policies);
  const auto refuse = [&](std::string_view trouble) {
    return invalid(fmt::format("{}: '{}' falls back to '{}', {}", where, named.text, fallback.text, trouble));
  };
  if (!fallback.policy) return refuse("which is not there");
  if (!fallback.policy->decides(kind)) return refuse(fmt::format("which does not decide {}", name_of(kind)));
  if (fallback.policy->reads_context()) return refuse("which reads other quads too");
  if (!fallback.policy->check_argument(fallback.argument)) return refuse("whose argument is none of that policy");
  return {};
}

base::Result<void> check_policy(const PolicyRegistry& policies, const std::string& name, CellKind kind,
                                const std::string& where) {
  const NamedPolicy named = policies.find_named(name);
  if (!named.policy) {
    return invalid(
        fmt::format("{}: there is no policy '{}'; there are {}", where, name, fmt::join(policies.names(), ", ")));
  }
  if (!named.policy->decides(kind)) {
    return invalid(fmt::format("{}: '{}' does not decide {}", where, name, name_of(kind)));
  }
  if (named.policy->reads_context()) QUADRILLE_TRY(check_fallback(policies, named, kind, where));
  if (auto checked = named.policy->check_argument(named.argument); !checked) {
    return invalid(fmt::format("{}: {}", where, checked.error().message));
  }
  return {};
}

base::Result<void> check_rule(const AssignmentRule& rule, const PolicyRegistry& policies) {
  QUADRILLE_TRY(check_match(rule, rule.graph));
  QUADRILLE_TRY(check_match(rule, rule.property));
  if (rule.property.text.empty()) return invalid(describe(rule) + ": expected a property, a prefix of one, or '*'");
  const bool is_record = rule.cells == CellKind::Record;
  if (is_record && rule.group.empty()) return invalid(describe(rule) + ": expected the IRI that names the group");
  if (!is_record && !rule.group.empty()) return invalid(describe(rule) + ": only a rule for records names a group");
  return check_policy(policies, rule.policy, rule.cells, describe(rule));
}

// A record has one policy, whichever of its properties is asked.
base::Result<void> check_groups(const std::vector<AssignmentRule>& rules) {
  std::map<std::string, const AssignmentRule*> groups;
  for (const AssignmentRule& rule : rules) {
    if (rule.cells != CellKind::Record) continue;
    const AssignmentRule& first = *groups.try_emplace(rule.group, &rule).first->second;
    if (first.policy == rule.policy) continue;
    return invalid(fmt::format("{}: the group <{}> has the policy '{}' already; expected the same, not '{}'",
                               describe(rule), rule.group, first.policy, rule.policy));
  }
  return {};
}

void write_digest(log::ByteWriter& writer, const Policy* policy) {
  writer.varint(policy ? policy->version() + uint64_t{1} : 0);
  writer.sized(policy ? policy->content_digest() : "");
}

void write_rule(log::ByteWriter& writer, const AssignmentRule& rule) {
  writer.sized(rule.graph.text);
  writer.sized(rule.property.text);
  writer.byte(static_cast<uint8_t>(rule.cells));
  writer.sized(rule.group);
  writer.sized(rule.policy);
}

AssignmentRule read_rule(log::ByteReader& reader) {
  AssignmentRule rule;
  rule.graph.text = reader.sized();
  rule.property.text = reader.sized();
  const uint8_t kind = reader.byte();
  if (kind > static_cast<uint8_t>(CellKind::Record)) reader.fail();
  rule.cells = static_cast<CellKind>(kind);
  rule.group = reader.sized();
  rule.policy = reader.sized();
  return rule;
}

}  // namespace

base::Result<void> PolicyRegistry::add(std::shared_ptr<const Policy> policy) {
  std::string name(policy->name());
  if (!policies_.try_emplace(name, std::move(policy)).second) {
    return base::Error{base::ErrorKind::Refused, fmt::format("there are two policies of the name '{}'", name), {}};
  }
  return {};
}

std::shared_ptr<const Policy> PolicyRegistry::find(std::string_view name) const {
  const auto policy = policies_.find(name);
  return policy == policies_.end() ? nullptr : policy->second;
}

NamedPolicy PolicyRegistry::find_named(std::string_view text) const {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {std::string(text), {}, find(text)};
  const std::string_view argument = text.substr(open + 1, text.size() - open - 2);
  return {std::string(text), std::string(argument), find(text.substr(0, open))};
}

std::vector<std::string> PolicyRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, policy] : policies_) names.push_back(name);
  return names;
}

std::string Assignment::find_unknown_policy(const PolicyRegistry& policies) const {
  std::vector<std::string> named = {default_policy};
  for (const AssignmentRule& rule : rules) named.push_back(rule.policy);
  for (const std::string& text : named) {
    const NamedPolicy policy = policies.find_named(text);
    if (!policy.policy) return text;
    const auto fallback = find_fallback(policy, policies);
    if (fallback && !fallback->policy) return fallback->text;
  }
  return {};
}

base::Result<void> Assignment::check(const PolicyRegistry& policies) const {
  QUADRILLE_TRY(check_policy(policies, default_policy, CellKind::Quad, "the default policy"));
  for (const AssignmentRule& rule : rules) QUADRILLE_TRY(check_rule(rule, policies));
  // Two different matches that are equally specific cannot match one property, so only the same text twice is unclear.
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const AssignmentRule& rule : rules) {
    if (!known.emplace(rule.graph.text, rule.property.text).second) {
      return invalid(describe(rule) + " stands there twice");
    }
  }
  return check_groups(rules);
}

log::ChangesetHash Assignment::digest(const PolicyRegistry& policies) const {
  Assignment sorted = *this;
  std::sort(sorted.rules.begin(), sorted.rules.end(), [](const AssignmentRule& left, const AssignmentRule& right) {
    return std::tie(left.graph.text, left.property.text) < std::tie(right.graph.text, right.property.text);
  });
  std::string bytes = encode(sorted);
  log::ByteWriter writer(bytes);
  const auto add_version = [&](const std::string& name) {
    const NamedPolicy named = policies.find_named(name);
    write_digest(writer, named.policy.get());
    if (const auto fallback = find_fallback(named, policies)) {
      writer.sized(fallback->text);
      write_digest(writer, fallback->policy.get());
    }
  };
  add_version(sorted.default_policy);
  for (const AssignmentRule& rule : sorted.rules) add_version(rule.policy);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  log::ChangesetHash digest;
  std::memcpy(digest.data(), &canonical, digest.size());
  return digest;
}

std::optional<NamedPolicy> find_fallback(const NamedPolicy& policy, const PolicyRegistry& policies) {
  if (!policy.policy || !policy.policy->reads_context()) return std::nullopt;
  return policies.find_named(policy.policy->fallback());
}

CellRule::CellRule(log::CellKind its_kind, NamedPolicy policy, const PolicyRegistry& policies)
    : kind(its_kind), decided_by(std::move(policy)), fallback(find_fallback(decided_by, policies)) {}

CellRule find_rule(const Assignment& assignment, const PolicyRegistry& policies, std::string_view graph,
                   std::string_view property) {
  const AssignmentRule* best = nullptr;
  for (const AssignmentRule& rule : assignment.rules) {
    if (!matches(rule.graph, graph) || !matches(rule.property, property)) continue;
    if (!best || specificity(rule) > specificity(*best)) best = &rule;
  }
  if (!best) return CellRule(CellKind::Quad, policies.find_named(assignment.default_policy), policies);
  CellRule rule(best->cells, policies.find_named(best->policy), policies);
  if (best->cells == CellKind::Record) rule.group = model::Term::iri(best->group);
  return rule;
}

std::string summary(const Assignment& assignment) {
  std::string text = assignment.default_policy;
  for (const AssignmentRule& rule : assignment.rules) {
    text += fmt::format("; {} {}", name_of(rule.cells), rule.property.text);
    if (rule.graph.text != "*") text += fmt::format(" in graph '{}'", rule.graph.text);
    if (!rule.group.empty()) text += " of " + rule.group;
    text += ": " + rule.policy;
  }
  return text;
}

std::string encode(const Assignment& assignment) {
  std::string bytes;
  log::ByteWriter writer(bytes);
  writer.byte(1);  // format
  writer.sized(assignment.default_policy);
  writer.varint(assignment.rules.size());
  for (const AssignmentRule& rule : assignment.rules) write_rule(writer, rule);
  return bytes;
}

base::Result<Assignment> decode_assignment(std::string_view bytes) {
  log::ByteReader reader(bytes);
  if (reader.byte() != 1) reader.fail();
  Assignment assignment;
  assignment.default_policy = reader.sized();
  const uint64_t count = reader.count(5);
  for (uint64_t i = 0; i < count && reader.ok(); ++i) assignment.rules.push_back(read_rule(reader));
  if (!reader.ok() || !reader.at_end()) return invalid("the bytes of a policy assignment are cut off or malformed");
  return assignment;
}

}  // namespace quadrille::reconcile
