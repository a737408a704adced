// What a plan is made of when it runs: a tree of operators that are pulled.
#pragma once

#include <memory>

#include "engine/exec/batch.h"

namespace quadrille::exec {

class Operator {
 public:
  virtual ~Operator() = default;
  // Replaces the content of `batch` by the next rows: at least one, none only at the end. `wanted` (> 0) is how many
  // the caller can use; more may come, where stopping in the middle would cost more than it saves. Operators that
  // are links of a pipeline (pipeline.h) may be asked again after that, when what is below them has new rows.
  // Throws RunStopped (run_state.h) and base::StorageError.
  virtual void next(Batch& batch, size_t wanted) = 0;
};
using OperatorPointer = std::unique_ptr<Operator>;

}  // namespace quadrille::exec
