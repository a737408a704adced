// This site's part of a comparison with another one: it stops folding, waits until it has all of the cut that both
// agree on, and says what it holds as of that (reconcile/quads_at_cut.h). Goes by what is kept with each commit, so it
// costs the event loop little.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "log/version_vector.h"
#include "reconcile/quads_at_cut.h"
#include "reconcile/site_store.h"
#include "reconcile/write_queue.h"

namespace quadrille::sync {

class CutLook : public std::enable_shared_from_this<CutLook> {
 public:
  struct Parts {
    const reconcile::SiteStore& store;
    reconcile::WriteQueue& writer;
    kj::Timer& timer;
    uint64_t holder;                     // of the hold on folding
    std::weak_ptr<void> site_is_served;  // once it has expired, no job is submitted and nothing is read any more
  };
  // A look holds this for so long at most.
  static constexpr int64_t held_ms = 60'000;
  static constexpr auto patience = 30 * kj::SECONDS;
  static constexpr size_t cells_since_max = 10'000;
  static constexpr size_t graphs_max = 10'000;

  // Done when folding is held.
  static kj::Promise<std::shared_ptr<CutLook>> open(Parts parts);
  // Lets folding go on.
  ~CutLook() noexcept;

  // What the site has durably since folding is held.
  const log::VersionVector& vector() const noexcept { return vector_; }

  // Waits for what the site lacks of the cut. Once a look. Timeout, and errors as SiteStore::quads_at; Busy: some cells
  // are undecided, as of that cut nothing can be said.
  kj::Promise<base::Result<store::QuadTotals>> totals(log::VersionVector cut);
  // After totals(). Busy: there are too many.
  base::Result<std::vector<reconcile::GraphTotals>> totals_by_graph() const;

  explicit CutLook(Parts parts) : parts_(std::move(parts)) {}

 private:
  kj::Promise<base::Result<store::QuadTotals>> wait_for(log::VersionVector cut, kj::TimePoint until);
  base::Result<store::QuadTotals> look(const log::VersionVector& cut);

  Parts parts_;
  log::VersionVector vector_;
  std::unique_ptr<reconcile::QuadsAtCut> quads_;
};

}  // namespace quadrille::sync
