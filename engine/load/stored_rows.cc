#include "engine/load/stored_rows.h"

namespace quadrille::load {

bool StoredRows::contains(const store::QuadRow& row) {
  if (is_at_end_) return false;
  if (!stored_ || is_before(*stored_, row)) {
    scan_->skip_to(row);
    store::QuadRow& found = stored_.emplace();
    // The row is graph, subject, predicate, object; a batch goes by Column.
    const model::ScanBatch batch{{&found[1], &found[2], &found[3], &found[0]}, 1};
    is_at_end_ = scan_->next(batch) == 0;
    if (is_at_end_) return false;
  }
  return *stored_ == row;
}

}  // namespace quadrille::load
