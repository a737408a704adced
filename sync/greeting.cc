#include "sync/greeting.h"

#include <algorithm>
#include <cstring>

namespace quadrille::sync {

namespace {

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string versions(const Greeting& greeting) {
  return std::to_string(greeting.version_min) + " to " + std::to_string(greeting.version_max);
}

bool has_member(const Greeting& greeting, const std::string& name) {
  return std::binary_search(greeting.members.begin(), greeting.members.end(), name);
}

std::optional<std::string> find_identity_refusal(const Greeting& a, const Greeting& b) {
  if (a.site == b.site && a.nonce == b.nonce) return "site " + a.site.name + " dialed itself";
  if (a.site == b.site) {
    return "two processes run as site " + to_string(a.site) + ": one directory must be a copy of the other";
  }
  if (a.site.name == b.site.name) return "two sites are named " + a.site.name;
  return std::nullopt;
}

// `owner`'s changesets, as `other` claims to have them.
std::optional<std::string> find_lost_changesets(const Greeting& owner, const Greeting& other) {
  const uint64_t claimed = other.vector.at(owner.site);
  const uint64_t written = owner.vector.at(owner.site);
  if (claimed <= written) return std::nullopt;
  return "site " + other.site.name + " has " + std::to_string(claimed) + " changesets of site " +
         to_string(owner.site) + ", which itself has only " + std::to_string(written) +
         ": its directory is an old copy or has lost data";
}

std::string describe(const log::AssignmentNumber& number) {
  if (number.is_initial()) return "of the founding sites";
  return "number " + to_string(number.stamp) + " of " + number.origin.name;
}

std::optional<std::string> find_assignment_refusal(const Greeting& a, const Greeting& b) {
  bool have_one_in_common = false;
  for (const auto& [number, digest] : a.assignments) {
    const auto other = b.assignments.find(number);
    if (other == b.assignments.end()) continue;
    have_one_in_common = true;
    if (digest == other->second) continue;
    return "different policy assignments at " + a.site.name + " and " + b.site.name + ", " + describe(number) +
           ": rules, policies, their versions or the content of plugins differ";
  }
  if (have_one_in_common) return std::nullopt;
  return "different policy assignments at " + a.site.name + " and " + b.site.name + ": they have none in common";
}

// reconcile::is_founder_unseen
bool names(const std::set<log::SiteId>& evicted, const log::SiteId& site) {
  return evicted.contains(site) || evicted.contains({site.name, 0});
}

// It was let in by an evicted site, or took something of one, behind the cut: so it is none of the members that are
// left.
bool is_past_a_cut(const Greeting& knows, const Greeting& site) {
  const auto& has = site.vector.entries();
  return std::any_of(has.begin(), has.end(), [&](const auto& entry) {
    return entry.second > knows.vector.at(entry.first) && names(knows.evicted_for_good, entry.first);
  });
}

bool is_evicted(const Greeting& knows, const Greeting& site) {
  const bool is_named = site.is_founder ? names(knows.evicted, site.site) : knows.evicted.contains(site.site);
  return is_named || is_past_a_cut(knows, site);
}

std::optional<std::string> find_difference(const Greeting& a, const Greeting& b) {
  if (a.version_min > b.version_max || b.version_min > a.version_max) {
    return "no protocol version in common: " + a.site.name + " speaks " + versions(a) + ", " + b.site.name + " " +
           versions(b);
  }
  if (a.cluster != b.cluster) {
    return "different clusters: " + a.site.name + " is of '" + a.cluster + "', " + b.site.name + " of '" + b.cluster +
           "'";
  }
  if (auto refusal = find_identity_refusal(a, b)) return refusal;
  if (a.founders != b.founders) {
    return "different founding members: " + a.site.name + " knows " + join(a.founders) + "; " + b.site.name +
           " knows " + join(b.founders);
  }
  for (const auto& [knows, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (is_evicted(*knows, *other)) {
      return "site " + to_string(other->site) + " was evicted, as " + knows->site.name + " knows";
    }
    // One that joined may be unknown here: it has the changeset that says so.
    if (!other->is_founder || has_member(*knows, other->site.name)) continue;
    return "site " + other->site.name + " is no member of the cluster, as far as " + knows->site.name +
           " knows: " + join(knows->members) + " are";
  }
  if (a.format != b.format) {
    return "different changeset formats: " + a.site.name + " writes " + std::to_string(a.format) + ", " + b.site.name +
           " " + std::to_string(b.format);
  }
  if (auto refusal = find_assignment_refusal(a, b)) return refusal;
  if (auto lost = find_lost_changesets(a, b)) return lost;
  return find_lost_changesets(b, a);
}

void write_names(const std::vector<std::string>& names, capnp::List<capnp::Text>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) to.set(i, names[i].c_str());
}

}  // namespace

bool says_evicted(const Greeting& own, const Greeting& theirs) {
  // Of two that evict each other the others decide.
  return own.cluster == theirs.cluster && own.founders == theirs.founders && is_evicted(theirs, own) &&
         !is_evicted(own, theirs);
}

std::optional<std::string> find_refusal(const Greeting& own, const Greeting& theirs) {
  const bool own_first = own.site < theirs.site || (own.site == theirs.site && own.nonce < theirs.nonce);
  auto refusal = own_first ? find_difference(own, theirs) : find_difference(theirs, own);
  if (refusal) refusal = one_line(*refusal);
  return refusal;
}

void write_greeting(const Greeting& greeting, wire::Greeting::Builder to) {
  to.setVersionMin(greeting.version_min);
  to.setVersionMax(greeting.version_max);
  to.setCluster(greeting.cluster.c_str());
  write_names(greeting.founders, to.initFounders(static_cast<unsigned>(greeting.founders.size())));
  write_names(greeting.members, to.initMembers(static_cast<unsigned>(greeting.members.size())));
  write_site(greeting.site, to.initSite());
  to.setNonce(greeting.nonce);
  to.setIsFounder(greeting.is_founder);
  to.setFormat(greeting.format);
  auto assignments = to.initAssignments(static_cast<unsigned>(greeting.assignments.size()));
  unsigned place = 0;
  for (const auto& [number, digest] : greeting.assignments) {
    auto assignment = assignments[place++];
    assignment.setPhysicalMs(number.stamp.physical_ms);
    assignment.setCounter(number.stamp.counter);
    if (!number.is_initial()) write_site(number.origin, assignment.initOrigin());
    assignment.setDigest(kj::arrayPtr(digest.data(), digest.size()));
  }
  write_vector(greeting.vector, to.initVector());
  write_sites(greeting.direct, [&](unsigned size) { return to.initDirect(size); });
  write_sites(greeting.evicted, [&](unsigned size) { return to.initEvicted(size); });
  write_sites(greeting.evicted_for_good, [&](unsigned size) { return to.initEvictedForGood(size); });
}

namespace {

base::Result<std::vector<std::string>> read_names(capnp::List<capnp::Text>::Reader from) {
  if (from.size() > members_max) return broken_rule("a greeting that names more than 4096 members");
  std::vector<std::string> names;
  for (const auto name : from) {
    QUADRILLE_TRY(log::check_site_name({name.begin(), name.size()}));
    names.emplace_back(name.begin(), name.size());
  }
  std::sort(names.begin(), names.end());
  return names;
}

base::Result<void> read_assignments(wire::Greeting::Reader from, Greeting& greeting) {
  constexpr unsigned assignments_max = 1024;
  if (from.getAssignments().size() > assignments_max) {
    return broken_rule("a greeting with more than 1024 policy assignments");
  }
  for (const auto assignment : from.getAssignments()) {
    log::AssignmentNumber number{{assignment.getPhysicalMs(), assignment.getCounter()}, {}};
    if (assignment.hasOrigin()) {
      QUADRILLE_ASSIGN(number.origin, read_site(assignment.getOrigin()));
    } else {
      number.stamp = {};
    }
    log::ChangesetHash digest{};
    const auto bytes = assignment.getDigest();
    if (bytes.size() != digest.size()) return broken_rule("a digest that is not of 16 bytes");
    std::memcpy(digest.data(), bytes.begin(), digest.size());
    greeting.assignments.emplace(std::move(number), digest);
  }
  return {};
}

}  // namespace

base::Result<Greeting> read_greeting(wire::Greeting::Reader from) {
  Greeting greeting;
  greeting.version_min = from.getVersionMin();
  greeting.version_max = from.getVersionMax();
  greeting.cluster = one_line({from.getCluster().begin(), from.getCluster().size()});
  QUADRILLE_ASSIGN(greeting.founders, read_names(from.getFounders()));
  QUADRILLE_ASSIGN(greeting.members, read_names(from.getMembers()));
  QUADRILLE_ASSIGN(greeting.site, read_site(from.getSite()));
  greeting.nonce = from.getNonce();
  greeting.is_founder = from.getIsFounder();
  greeting.format = from.getFormat();
  QUADRILLE_TRY(read_assignments(from, greeting));
  QUADRILLE_ASSIGN(greeting.vector, read_vector(from.getVector()));
  QUADRILLE_ASSIGN(greeting.direct, read_sites(from.getDirect()));
  QUADRILLE_ASSIGN(greeting.evicted, read_sites(from.getEvicted()));
  QUADRILLE_ASSIGN(greeting.evicted_for_good, read_sites(from.getEvictedForGood()));
  return greeting;
}

}  // namespace quadrille::sync
