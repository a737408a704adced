// What must hold once all is healed and quiet. DESIGN section 3, "Guarantees", and section 4, "Settling".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "log/changeset.h"
#include "reconcile/assignment.h"
#include "reconcile/site_store.h"
#include "sim/checks/history.h"
#include "sim/checks/oracle.h"
#include "sim/checks/violation.h"

namespace quadrille::checks {

struct SiteView {
  std::string name;
  const reconcile::SiteStore* store = nullptr;
};

// A transaction that its client was told to be durable, and what it must have asserted.
struct Acknowledged {
  log::ChangesetId id;
  std::string request;
  std::vector<RecordedAssertion> assertions;
};

// All quads but local graphs, sorted.
std::vector<model::TermQuad> dump(const reconcile::SiteSnapshot& snapshot);

// Each adds what it finds. `violations` stays as it is when all is well.
void check_convergence(const std::vector<SiteView>& sites, const Oracle& oracle, Violations& violations);
// `may_be_gone`: whether what only that origin had may be lost with it, as it was evicted or its disk was lost.
void check_nothing_lost(const std::vector<SiteView>& sites, const History& history,
                        const std::vector<Acknowledged>& acknowledged,
                        const std::function<bool(const log::SiteId&)>& may_be_gone, Violations& violations);
void check_settled(const std::vector<SiteView>& sites, Violations& violations);
void check_conflict_records(const std::vector<SiteView>& sites, const Oracle& oracle, Violations& violations);
void check_stores(const std::vector<SiteView>& sites, Violations& violations);

}  // namespace quadrille::checks
