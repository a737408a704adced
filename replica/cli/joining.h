// How a copied store becomes a site that belongs to the cluster. DESIGN section 5, "Joining" and "Restore".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/store_copy.h"
#include "replica/site/site_config.h"

namespace quadrille::cli {

// A directory with a copied data.mdb and nothing else. Makes it a site of that name, in a new life, with a site.toml.
// `config`: what else that is to say; its policies must be those that the copied site has. An empty name: the copied
// site's.
struct NewSite {
  log::SiteId site;
  std::vector<std::string> members;  // of the cluster, as the copied site knew it
};
base::Result<NewSite> make_site_of_copy(const std::filesystem::path& directory, replica::SiteConfig config,
                                        reconcile::CopyUse use);

// Where the site at `url` is reached by other sites: the host of the URL with its port for sites.
base::Result<std::string> sync_address_of(const std::string& url);
// Asks that site to let the one in `directory` join.
base::Result<void> ask_to_join(const std::string& url, const std::filesystem::path& directory);
// Has that site evict a member, and waits until all others have answered. Nothing to do if it is none.
base::Result<void> evict_and_wait(const std::string& url, const std::string& name, uint32_t wait_s);

}  // namespace quadrille::cli
