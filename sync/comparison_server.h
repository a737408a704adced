// What a peer may ask of this site's part of a comparison.
#pragma once

#include <memory>

#include "sync/cut_look.h"
#include "sync/sync.capnp.h"

namespace quadrille::sync {

void write_totals(const store::QuadTotals& totals, wire::QuadTotals::Builder to);
// InvalidInput: the digest has not its 16 bytes.
base::Result<store::QuadTotals> read_totals(wire::QuadTotals::Reader from);

// Lets folding go on when the peer lets go of it, or the connection ends.
class ComparisonServer final : public wire::Comparison::Server {
 public:
  explicit ComparisonServer(std::shared_ptr<CutLook> look) : look_(std::move(look)) {}

  kj::Promise<void> totals(TotalsContext context) override;
  kj::Promise<void> graphs(GraphsContext context) override;

 private:
  std::shared_ptr<CutLook> look_;
};

}  // namespace quadrille::sync
