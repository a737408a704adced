#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "log/site_id.h"
#include "reconcile/site_store.h"
#include "replica/cli/commands.h"
#include "replica/cli/empty_directory.h"
#include "replica/cli/joining.h"
#include "replica/cli/store_download.h"
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

// What an earlier call left: a copy that is on its way.
bool is_begun(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const auto name = entry.path().filename();
    if (name != "copy.part" && name != "copy.json") return false;
  }
  return fs::is_directory(directory, ignored);
}

// A site that joins the cluster of a running one, with a copy of its store.
base::Result<void> init_from(const InitOptions& options) {
  QUADRILLE_ASSIGN(const auto policies, replica::load_site_policies(options.config));
  replica::SiteConfig config;
  if (!options.config.empty()) {
    QUADRILLE_ASSIGN(config, replica::read_site_config(options.config, policies));
  }
  if (!options.site.empty()) config.name = options.site;
  QUADRILLE_TRY(log::check_site_name(config.name));
  if (!options.peers.empty()) config.peers = options.peers;
  if (config.peers.empty()) {
    QUADRILLE_ASSIGN(auto peer, sync_address_of(options.from));
    config.peers = {std::move(peer)};
  }
  const fs::path directory = options.directory;
  if (!is_begun(directory)) {
    QUADRILLE_ASSIGN(auto empty, EmptyDirectory::take(directory));
    empty.keep();
  }
  QUADRILLE_TRY(download_store(options.from, directory));
  QUADRILLE_ASSIGN(auto target, EmptyDirectory::fill(directory));  // from here on all or nothing
  QUADRILLE_ASSIGN(const auto made, make_site_of_copy(directory, std::move(config), reconcile::CopyUse::Join));
  QUADRILLE_TRY(ask_to_join(options.from, directory));
  target.keep();
  fmt::print("made site {} in {}: it has joined {}, and takes updates once it is served and has caught up\n",
             log::to_string(made.site), directory.string(), fmt::join(made.members, ", "));
  return {};
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
  const auto done = options.from.empty() ? init(options) : init_from(options);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
