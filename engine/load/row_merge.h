// Many sorted lists of rows as one, without repetitions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/load/row_source.h"

namespace quadrille::load {

class RowMerge final : public RowSource {
 public:
  // Up to `batch_rows` rows come at a time.
  RowMerge(std::vector<std::unique_ptr<RowSource>> sources, size_t batch_rows);

  // Ascending and distinct, also from call to call.
  std::span<const store::QuadRow> next() override;

 private:
  struct Head {
    const store::QuadRow* row;
    const store::QuadRow* end;
    RowSource* source;
  };
  void add(const store::QuadRow& row);
  void sink_first();
  bool advance(Head& head);

  std::vector<std::unique_ptr<RowSource>> sources_;
  size_t batch_rows_;
  std::vector<Head> heads_;  // a heap: the least row first
  std::vector<store::QuadRow> batch_;
  store::QuadRow last_{};  // given out last; no quad is all zeros
};

}  // namespace quadrille::load
