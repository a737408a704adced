// New terms of a load on their way into the dictionary.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/load/parsed_piece.h"
#include "engine/load/prepared_load.h"
#include "engine/load/term_rows.h"
#include "engine/store/quad_row.h"
#include "engine/store/store.h"

namespace quadrille::load {

// Until a term has its id it goes by a place: how many terms the load had met before it. Places look like ids of terms
// that a query has made, which no parser gives.
inline model::TermId provisional_id(uint64_t place) noexcept { return {model::TermTag::Transient, place}; }

// The terms of consecutive places, each once. Rows lie in the pieces that they came from.
struct TermBatch {
  TermBatch(uint64_t first, uint64_t piece, uint64_t turns_before)
      : first_place(first), first_piece(piece), turns(turns_before) {}

  uint64_t first_place;
  uint64_t first_piece;  // how many pieces had been placed before
  uint64_t turns;        // TermTable::turns() before the first term
  std::vector<std::string_view> rows;
  std::vector<uint64_t> hashes;  // the store's, of the rows
  std::vector<Fingerprint> fingerprints;
  size_t row_bytes = 0;
  std::vector<std::shared_ptr<const ParsedPiece>> pieces;

  bool is_preparing = false;
  std::optional<store::PreparedTerms> prepared;
  std::vector<model::TermId> ids;  // by place; once the dictionary has given them
  bool is_done = false;

  bool has(uint64_t place) const noexcept { return place >= first_place && place - first_place < fingerprints.size(); }
};

// A piece whose terms have been looked up.
struct CollectedPiece {
  std::shared_ptr<const ParsedPiece> piece;
  uint64_t number = 0;             // of the piece
  uint64_t first_line = 1;         // of the piece, in its document
  std::vector<model::TermId> ids;  // by term of the piece; provisional for terms of these batches:
  std::vector<std::shared_ptr<const TermBatch>> batches;
};

// The rows of a piece whose batches are done, in the order GSPO, and what is kept out of them.
struct ResolvedPiece {
  std::vector<store::QuadRow> rows;
  std::vector<QuadApart> apart;
};
ResolvedPiece resolve(CollectedPiece& collected, const std::function<bool(const model::Quad&)>& is_bulk);

}  // namespace quadrille::load
