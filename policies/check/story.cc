#include "policies/check/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "policies/check/concurrency.h"

namespace quadrille::policies::check {
namespace {

using reconcile::Conflict;
using reconcile::Version;

std::string name_of(const Version& version) { return fmt::format("{}:{}", version.id.origin.name, version.id.seq); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// The newest of what it had seen; the others follow from them.
std::string seen_by(const Played& played, const PlayedVersion& version) {
  std::vector<std::string> names;
  for (const uint8_t one : in_order(played.versions, maximal_of(played.versions, version.seen))) {
    names.push_back(name_of(played.versions[one].version));
  }
  return names.empty() ? "having seen no write" : "having seen " + joined(names);
}

std::string tell_write(const Played& played, const PlayedVersion& one, log::CellKind kind) {
  const Version& version = one.version;
  const int64_t ms = version.stamp.physical_ms - played.versions.front().version.stamp.physical_ms;
  std::string what;
  if (kind == log::CellKind::Quad) {
    what = version.left.empty() ? "deletes the quad" : "inserts the quad";
  } else {
    what = version.left.empty()
               ? fmt::format("deletes {}", describe(version.saw))
               : fmt::format("writes {} where it found {}", describe(version.left), describe(version.saw));
  }
  return fmt::format("{} {} ({}, at {:+} ms{}), {}", version.id.origin.name, what, name_of(version), ms,
                     version.stamp.counter == 0 ? "" : fmt::format(" and {}", version.stamp.counter),
                     seen_by(played, one));
}

std::string tell_receipt(const Event& event) {
  const std::string how_much =
      event.amount == 0xFF ? "all that" : fmt::format("the first {} changesets that it lacks of what", event.amount);
  return fmt::format("{} takes in {} {} has", site_name(event.site), how_much, site_name(event.other));
}

size_t sites_that_act(const History& history) {
  std::array<bool, sites_max> acts{};
  for (const Event& event : history.events) {
    acts[event.site] = true;
    if (event.deed == Deed::Receive) acts[event.other] = true;
  }
  return static_cast<size_t>(std::count(acts.begin(), acts.end(), true));
}

}  // namespace

std::vector<std::string> tell_events(const History& history, const Played& played, const ValuePool& pool) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& line) { lines.push_back(fmt::format("{}. {}", lines.size() + 1, line)); };
  if (!history.start.empty()) {
    std::string values;
    for (const PoolValue value : history.start) {
      reconcile::Content content{{model::Term::iri(history.property), pool.at(value)}};
      values += (values.empty() ? "" : ", ") + describe(content);
    }
    add(history.kind == log::CellKind::Quad ? "every site holds the quad" : fmt::format("every site holds {}", values));
  }
  uint8_t joining = history.sites;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    switch (event.deed) {
      case Deed::Receive: add(tell_receipt(event)); break;
      case Deed::Fold:
        add(fmt::format("{} folds what all sites are known to have, and drops what may leave", site_name(event.site)));
        break;
      case Deed::Evict: add(fmt::format("{} is evicted", site_name(event.site))); break;
      case Deed::Join:
        if (joining < sites_max)
          add(fmt::format("{} joins, with what {} has", site_name(joining++), site_name(event.site)));
        break;
      default:
        for (const PlayedVersion& version : played.versions) {
          if (version.event == i) add(tell_write(played, version, history.kind));
        }
    }
  }
  return lines;
}

std::vector<std::string> tell_conflict(const Conflict& conflict) {
  std::vector<std::string> lines;
  if (conflict.cell.kind == log::CellKind::Quad) {
    lines.push_back(conflict.base.empty() ? "before: no quad" : "before: the quad");
  } else {
    lines.push_back("before: " + describe(conflict.base));
  }
  for (size_t i = 0; i < conflict.versions.size(); ++i) {
    const Version& version = conflict.versions[i];
    std::vector<std::string> seen;
    for (size_t k = 0; k < conflict.versions.size(); ++k) {
      if (conflict.seen[i][k]) seen.push_back(name_of(conflict.versions[k]));
    }
    lines.push_back(fmt::format("{}: left {}{}{}", name_of(version), describe(version.left),
                                seen.empty() ? "" : ", had seen " + joined(seen),
                                version.is_maximal ? ", maximal" : ""));
  }
  return lines;
}

std::string tell_size(const History& history, const Played& played) {
  const size_t sites = std::max<size_t>(sites_that_act(history), 1);
  return fmt::format("{} site{}, {} write{}", sites, sites == 1 ? "" : "s", played.versions.size(),
                     played.versions.size() == 1 ? "" : "s");
}

}  // namespace quadrille::policies::check
