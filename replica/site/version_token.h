// Version tokens: what a state of a site includes, as clients carry it from one request to the next, to any site.
// DESIGN section 3, guarantee 4.
//
//   ams.ff103bb15e44e09e:12:9f86d081,nyc.73706a3cd411ffc8:7:1a2b3c4d
//
// Each entry names a changeset by origin and number, with the first 4 bytes of its hash; the hash is left out where the
// site knew it no more. A state includes an entry if it includes that changeset, and with it all before it and all that
// it depends on. So the token of an update that wrote something is that one changeset. Tokens joined by a comma are a
// token: of what both say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "log/changeset.h"
#include "log/version_vector.h"
#include "reconcile/site_store.h"

namespace quadrille::replica {

// Of a changeset's hash. Two changesets with one origin and number differ in it, but for one case in four billion.
using ShortHash = uint32_t;
ShortHash short_hash(const log::ChangesetHash& hash) noexcept;

struct VersionToken {
  struct Entry {
    log::ChangesetId changeset;
    std::optional<ShortHash> hash;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;
  friend bool operator==(const VersionToken&, const VersionToken&) = default;
};

inline constexpr size_t token_entries_max = 1024;

std::string to_string(const VersionToken& token);
// InvalidInput, in one line that says where and what was expected.
base::Result<VersionToken> parse_version_token(std::string_view text);

// What the log knows of that changeset, which the snapshot includes; nothing if the log no longer keeps it. Throws
// StorageError.
std::optional<ShortHash> find_logged_hash(const reconcile::SiteSnapshot& snapshot, const log::VersionVector& version,
                                          const log::ChangesetId& changeset);

// Of all that the snapshot includes; throws StorageError. Of a changeset and all before it.
VersionToken token_of(const reconcile::SiteSnapshot& snapshot);
VersionToken token_of(const log::ChangesetHeader& header);

}  // namespace quadrille::replica
