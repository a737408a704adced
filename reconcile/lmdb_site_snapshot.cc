#include "reconcile/lmdb_site_snapshot.h"

#include "reconcile/assignment_table.h"

#include <fmt/format.h>

#include "engine/store/digest.h"
#include "engine/store/key.h"
#include "log/changeset_codec.h"
#include "log/stored_operations.h"

namespace quadrille::reconcile {

LmdbSiteSnapshot::LmdbSiteSnapshot(const store::Store& store, const SiteTables& tables, model::TermId conflicts_graph,
                                   size_t readers)
    : quads_(store, readers),
      tables_(tables),
      conflicts_graph_(conflicts_graph),
      state_(log::read_log_state(quads_.tables(), tables.log.state)),
      log_(quads_.tables(), tables.log) {}

uint64_t LmdbSiteSnapshot::quad_count() const {
  const std::array<model::TermId, 1> prefix = {conflicts_graph_};
  return quads_.quad_count() - quads_.estimate_count(model::QuadOrder::Gspo, prefix);  // exact for a graph
}

uint64_t LmdbSiteSnapshot::window_cell_count() const {
  uint64_t cells = quads_.tables().row_count(tables_.log.window);
  for (const log::BulkState& bulk : state_.bulks) {
    if (bulk.stage == log::BulkStage::Open) cells += bulk.range_rows() - bulk.rows_taken;
  }
  return cells;
}

uint64_t LmdbSiteSnapshot::provisional_outcome_count() const {
  return ContextOutcomes(quads_.tables(), tables_.context).awaiting_count();
}

log::ChangesetHash LmdbSiteSnapshot::digest() const {
  store::Digest sum;
  for (const auto& [graph, digest] : store::digests_by_graph(quads_)) {
    if (graph != conflicts_graph_) sum.add(digest);
  }
  log::ChangesetHash bytes;
  store::write_big_endian(reinterpret_cast<char*>(bytes.data()), sum.high);
  store::write_big_endian(reinterpret_cast<char*>(bytes.data()) + 8, sum.low);
  return bytes;
}

base::Result<std::pair<log::ChangesetKey, log::ChangesetHeader>> LmdbSiteSnapshot::entry_at(uint64_t position) const {
  QUADRILLE_CHECK(position >= 1 && position <= last_position(), "a position that the log never had");
  const auto changeset = log_.find_at(position);
  if (!changeset) {
    return base::Error{base::ErrorKind::NotFound, fmt::format("the log no longer keeps its entry {}", position), {}};
  }
  auto header = log_.find_header(*changeset);
  if (!header) log::fail_as_corrupt("log.headers");
  return std::pair{*changeset, std::move(*header)};
}

base::Result<log::ChangesetHeader> LmdbSiteSnapshot::header_at(uint64_t position) const {
  return base::catch_storage_error([&]() -> base::Result<log::ChangesetHeader> {
    QUADRILLE_ASSIGN(auto entry, entry_at(position));
    return std::move(entry.second);
  });
}

base::Result<log::ShippedChangeset> LmdbSiteSnapshot::changeset_at(uint64_t position) const {
  return base::catch_storage_error([&]() -> base::Result<log::ShippedChangeset> {
    QUADRILLE_ASSIGN(auto entry, entry_at(position));
    return ship(log_, entry.first, std::move(entry.second), quads_);
  });
}

base::Result<std::string> LmdbSiteSnapshot::chunk_at(uint64_t position, uint32_t chunk) const {
  return base::catch_storage_error([&]() -> base::Result<std::string> {
    QUADRILLE_ASSIGN(const auto entry, entry_at(position));
    QUADRILLE_CHECK(chunk < entry.second.chunk_count, "a chunk that the changeset does not have");
    return ship_chunk(log_, entry.first, chunk, quads_);
  });
}

std::string ship_chunk(const log::ChangeLog& log, log::ChangesetKey changeset, uint32_t chunk,
                       const model::QuadSource& terms) {
  const auto operations = log.find_operations(changeset, chunk);
  if (!operations) log::fail_as_corrupt("log.operations");
  return log::encode_whole_chunk({operations->quads, operations->cells, operations->announcements},
                                 log::SourceTermText(terms));
}

log::ShippedChangeset ship(const log::ChangeLog& log, log::ChangesetKey changeset, log::ChangesetHeader header,
                           const model::QuadSource& terms) {
  log::ShippedChangeset shipped{std::move(header), {}};
  for (uint32_t chunk = 0; chunk < shipped.header.chunk_count; ++chunk) {
    shipped.chunks.push_back(ship_chunk(log, changeset, chunk, terms));
  }
  return shipped;
}

uint64_t LmdbSiteSnapshot::window_row_bytes() const {
  uint64_t bytes = 0;
  store::Cursor cursor(quads_.tables(), tables_.log.window);
  for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) bytes += cursor.value().size();
  return bytes;
}

NumberedAssignment LmdbSiteSnapshot::assignment() const {
  StoredAssignment in_force = read_assignments(quads_.tables(), tables_.assignments).back();
  return {std::move(in_force.number), std::move(in_force.assignment)};
}

}  // namespace quadrille::reconcile
