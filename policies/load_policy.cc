#include "policies/load_policy.h"

#include <fmt/format.h>

#include "policies/built_in.h"
#include "policies/lua_policy.h"
#include "policies/plugin_loader.h"

namespace quadrille::policies {
namespace {

namespace fs = std::filesystem;

base::Result<std::shared_ptr<const reconcile::Policy>> load_by_extension(const fs::path& file) {
  if (file.extension() == ".so") return load_plugin(file);
  if (file.extension() == ".lua") return load_lua_policy(file);
  return base::Error{base::ErrorKind::InvalidInput,
                     fmt::format("{}: expected a policy in a file with the extension .so or .lua", file.string()),
                     {}};
}

}  // namespace

base::Result<std::shared_ptr<const reconcile::Policy>> load_policy(const fs::path& file) {
  QUADRILLE_ASSIGN(auto policy, load_by_extension(file));
  if (!built_in().find(policy->name())) return policy;
  return base::Error{base::ErrorKind::InvalidInput,
                     fmt::format("{}: its name is '{}', which is a built-in policy's; expected another", file.string(),
                                 policy->name()),
                     {}};
}

base::Result<reconcile::PolicyRegistry> built_in_and_loaded(std::span<const fs::path> files) {
  reconcile::PolicyRegistry policies = built_in();
  for (const fs::path& file : files) {
    QUADRILLE_ASSIGN(auto policy, load_policy(file));
    if (auto added = policies.add(std::move(policy)); !added) {
      return base::Error{added.error().kind, fmt::format("{}: {}", file.string(), added.error().message), {}};
    }
  }
  return policies;
}

}  // namespace quadrille::policies
