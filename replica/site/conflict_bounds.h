// How many conflict records a site keeps, and how long, as its TOML file says.
//
//   [conflicts]
//   keep_max = 100000   # final records; the oldest go
//   keep_days = 90      # by the time of the record
#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "reconcile/conflict_bounds.h"
#include "replica/site/toml_reader.h"

namespace quadrille::replica {

base::Result<reconcile::ConflictBounds> read_conflict_bounds(TomlReader& top);
// For who is about to open the store. Looks at no other table. The defaults where there is no such file.
base::Result<reconcile::ConflictBounds> load_conflict_bounds(const std::filesystem::path& site_toml);

int64_t days_kept(const reconcile::ConflictBounds& bounds);

}  // namespace quadrille::replica
