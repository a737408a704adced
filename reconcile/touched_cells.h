// What has come into the history window since something began to be built aside: it will look at these cells again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/quad.h"

namespace quadrille::reconcile {

// Quad cells that a changeset wrote, one that was rolled back too, with repetitions. The writer's.
class TouchedCells {
 public:
  // Of whom the notes are: the bulk that is being built.
  explicit TouchedCells(uint64_t own_bulk) : own_bulk_(own_bulk) {}
  uint64_t own_bulk() const noexcept { return own_bulk_; }

  void add(const model::Quad& quad) {
    if (quads_.size() < quads_max) {
      quads_.push_back(quad);
    } else {
      is_too_many_ = true;
    }
  }
  // All that the range of this bulk holds.
  void add_bulk(uint64_t bulk) { bulks_.push_back(bulk); }

  bool is_too_many() const noexcept { return is_too_many_; }
  const std::vector<model::Quad>& quads() const noexcept { return quads_; }
  const std::vector<uint64_t>& bulks() const noexcept { return bulks_; }

 private:
  static constexpr size_t quads_max = 1'000'000;  // 32 MB
  uint64_t own_bulk_;
  std::vector<model::Quad> quads_;
  std::vector<uint64_t> bulks_;
  bool is_too_many_ = false;
};

}  // namespace quadrille::reconcile
