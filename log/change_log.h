// The change log: changesets in the order in which they entered here, in tables beside the quads and written in the
// same transactions.
//
// Tables
//   "log.headers":    origin number, seq (8 bytes each, big-endian) -> position, number of the bulk or 0 (8 bytes each,
//                     big-endian), encoded header
//   "log.operations": origin number, seq, chunk (8 bytes each)      -> operations in ids (stored_operations.h)
//   "log.bulk":       operations and range of large changesets: bulk_table.h
//   "log.positions":  position (8 bytes)                            -> origin number, seq (8 bytes each)
//   "log.window":     history_window.h
//   "log.waiting":    origin number, seq, cell key                  -> nothing: a version of a changeset that folding
//   has
//                     walked and that must stay in the window until a concurrent one is stable too
//
// Retention. A changeset whose folding walk is done is known to be at every member (only stable ones are walked), so
// nobody will ask for it again: its operations and its position go, except those of each origin's last changeset.
// Its header stays for as long as a version of it waits in the window, because versions are compared by their headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/store/environment.h"
#include "engine/store/store.h"
#include "log/changeset.h"
#include "log/changeset_codec.h"
#include "log/log_state.h"

namespace quadrille::log {

struct LogTables {
  LogStateTables state;
  store::Table headers;
  store::Table operations;
  store::Table positions;
  store::Table window;
  store::Table waiting;
  store::Table bulk;
};
// Throws StorageError. Before work begins, as Store::open_table.
LogTables open_log_tables(store::Store& store);

struct ChangesetKey {
  OriginNumber origin = 0;
  uint64_t seq = 0;
  friend auto operator<=>(const ChangesetKey&, const ChangesetKey&) = default;
};

// Reads of one transaction, which must outlive it.
class ChangeLog {
 public:
  ChangeLog(const store::ReadTransaction& reading, const LogTables& tables) : reading_(reading), tables_(tables) {}

  std::optional<ChangesetHeader> find_header(ChangesetKey changeset) const;
  std::optional<uint64_t> find_position(ChangesetKey changeset) const;
  std::optional<ChangesetKey> find_at(uint64_t position) const;  // none: no longer kept
  std::optional<Operations> find_operations(ChangesetKey changeset, uint32_t chunk) const;
  uint64_t bulk_of(ChangesetKey changeset) const;  // 0: it has none, or is not here
  uint64_t entry_count() const { return reading_.row_count(tables_.positions); }
  // See SiteSnapshot::first_missing.
  uint64_t first_missing(const LogState& state, const VersionVector& vector) const;

 protected:
  // Of "log.headers"; has its fixed part. Both throw StorageError (Corruption) for a row that is damaged.
  std::optional<std::string_view> find_row(ChangesetKey changeset) const;
  [[noreturn]] void fail_damaged(ChangesetKey changeset) const;

  const store::ReadTransaction& reading_;
  const LogTables& tables_;
};

// Writes of one transaction.
class ChangeLogWriter : public ChangeLog {
 public:
  ChangeLogWriter(store::WriteTransaction& writing, const LogTables& tables)
      : ChangeLog(writing, tables), writing_(writing) {}

  // Once for each chunk, then the header. `state` is brought up to date with it. If the changeset has a bulk (its
  // number is not 0), its operations stand there, and the bulk is open once the header is here.
  void add_operations(ChangesetKey changeset, uint64_t bulk, uint32_t chunk, const OperationsView& operations);
  void add_header(ChangesetKey changeset, const ChangesetHeader& header, LogState& state, uint64_t bulk = 0);

  // Notes that a version of a walked changeset stays in the window, and that it has left it.
  void add_waiting(ChangesetKey changeset, std::string_view cell_key);
  void end_waiting(ChangesetKey changeset, std::string_view cell_key, const LogState& state);
  // Lets go of what the walk of this origin has passed (see Retention).
  void trim(OriginNumber origin, LogState& state);

 private:
  bool is_waiting(ChangesetKey changeset) const;
  void trim_one(ChangesetKey changeset, LogState& state);
  store::WriteTransaction& writing_;
};

}  // namespace quadrille::log
