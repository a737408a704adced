// Checks that the tables of a store agree with each other. For `quadrille verify`, and for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/store/store.h"

namespace quadrille::store {

// One line each: which table, what is wrong, what was expected.
struct Verification {
  std::vector<std::string> findings;  // at most `findings_max`
  uint64_t findings_left_out = 0;
  uint64_t quads = 0;
  uint64_t terms = 0;

  static constexpr size_t findings_max = 100;
  bool is_sound() const noexcept { return findings.empty(); }
};

// Reads all of the store as of now, while others go on; needs two bits of memory a term, no copy. It checks that
//   - every block of quads has the checksum and the rows that it should, in order, and every row of a delta a mark;
//   - the four orders hold the same quads;
//   - every id in a quad names a term, of its kind, and stands where its kind may stand;
//   - the dictionary agrees both ways: blocks are sound, each term is found by its hash and stands once, and each row
//     of the index names a term;
//   - the counts are those of the quads.
// An error only where the file cannot be read at all.
base::Result<Verification> verify(const Store& store);

}  // namespace quadrille::store
