#include "engine/exec/operators.h"
#include "engine/exec/row_index.h"
#include "engine/exec/seeding.h"

namespace quadrille::exec {

std::vector<uint32_t> fill_seed(const Batch& rows, const std::vector<size_t>& columns, SeedTable& seed) {
  std::vector<uint32_t> numbers(rows.rows());
  seed.columns.assign(columns.size() + 1, {});
  seed.rows = 0;
  RowIndex index(rows, columns);
  const auto is_same_as_before = [&](uint32_t row) {
    for (size_t column : columns) {
      if (rows.at(row, column) != rows.at(row - 1, column)) return false;
    }
    return true;
  };
  for (uint32_t row = 0; row < rows.rows(); ++row) {
    if (row > 0 && is_same_as_before(row)) {
      numbers[row] = numbers[row - 1];
      continue;
    }
    const uint64_t hash = index.hash_of(rows, columns, row);
    const uint32_t same = index.find_one(rows, columns, row, hash);
    if (same != no_row) {
      numbers[row] = numbers[same];
      continue;
    }
    index.add(row, hash);
    numbers[row] = static_cast<uint32_t>(seed.rows++);
    for (size_t i = 0; i < columns.size(); ++i) seed.columns[i].push_back(rows.at(row, columns[i]));
    seed.columns.back().push_back(seed_number(numbers[row]));
  }
  return numbers;
}

namespace {

class Seed final : public Operator {
 public:
  Seed(const plan::Plan& plan, RunState& run) : table_(run.seed_tables[plan.seed]) {}

  void next(Batch& batch, size_t wanted) override {
    batch.reset(table_.columns.size());
    const size_t end = std::min(table_.rows, next_ + wanted);
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      const auto begin = table_.columns[i].begin();
      batch.column(i).assign(begin + static_cast<std::ptrdiff_t>(next_), begin + static_cast<std::ptrdiff_t>(end));
    }
    batch.set_rows(end - next_);
    next_ = end;
  }

 private:
  const SeedTable& table_;
  size_t next_ = 0;
};

}  // namespace

OperatorPointer make_seed(const plan::Plan& plan, RunState& run) { return std::make_unique<Seed>(plan, run); }

}  // namespace quadrille::exec
