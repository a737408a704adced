// Which quads the range of one bulk holds (bulk_table.h).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "engine/store/block.h"
#include "engine/store/environment.h"
#include "log/log_state.h"

namespace quadrille::log {

// Reads of one transaction, which must outlive it, while the range stays as it is. Remembers the blocks that it came
// by: to be asked in the order GSPO if there is a choice.
class BulkRange {
 public:
  // `rows`: how many each set has.
  BulkRange(const store::ReadTransaction& reading, const store::Table& table, uint64_t bulk,
            const std::array<uint64_t, range_sets>& rows);

  // The set that holds it.
  std::optional<RangeSet> find(const model::Quad& quad);
  // Whether one of those sets holds it that say it exists, or that it does not.
  bool says(const model::Quad& quad, bool exists);

 private:
  struct Part {
    RangeSet set;
    std::string prefix;
    store::Block block{model::QuadOrder::Gspo};
    bool is_loaded = false;
    // What the block answers for: rows from `first` on that come before `end`, those that stand in no block too.
    store::QuadRow first{};
    std::optional<store::QuadRow> end;  // none: all that follow
  };
  bool holds(Part& part, const store::QuadRow& row) const;
  void load(Part& part, const store::QuadRow& row) const;

  const store::ReadTransaction& reading_;
  const store::Table& table_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace quadrille::log
