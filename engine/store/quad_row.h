// A quad's four ids in the sequence of one order, and as the key of a table.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "engine/model/quad.h"
#include "engine/model/quad_source.h"

namespace quadrille::store {

inline constexpr size_t quad_key_bytes = 32;

// A quad's ids in the sequence of an order, and back.
using QuadRow = std::array<model::TermId, 4>;
QuadRow to_row(model::QuadOrder order, const model::Quad& quad) noexcept;
model::Quad to_quad(model::QuadOrder order, const QuadRow& row) noexcept;

// A row as a key: its ids, 8 bytes each, big-endian. Takes 0 to 4 ids.
class QuadKey {
 public:
  explicit QuadKey(std::span<const model::TermId> ids) noexcept;
  std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, quad_key_bytes> bytes_;
  size_t size_;
};
QuadRow read_row(std::string_view key);  // requires 32 bytes

}  // namespace quadrille::store
