#include "policies/plugin_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "policies/plugin_policy.h"
#include "policies/policy_failure.h"
#include "policies/policy_file.h"

namespace quadrille::policies {
namespace {

namespace fs = std::filesystem;

constexpr size_t library_bytes_max = size_t{1} << 30;

base::Error invalid(const fs::path& file, std::string_view what) {
  return {base::ErrorKind::InvalidInput, fmt::format("{}: {}", file.string(), what), {}};
}

// What the loader of the system said, without the name that it puts in front.
std::string loader_trouble(const std::string& name) {
  const char* const said = dlerror();
  std::string trouble = one_line(said ? said : "no reason given");
  if (trouble.starts_with(name + ": ")) trouble.erase(0, name.size() + 2);
  return trouble;
}

base::Result<std::shared_ptr<void>> open_library(const fs::path& file) {
  const std::string name = fs::absolute(file).string();  // without a '/' it would be looked for elsewhere
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return invalid(file, fmt::format("expected a shared library for this machine: {}", loader_trouble(name)));
  }
  return std::shared_ptr<void>(handle, [](void* library) { dlclose(library); });
}

}  // namespace

base::Result<std::shared_ptr<const reconcile::Policy>> load_plugin(const fs::path& file) {
  QUADRILLE_ASSIGN(const auto bytes, read_policy_file(file, library_bytes_max));
  QUADRILLE_ASSIGN(auto library, open_library(file));
  using Offer = const quadrille_policy_v1* (*)();
  const auto offer = reinterpret_cast<Offer>(dlsym(library.get(), "quadrille_policy"));
  if (!offer) {
    return invalid(file, "a library, but no policy; expected the function 'quadrille_policy' of quadrille_policy.h");
  }
  const quadrille_policy_v1* const offered = offer();
  if (!offered) return invalid(file, "its function 'quadrille_policy' returns nothing; expected a policy");
  if (offered->abi_version != QUADRILLE_POLICY_ABI_VERSION) {
    return invalid(file, fmt::format("made for version {} of the policy interface; expected version {}",
                                     offered->abi_version, QUADRILLE_POLICY_ABI_VERSION));
  }
  auto policy = PluginPolicy::make(std::move(library), *offered, digest_of(bytes));
  if (!policy) return invalid(file, policy.error().message);
  return std::shared_ptr<const reconcile::Policy>(std::move(policy).value());
}

}  // namespace quadrille::policies
