#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "replica/cli/commands.h"
#include "replica/cli/local_store.h"
#include "replica/cli/trouble.h"
#include "replica/site/site_policies.h"
#include "replica/site_process.h"
#include "sync/address.h"

namespace quadrille::cli {
namespace {

std::filesystem::path file_of(const ServeOptions& options) {
  return options.config.empty() ? std::filesystem::path(options.directory) / "site.toml"
                                : std::filesystem::path(options.config);
}

// The file, and over it what the command line says.
base::Result<replica::SiteConfig> read_file(const ServeOptions& options, const reconcile::PolicyRegistry& policies) {
  QUADRILLE_ASSIGN(auto config, replica::read_site_config(file_of(options), policies));
  if (!options.http.empty()) config.http = options.http;
  if (!options.sync.empty()) config.sync = options.sync;
  if (!options.peers.empty()) config.peers = options.peers;
  return config;
}

base::Result<replica::SiteConfig> read_config(const ServeOptions& options, LocalStore& local) {
  const auto file = file_of(options);
  QUADRILLE_ASSIGN(auto config, read_file(options, local.policies()));
  if (auto checked = replica::check_config(config, local.store(), local.policies()); !checked.ok()) {
    return base::Error{checked.error().kind, fmt::format("{}: {}", file.string(), checked.error().message), {}};
  }
  return config;
}

void print_ready(const std::string& site, const replica::ServedAt& at) {
  // One line that a script can wait for and read.
  fmt::print("{} is ready: {}://{} sync {}\n", site, at.is_https ? "https" : "http", at.http, at.sync);
  std::fflush(stdout);
}

void print_trouble(const std::string& site, const std::string& line) {
  fmt::print(stderr, "{:%Y-%m-%dT%H:%M:%S}Z {}: {}\n", fmt::gmtime(std::time(nullptr)), site, line);
}

// What can be told without the store, which another process may be serving.
base::Result<void> check(const ServeOptions& options) {
  const auto file = file_of(options);
  QUADRILLE_ASSIGN(const auto policies, replica::load_site_policies(file));
  QUADRILLE_ASSIGN(const auto config, read_file(options, policies));
  fmt::print("{}: all of it is understood; {} would answer HTTP on {} and other sites on {}\n", file.string(),
             config.name.empty() ? "the site" : config.name, config.http, config.sync);
  return {};
}

base::Result<void> serve(const ServeOptions& options) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(options.directory, options.config));
  QUADRILLE_ASSIGN(auto config, read_config(options, *local));
  const auto name = local->store().identity().site.name;
  auto run = local->run_parts();
  QUADRILLE_TRY(replica::serve_site({.store = local->take_store(),
                                     .config = std::move(config),
                                     .policies = local->policies(),
                                     .policy_troubles = local->policy_troubles(),
                                     .run = run,
                                     .directory = options.directory,
                                     .on_ready = [&name](const auto& at) { print_ready(name, at); },
                                     .reload = [&] { return read_file(options, local->policies()); },
                                     .on_trouble = [&name](const auto& line) { print_trouble(name, line); }}));
  fmt::print("{} has stopped\n", name);
  return {};
}

}  // namespace

int run_serve(const ServeOptions& options) {
  for (const auto& address : {options.http, options.sync}) {
    if (address.empty()) continue;
    if (auto parsed = sync::parse_host_port(address); !parsed.ok()) {
      return report_usage(parsed.error().message);
    }
  }
  for (const auto& peer : options.peers) {
    if (auto parsed = sync::parse_host_port(peer); !parsed.ok()) return report_usage(parsed.error().message);
  }
  const auto done = options.check_config ? check(options) : serve(options);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
