// The conflicts of a site, as people ask for them: `quadrille conflicts` and /conflicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/conflict_record.h"
#include "reconcile/site_store.h"

namespace quadrille::replica {

// Which are wanted. What is absent or empty lets everything through.
struct ConflictFilter {
  std::optional<int64_t> since_ms;  // at that time and later; milliseconds since 1970, UTC
  std::optional<int64_t> until_ms;  // before that time
  std::string property;             // an IRI: the cell's, that of a record's group, or one that a candidate wrote
  std::string policy;               // "site-priority", or with its argument as the assignment has it
  std::optional<bool> provisional;
  std::optional<bool> open;
  std::optional<uint64_t> limit;  // the newest so many

  // One of since, until, property, policy, provisional, open, limit, as text. InvalidInput: one line, what was
  // expected. A time is an xsd:dateTime or xsd:date, in UTC where it names no time zone; an IRI may stand in angle
  // brackets.
  base::Result<void> set(std::string_view name, std::string_view value);
};

struct ListedConflict {
  reconcile::ConflictRecord record;
  // keep-all has kept several values, and the cell still holds them: somebody is to write one.
  bool is_open = false;
};

// Oldest first.
std::vector<ListedConflict> list_conflicts(const reconcile::SiteSnapshot& snapshot, const ConflictFilter& filter);

}  // namespace quadrille::replica
