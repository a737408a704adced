#include "engine/store/quad_row.h"

#include "engine/store/key.h"

namespace quadrille::store {

using model::Column;
using model::Quad;
using model::QuadOrder;
using model::TermId;

namespace {

TermId quad_column(const Quad& quad, Column column) noexcept {
  switch (column) {
    case Column::Subject: return quad.subject;
    case Column::Predicate: return quad.predicate;
    case Column::Object: return quad.object;
    case Column::Graph: return quad.graph;
  }
  return {};
}

}  // namespace

QuadRow to_row(QuadOrder order, const Quad& quad) noexcept {
  QuadRow row;
  const auto columns = columns_of(order);
  for (size_t i = 0; i < 4; ++i) row[i] = quad_column(quad, columns[i]);
  return row;
}

Quad to_quad(QuadOrder order, const QuadRow& row) noexcept {
  std::array<TermId, 4> by_column;
  const auto columns = columns_of(order);
  for (size_t i = 0; i < 4; ++i) by_column[static_cast<size_t>(columns[i])] = row[i];
  return {by_column[0], by_column[1], by_column[2], by_column[3]};
}

QuadKey::QuadKey(std::span<const TermId> ids) noexcept : size_(ids.size() * 8) {
  QUADRILLE_CHECK(ids.size() <= 4, "a quad has four ids");
  for (size_t i = 0; i < ids.size(); ++i) write_big_endian(bytes_.data() + i * 8, ids[i].bits());
}

QuadRow read_row(std::string_view key) {
  QUADRILLE_CHECK(key.size() == quad_key_bytes, "a row of a quad table has 32 bytes");
  QuadRow row;
  for (size_t i = 0; i < 4; ++i) row[i] = TermId(read_big_endian(key.data() + i * 8));
  return row;
}

}  // namespace quadrille::store
