// `quadrille backup` and `quadrille restore`.
#include <fmt/format.h>

#include <filesystem>

#include "replica/cli/commands.h"
#include "replica/cli/empty_directory.h"
#include "replica/cli/joining.h"
#include "replica/cli/store_download.h"
#include "replica/cli/trouble.h"
#include "replica/site/site_policies.h"

namespace quadrille::cli {
namespace {

namespace fs = std::filesystem;

// A site of the backup's name, or another one, that belongs to no cluster yet.
base::Result<NewSite> unpack(const RestoreOptions& options, std::vector<std::string> peers) {
  QUADRILLE_TRY(unpack_backup(options.file, options.directory));
  replica::SiteConfig config;
  if (!options.config.empty()) {
    QUADRILLE_ASSIGN(const auto policies, replica::load_site_policies(options.config));
    QUADRILLE_ASSIGN(config, replica::read_site_config(options.config, policies));
  }
  config.name = options.site;
  if (!peers.empty()) config.peers = std::move(peers);
  return make_site_of_copy(options.directory, std::move(config), reconcile::CopyUse::Join);
}

base::Result<void> restore_into_cluster(const RestoreOptions& options) {
  QUADRILLE_ASSIGN(auto target, EmptyDirectory::take(options.directory));
  QUADRILLE_ASSIGN(auto peer, sync_address_of(options.join));
  QUADRILLE_ASSIGN(const auto made, unpack(options, {std::move(peer)}));
  // What the site wrote in its old life after the backup, the others have or nobody has.
  QUADRILLE_TRY(evict_and_wait(options.join, made.site.name, options.wait_s));
  QUADRILLE_TRY(ask_to_join(options.join, options.directory));
  target.keep();
  fmt::print("restored as site {} in {}; serve it, and it catches up\n", log::to_string(made.site), options.directory);
  return {};
}

base::Result<void> restore_alone(const RestoreOptions& options) {
  QUADRILLE_ASSIGN(auto target, EmptyDirectory::take(options.directory));
  QUADRILLE_ASSIGN(auto made, unpack(options, {}));
  auto others = made.members;
  std::erase(others, made.site.name);
  if (!others.empty() && !options.alone) {
    return base::Error{base::ErrorKind::Refused,
                       fmt::format("the backup is of a cluster that has {} too; expected --join URL of one of them, or "
                                   "--alone if none of them is left",
                                   fmt::join(others, ", ")),
                       {}};
  }
  const auto file = fs::path(options.directory) / "site.toml";
  QUADRILLE_ASSIGN(const auto policies, replica::load_site_policies(file));
  QUADRILLE_ASSIGN(auto config, replica::read_site_config(file, policies));
  QUADRILLE_ASSIGN(made, make_site_of_copy(options.directory, std::move(config), reconcile::CopyUse::Alone));
  target.keep();
  fmt::print("restored as site {} in {}, the only member of its cluster\n", log::to_string(made.site),
             options.directory);
  return {};
}

}  // namespace

int run_backup(const BackupOptions& options) {
  const auto written = download_backup(options.url, options.file);
  if (!written.ok()) return report(written.error());
  fmt::print("{}: {} bytes\n", options.file, fs::file_size(options.file));
  return Done;
}

int run_restore(const RestoreOptions& options) {
  const auto restored = options.join.empty() ? restore_alone(options) : restore_into_cluster(options);
  return restored.ok() ? Done : report(restored.error());
}

}  // namespace quadrille::cli
