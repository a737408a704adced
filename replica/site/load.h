// RDF documents as part of a transaction: parsed aside, so that the writer only has to write them. Large ones that
// replace nothing are for bulk_load.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/load/document.h"
#include "engine/load/parsed_piece.h"
#include "engine/model/quad_source.h"

namespace quadrille::replica {

struct ParseLimits {
  // About how much memory the parsed documents may take. More is ResourceExhausted.
  uint64_t memory_bytes = uint64_t{1} << 30;
  // Of a piece, which is interned at once. Others in tests only.
  size_t piece_quads = 200'000;
  size_t piece_bytes = size_t{64} << 20;
  // Where it becomes true, parsing and writing give up soon: Unavailable. Must outlive the parsed documents.
  const std::atomic<bool>* stopping = nullptr;
};

// Documents that are whole and sound. May be written on another thread than they were parsed on.
class ParsedDocuments {
 public:
  // Each document's blank nodes are its own. An error says "NAME:LINE:COLUMN: what".
  static base::Result<ParsedDocuments> parse(const std::vector<load::Document>& documents, base::RandomSource& random,
                                             const ParseLimits& limits);

  uint64_t quads() const noexcept { return quads_; }  // with repetitions
  size_t pieces() const noexcept { return pieces_.size(); }
  uint64_t memory_bytes() const noexcept { return memory_bytes_; }  // about
  // Inserts all statements, and says how many were not there before. An error is to undo the transaction.
  base::Result<uint64_t> write_to(model::QuadTarget& target) const;

 private:
  class PieceCutter;
  std::vector<std::unique_ptr<const load::ParsedPiece>> pieces_;
  uint64_t quads_ = 0;
  uint64_t memory_bytes_ = 0;
  const std::atomic<bool>* stopping_ = nullptr;
};

}  // namespace quadrille::replica
