// Policies from files, and all the policies of a site.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "engine/base/result.h"
#include "reconcile/assignment.h"

namespace quadrille::policies {

// By the extension: .so (policies/plugin_loader.h) or .lua (policies/lua_policy.h). Also refuses a built-in's name.
// Errors begin with the file's name. A policy without flaw is made in some milliseconds; keep it.
base::Result<std::shared_ptr<const reconcile::Policy>> load_policy(const std::filesystem::path& file);

// The built-in policies, and those of these files. Two of one name are refused.
base::Result<reconcile::PolicyRegistry> built_in_and_loaded(std::span<const std::filesystem::path> files);

}  // namespace quadrille::policies
