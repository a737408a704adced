#include "engine/load/term_batch.h"

namespace quadrille::load {
namespace {

model::TermId resolved(model::TermId id, const CollectedPiece& collected) {
  if (!id.is_transient()) return id;
  for (const auto& batch : collected.batches) {
    if (batch->has(id.payload())) return batch->ids[id.payload() - batch->first_place];
  }
  base::fail_check("batch->has(place)", "a term belongs to one of its piece's batches", __FILE__, __LINE__);
}

}  // namespace

ResolvedPiece resolve(CollectedPiece& collected, const std::function<bool(const model::Quad&)>& is_bulk) {
  for (model::TermId& id : collected.ids) id = resolved(id, collected);
  const ParsedPiece& piece = *collected.piece;
  ResolvedPiece out;
  out.rows.reserve(piece.quads.size());
  for (size_t i = 0; i < piece.quads.size(); ++i) {
    const auto& [subject, predicate, object, graph] = piece.quads[i];
    const model::TermId graph_id =
        graph == default_graph_number ? model::TermId::default_graph() : collected.ids[graph];
    const model::Quad quad{collected.ids[subject], collected.ids[predicate], collected.ids[object], graph_id};
    if (!is_bulk || is_bulk(quad)) {
      out.rows.push_back({quad.graph, quad.subject, quad.predicate, quad.object});
    } else {
      out.apart.push_back({quad, piece.document, collected.first_line - 1 + piece.lines[i]});
    }
  }
  return out;
}

}  // namespace quadrille::load
