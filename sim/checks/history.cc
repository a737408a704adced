#include "sim/checks/history.h"

#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "log/changeset_codec.h"

namespace quadrille::checks {
namespace {

std::optional<model::Term> graph_term(const log::DecodedChunk& chunk, uint32_t place) {
  if (place == 0) return std::nullopt;
  return chunk.terms.at(place - 1);
}

reconcile::Content content_of(const log::DecodedChunk& chunk,
                              const std::vector<log::DecodedChunk::StatementRow>& rows) {
  reconcile::Content content;
  for (const auto& [property, object] : rows) {
    content.push_back({chunk.terms.at(property - 1), chunk.terms.at(object - 1)});
  }
  return content;
}

void append_chunk(const log::DecodedChunk& chunk, RecordedChangeset& out) {
  for (const auto& row : chunk.quads) {
    out.quads.push_back({{chunk.terms.at(row.subject - 1), chunk.terms.at(row.predicate - 1),
                          chunk.terms.at(row.object - 1), graph_term(chunk, row.graph)},
                         row.exists});
  }
  for (const auto& row : chunk.cells) {
    reconcile::CellName cell{row.kind, graph_term(chunk, row.graph), chunk.terms.at(row.subject - 1),
                             chunk.terms.at(row.property - 1), std::nullopt};
    out.cells.push_back({std::move(cell), content_of(chunk, row.saw), content_of(chunk, row.left)});
  }
}

}  // namespace

base::Result<void> History::record(const reconcile::SiteSnapshot& snapshot, uint64_t position, int64_t at_us) {
  QUADRILLE_ASSIGN(auto shipped, snapshot.changeset_at(position));
  RecordedChangeset changeset;
  changeset.header = std::move(shipped.header);
  changeset.at_us = at_us;
  for (const auto& bytes : shipped.chunks) {
    QUADRILLE_ASSIGN(auto chunk, log::decode_chunk(bytes));
    append_chunk(chunk, changeset);
  }
  add(std::move(changeset));
  return {};
}

void History::add(RecordedChangeset changeset) {
  const auto id = changeset.header.id;
  const auto [place, is_new] = changesets_.emplace(id, std::move(changeset));
  QUADRILLE_CHECK(is_new, "a changeset is recorded once, at its origin");
  in_order_.push_back(&place->second);
}

History History::up_to(const log::VersionVector& vector) const {
  History part;
  for (const auto* changeset : in_order_) {
    const auto& id = changeset->header.id;
    if (vector.covers(id.origin, id.seq)) part.add(*changeset);
  }
  return part;
}

const RecordedChangeset* History::find(const log::ChangesetId& id) const {
  const auto found = changesets_.find(id);
  return found == changesets_.end() ? nullptr : &found->second;
}

}  // namespace quadrille::checks
