#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "log/site_id.h"
#include "reconcile/site_store.h"
#include "replica/cli/commands.h"
#include "replica/cli/trouble.h"
#include "replica/site/site_config.h"
#include "replica/site/site_policies.h"
#include "replica/system_clocks.h"

namespace quadrille::cli {
namespace {

namespace fs = std::filesystem;

// The file's settings, with what the command line says on top.
base::Result<replica::SiteConfig> make_config(const InitOptions& options, const reconcile::PolicyRegistry& policies) {
  replica::SiteConfig config;
  if (!options.config.empty()) {
    QUADRILLE_ASSIGN(config, replica::read_site_config(options.config, policies));
  }
  if (!options.site.empty()) config.name = options.site;
  if (!options.cluster.empty()) config.cluster = options.cluster;
  if (!options.members.empty()) config.members = options.members;
  if (config.name.empty()) {
    return base::Error{base::ErrorKind::InvalidInput, "the site has no name; expected --site NAME", {}};
  }
  QUADRILLE_TRY(log::check_site_name(config.name));
  if (config.members.empty()) config.members = {config.name};
  QUADRILLE_ASSIGN(config.members, replica::check_members(std::move(config.members), config.name));
  return config;
}

base::Result<void> write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return {};
  return base::Error{base::ErrorKind::IoFailure, fmt::format("{}: cannot be written", file.string()), {}};
}

base::Result<void> init(const InitOptions& options) {
  QUADRILLE_ASSIGN(const auto policies, replica::load_site_policies(options.config));
  QUADRILLE_ASSIGN(const auto config, make_config(options, policies));
  const fs::path directory = options.directory;
  std::error_code ignored;
  const bool existed = fs::exists(directory, ignored);
  replica::SystemRandom random;
  const reconcile::SiteIdentity identity{
      {config.name, random.next()}, config.cluster, config.members, config.assignment};
  QUADRILLE_TRY(reconcile::SiteStore::create(directory, identity, policies, {}));
  if (auto written = write_file(directory / "site.toml", replica::to_toml(config)); !written.ok()) {
    // All of it or nothing: the directory was empty or was not there.
    for (const auto& entry : fs::directory_iterator(directory)) fs::remove_all(entry.path(), ignored);
    if (!existed) fs::remove(directory, ignored);
    return written;
  }
  fmt::print("made site {} of cluster {} in {} (members: {})\n", config.name, config.cluster, directory.string(),
             fmt::join(config.members, ", "));
  return {};
}

}  // namespace

int run_init(const InitOptions& options) {
  const auto done = init(options);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
