// The history window: what recent changesets did to each cell that they touched. A row a cell; gone when all of it has
// been folded. So only recent quads have history.
//
// Table "log.window". Key: the kind (1 byte), graph, subject, property, and for a quad cell the object (8 bytes each,
// big-endian). Value, quad cells: a byte, 1 if the quad existed before the versions; then each version as
// origin number * 2 + (1 if it left the quad), and seq (varints). Value, other cells: the base's content, then each
// version as origin number, seq, what it saw, what it left (contents as in stored_operations.h).
// Versions stand in the order in which they entered.
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

struct CellHistory {
  CellContent base;  // before all versions
  std::vector<WindowVersion> versions;
};

std::string cell_key(const Cell& cell);
// Throws StorageError (Corruption) for a key or row that is none.
Cell cell_of_key(std::string_view key);
CellHistory decode_history(const Cell& cell, std::string_view row);
std::string encode_history(const Cell& cell, const CellHistory& history);

// What most writes need, without decoding:
// a row with a base and no version yet; adding a version at the end; whether `seen` covers all versions.
std::string empty_history(const Cell& cell, const CellContent& base);
void append_version(std::string& row, const Cell& cell, const WindowVersion& version);
bool has_seen_all(const SeenVector& seen, CellKind kind, std::string_view row);
// Whether the row's only version is that one.
bool is_only_version(CellKind kind, std::string_view row, OriginNumber origin, uint64_t seq);

}  // namespace quadrille::log
