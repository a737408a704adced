// Loads a policy from a shared library. The interface: policies/plugin/quadrille_policy.h.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/base/result.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

// The library's own start-up code runs: load only what is trusted as Quadrille itself is. It stays loaded as long as
// the policy lives. A library that this process has loaded already is not read again, even if its file has changed.
// Errors name the file: none there, no library for this machine, no symbol quadrille_policy, another version of the
// interface, a missing function, a name that is no policy's name.
base::Result<std::shared_ptr<const reconcile::Policy>> load_plugin(const std::filesystem::path& file);

}  // namespace quadrille::policies
