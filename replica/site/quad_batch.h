// Statements of a document, gathered so that a store gets many at a time: each term once, to be interned in bulk.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/quad_source.h"
#include "engine/model/term.h"
#include "engine/model/term_view.h"

namespace quadrille::replica {

class QuadBatch {
 public:
  QuadBatch();
  void add(const model::TermQuadView& quad);
  bool is_full() const noexcept { return quads_.size() >= quads_max || text_bytes_ >= text_bytes_max; }
  // Inserts what was gathered, and is empty again.
  void write_to(model::QuadTarget& target);

 private:
  static constexpr size_t quads_max = 200'000;
  static constexpr size_t text_bytes_max = size_t{64} << 20;
  static constexpr uint32_t none = ~uint32_t{0};
  using TermIndex = uint32_t;  // in terms_

  TermIndex index_of(const model::TermView& term);
  void grow();

  std::vector<model::Term> terms_;
  std::vector<size_t> hashes_;                   // of terms_
  std::vector<TermIndex> table_;                 // open addressing, a power of two; none: free
  std::vector<std::array<TermIndex, 4>> quads_;  // subject, predicate, object, graph (none: the default graph)
  size_t text_bytes_ = 0;
};

}  // namespace quadrille::replica
