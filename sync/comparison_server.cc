#include "sync/comparison_server.h"

#include <algorithm>

#include "engine/store/key.h"
#include "sync/wire.h"

namespace quadrille::sync {

void write_totals(const store::QuadTotals& totals, wire::QuadTotals::Builder to) {
  to.setQuads(totals.quads);
  auto digest = to.initDigest(16);
  store::write_big_endian(reinterpret_cast<char*>(digest.begin()), totals.digest.high);
  store::write_big_endian(reinterpret_cast<char*>(digest.begin()) + 8, totals.digest.low);
}

base::Result<store::QuadTotals> read_totals(wire::QuadTotals::Reader from) {
  const auto digest = from.getDigest();
  if (digest.size() != 16) return broken_rule("a digest of " + std::to_string(digest.size()) + " bytes; expected 16");
  const std::string_view bytes(reinterpret_cast<const char*>(digest.begin()), digest.size());
  return store::QuadTotals{from.getQuads(), {store::big_endian_at(bytes, 0), store::big_endian_at(bytes, 8)}};
}

kj::Promise<void> ComparisonServer::totals(TotalsContext context) {
  auto cut = read_vector(context.getParams().getCut());
  context.releaseParams();
  if (!cut.ok()) {
    context.getResults().setNotNow(cut.error().message);
    return kj::READY_NOW;
  }
  return look_->totals(std::move(cut).value()).then([context](base::Result<store::QuadTotals> totals) mutable {
    auto results = context.getResults();
    if (totals.ok()) {
      write_totals(*totals, results.initTotals());
    } else {
      results.setNotNow(one_line(totals.error().message));
    }
  });
}

kj::Promise<void> ComparisonServer::graphs(GraphsContext context) {
  const auto graphs = look_->totals_by_graph();
  auto results = context.getResults();
  if (!graphs.ok()) {
    results.setNotNow(one_line(graphs.error().message));
    return kj::READY_NOW;
  }
  auto list = results.initGraphs(static_cast<unsigned>(graphs->size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setGraph((*graphs)[i].graph);
    write_totals((*graphs)[i].totals, list[i].initTotals());
  }
  return kj::READY_NOW;
}

}  // namespace quadrille::sync
