// A copy of a site's store, made into the store of another site, or of another life of the same one. DESIGN section 5,
// "Joining" and "Restore".
//
// Such a store holds all that the copied site had: quads, windows, vectors, membership, clock, conflict records. What
// it must not be is the same site twice, so it gets an id of its own.
#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "reconcile/site_store.h"

namespace quadrille::reconcile {

enum class CopyUse : uint8_t {
  Join,   // it takes updates once it has the changeset by which a member lets it in
  Alone,  // the only site, and founding member, of a cluster of its own, whoever belonged to the copied one
};

// Who the store in `directory` was, as it was copied. NotFound, Mismatch, Busy: as SiteStore::open.
base::Result<SiteIdentity> read_copied_identity(const std::filesystem::path& directory,
                                                const SiteStoreOptions& options);
// Makes it `site`, in one commit. Nobody has it open.
base::Result<void> adopt_copy(const std::filesystem::path& directory, const log::SiteId& site, CopyUse use,
                              const SiteStoreOptions& options);

}  // namespace quadrille::reconcile
