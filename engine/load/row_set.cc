#include "engine/load/row_set.h"

#include <algorithm>

#include "engine/load/row_sort.h"

namespace quadrille::load {

void RowSet::add(std::span<const store::QuadRow> rows) {
  if (rows.empty()) return;
  if (!file_) file_ = std::make_unique<SpillFile>(directory_);
  file_->append(rows);
}

bool RowSet::contains(const store::QuadRow& row) {
  if (!file_) return false;
  const auto pages = file_->pages();
  const auto behind = std::upper_bound(pages.begin(), pages.end(), row, [](const auto& wanted, const auto& page) {
    return is_before(wanted, page.first_row);
  });
  if (behind == pages.begin()) return false;
  const auto number = static_cast<size_t>(behind - pages.begin()) - 1;
  if (page_.empty() || page_number_ != number) {
    file_->read_page(number, page_);
    page_number_ = number;
  }
  return std::binary_search(page_.begin(), page_.end(), row, is_before);
}

std::unique_ptr<RowSource> RowSet::rows() const {
  if (!file_) return std::make_unique<MemoryRows>(std::vector<store::QuadRow>());
  return file_->rows_of_pages(0, file_->pages().size());
}

}  // namespace quadrille::load
