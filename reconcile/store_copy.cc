#include "reconcile/store_copy.h"

#include <fmt/format.h>

#include "engine/store/store.h"
#include "reconcile/membership_table.h"
#include "reconcile/site_identity.h"

namespace quadrille::reconcile {
namespace {

base::Result<std::unique_ptr<store::Store>> open_store(const std::filesystem::path& directory,
                                                       const SiteStoreOptions& options) {
  store::StoreOptions how;
  how.environment.flush = options.flush;
  how.environment.map_bytes = options.map_bytes;
  return store::Store::open(directory, how);
}

base::Result<SiteIdentity> identity_of(const store::Store& store) {
  const auto bytes = store.snapshot()->metadata(identity_name);
  if (bytes) return decode_identity(*bytes);
  return base::Error{base::ErrorKind::NotFound,
                     fmt::format("{} holds quads, but is not the store of a site", store.directory().string()),
                     {}};
}

}  // namespace

base::Result<SiteIdentity> read_copied_identity(const std::filesystem::path& directory,
                                                const SiteStoreOptions& options) {
  return base::catch_storage_error([&]() -> base::Result<SiteIdentity> {
    QUADRILLE_ASSIGN(const auto store, open_store(directory, options));
    return identity_of(*store);
  });
}

base::Result<void> adopt_copy(const std::filesystem::path& directory, const log::SiteId& site, CopyUse use,
                              const SiteStoreOptions& options) {
  QUADRILLE_TRY(log::check_site_name(site.name));
  return base::catch_storage_error([&]() -> base::Result<void> {
    QUADRILLE_ASSIGN(const auto store, open_store(directory, options));
    QUADRILLE_ASSIGN(SiteIdentity identity, identity_of(*store));
    const store::Table members = store->open_table(members_table);
    identity.site = site;
    identity.is_copy = use == CopyUse::Join;
    const auto transaction = store->begin();
    if (use == CopyUse::Alone) {
      identity.members = {site.name};
      transaction->tables().clear(members);
    }
    transaction->set_metadata(identity_name, encode(identity));
    return transaction->commit();
  });
}

}  // namespace quadrille::reconcile
