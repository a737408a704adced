// What a site wrote in an earlier life and no member has, written again. DESIGN section 5, "Issued again".
//
// Where a cell is as the write saw it, it becomes what the write left. Else both go to the cell's policy. Who wrote
// what is here now, and when, the store may no longer know, and the stamps of who is here for a wrong clock say
// nothing: so the policy's answer counts only where it is the same for either order of the two, and whichever member
// was the other one (sum, max, union and the like). A cell for which it is not (last-writer-wins) stays as it is and is
// reported, for people to look at. A quad cell has no such doubt: what was inserted is there afterwards, what was
// deleted is not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/site_store.h"

namespace quadrille::replica {

struct IssuedAgain {
  uint64_t changesets = 0;           // of the earlier life
  uint64_t operations = 0;           // of these, issued again
  uint64_t cells_left = 0;           // that others had written, and no policy decides
  std::vector<std::string> left;     // what would have become of them; the first hundred, a line each
  uint64_t announcements = 0;        // assignments of policies and changes of members, which are not issued again
  reconcile::CommitReceipt receipt;  // of the one transaction that all of it is
};

// `earlier`: the store of the earlier life, which must be evicted as `site` knows; nothing is written there. Refused:
// it is not, or is of another cluster. Else as WriteGroup::update, with the commit.
base::Result<IssuedAgain> issue_again(const reconcile::SiteStore& earlier, reconcile::SiteStore& site,
                                      const reconcile::PolicyRegistry& policies);

}  // namespace quadrille::replica
