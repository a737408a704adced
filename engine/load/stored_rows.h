// Which of many sorted rows a store has.
#pragma once

#include <memory>
#include <optional>

#include "engine/load/row_sort.h"
#include "engine/model/quad_source.h"
#include "engine/store/quad_row.h"

namespace quadrille::load {

// Walks the quads of a source by GSPO, together with the rows that it is asked for.
class StoredRows {
 public:
  // The source must outlive it.
  explicit StoredRows(const model::QuadSource& source)
      : scan_(source.scan(model::QuadOrder::Gspo, {}, model::ColumnSet::all())) {}

  // Requires that the row is behind those asked for before, or the last one again.
  bool contains(const store::QuadRow& row);

 private:
  std::unique_ptr<model::QuadScan> scan_;
  std::optional<store::QuadRow> stored_;  // where the scan stands
  bool is_at_end_ = false;
};

}  // namespace quadrille::load
