// The policies that a site knows: the built-in ones, and those that its TOML file loads.
//
//   [policies]
//   load = ["nearest.lua", "/usr/lib/quadrille/keep-longest.so"]   # relative to the file that says so
#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/assignment.h"
#include "replica/site/toml_reader.h"

namespace quadrille::replica {

// The files that `top` names, as absolute paths.
base::Result<std::vector<std::filesystem::path>> read_policy_files(TomlReader& top);

// For who is about to read the whole file with them (read_site_config). Looks at no other table of it. The built-in
// ones alone where there is no such file.
base::Result<reconcile::PolicyRegistry> load_site_policies(const std::filesystem::path& site_toml);

}  // namespace quadrille::replica
