// The history window: what recent changesets did to each cell that they touched. A row a cell; gone when all of it has
// been folded. So only recent quads have history.
//
// A history is a chain of concurrency components (reconcile/components.h): each version has seen all of the components
// before its own. Of a component, versions may have left that no answer depends on any more, each seen by one that is
// still there: who has seen all of those has seen what left, so nothing of it needs to be remembered.
//
// Table "log.window". Key: the kind (1 byte), graph, subject, property, and for a quad cell the object (8 bytes each,
// big-endian). Value: what the cell held before (quad cells: a byte, 1 if the quad existed; others: a content as in
// stored_operations.h); then each component: the number of its versions, and each: of quad cells as origin number * 2 +
// (1 if it left the quad), and seq; of others as origin number, seq, what it saw, what it left. All numbers are
// varints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "log/cell.h"
#include "log/log_state.h"

namespace quadrille::log {

struct WindowVersion {
  OriginNumber origin = 0;
  uint64_t seq = 0;
  CellContent saw;  // empty for quad cells
  CellContent left;
};

struct HistoryComponent {
  std::vector<WindowVersion> versions;  // at least one

  bool is_seen_by(const SeenVector& seen) const;
  bool has(OriginNumber origin, uint64_t seq) const;
};

struct CellHistory {
  CellContent base;  // before all versions
  std::vector<HistoryComponent> components;
};

std::string cell_key(const Cell& cell);
// Of the keys of a subject's cells of that kind.
std::string subject_prefix(CellKind kind, model::TermId graph, model::TermId subject);
// Throws StorageError (Corruption) for a key or row that is none.
Cell cell_of_key(std::string_view key);
CellHistory decode_history(const Cell& cell, std::string_view row);
std::string encode_history(const Cell& cell, const CellHistory& history);

// What most writes need, without decoding:
// a row with a base and no version yet; adding a version that has seen all others; whether `seen` covers all versions.
std::string empty_history(const Cell& cell, const CellContent& base);
void append_version(std::string& row, const Cell& cell, const WindowVersion& version);
bool has_seen_all(const SeenVector& seen, CellKind kind, std::string_view row);
// Whether the row's only version is that one.
bool is_only_version(CellKind kind, std::string_view row, OriginNumber origin, uint64_t seq);

}  // namespace quadrille::log
