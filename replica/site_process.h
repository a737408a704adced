// A site as a process: its threads and its sockets around a Site.
//
// Threads: the caller's runs the event loop (Asio, with kj on it: sync and everything that is told to it); one writes
// (WriterThread); a few move HTTP's bytes (http::Server); some answer requests (http::Service).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "policies/policy_troubles.h"
#include "reconcile/assignment.h"
#include "reconcile/site_store.h"
#include "replica/site/query.h"
#include "replica/site/site_config.h"

namespace quadrille::replica {

// Where the site listens, with the ports that it really got.
struct ServedAt {
  std::string http;
  std::string sync;
  bool is_https = false;
};

struct SiteProcessParts {
  std::unique_ptr<reconcile::SiteStore> store;
  SiteConfig config;
  const reconcile::PolicyRegistry& policies;  // that the store was opened with
  const policies::PolicyTroubleBook& policy_troubles;
  RunParts run;
  std::filesystem::path directory;  // of the store: copies of it are written there, and bodies of large requests
  std::function<void(const ServedAt&)> on_ready;
  // Reads the configuration again, for SIGHUP; null: it is not. Of it only [http] counts, but for where it listens.
  std::function<base::Result<SiteConfig>()> reload;
  std::function<void(const std::string&)> on_trouble;  // of sync, one line; called on the caller's thread
};

// Mismatch if the configuration names another site, cluster, members or policies than the store was made with.
base::Result<void> check_config(const SiteConfig& config, const reconcile::SiteStore& store,
                                const reconcile::PolicyRegistry& policies);

// Serves until SIGTERM or SIGINT: then answers under way end, what was submitted is committed, and it returns.
// Busy: a port is in use.
base::Result<void> serve_site(SiteProcessParts parts);

}  // namespace quadrille::replica
