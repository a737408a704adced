#include "log/bulk_range.h"

#include <algorithm>

#include "engine/store/damage.h"
#include "log/bulk_table.h"

namespace quadrille::log {

BulkRange::BulkRange(const store::ReadTransaction& reading, const store::Table& table, uint64_t bulk,
                     const std::array<uint64_t, range_sets>& rows)
    : reading_(reading), table_(table) {
  for (size_t number = 0; number < range_sets; ++number) {
    if (rows[number] == 0) continue;
    Part& part = *parts_.emplace_back(std::make_unique<Part>());
    part.set = RangeSet::of_number(number);
    part.prefix = range_key(bulk, part.set);
  }
}

std::optional<RangeSet> BulkRange::find(const model::Quad& quad) {
  const store::QuadRow row = store::to_row(model::QuadOrder::Gspo, quad);
  for (const auto& part : parts_) {
    if (holds(*part, row)) return part->set;
  }
  return std::nullopt;
}

bool BulkRange::says(const model::Quad& quad, bool exists) {
  const store::QuadRow row = store::to_row(model::QuadOrder::Gspo, quad);
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const auto& part) { return part->set.exists == exists && holds(*part, row); });
}

bool BulkRange::holds(Part& part, const store::QuadRow& row) const {
  const bool is_near = part.is_loaded && part.first <= row && (!part.end || row < *part.end);
  if (!is_near) load(part, row);
  const size_t at = part.block.lower_bound(row, 0);
  return at < part.block.rows() && part.block.row(at) == row;
}

void BulkRange::load(Part& part, const store::QuadRow& row) const {
  const std::string key = part.prefix + std::string(store::QuadKey(row).view());
  store::Cursor cursor(reading_, table_);
  bool has_row = (cursor.find(key) || cursor.seek_before(key)) && cursor.key().starts_with(part.prefix);
  const bool is_before_all = !has_row;  // then the first block knows as well that the row is in none
  if (is_before_all) has_row = cursor.seek(key) && cursor.key().starts_with(part.prefix);
  if (!has_row) fail_damaged_row(reading_, table_, part.prefix);
  part.is_loaded =
      part.block.load(cursor.key().substr(part.prefix.size()), cursor.value(), store::Block::Keeping::Copies);
  if (!part.is_loaded) fail_damaged_row(reading_, table_, cursor.key());
  part.first = is_before_all ? store::QuadRow{} : part.block.row(0);
  part.end.reset();
  if (cursor.next() && cursor.key().starts_with(part.prefix)) {
    if (cursor.key().size() != part.prefix.size() + store::quad_key_bytes) {
      fail_damaged_row(reading_, table_, cursor.key());
    }
    part.end = store::read_row(cursor.key().substr(part.prefix.size()));
  }
}

}  // namespace quadrille::log
