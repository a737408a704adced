// What an operator has on disk. Counts against the run's limit, and for its profile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/base/scratch.h"
#include "engine/exec/profile.h"
#include "engine/exec/run_state.h"

namespace quadrille::exec {

class SpillFile {
 public:
  // Requires run.can_spill(). `figures`: null if nobody wants to know.
  SpillFile(RunState& run, OperatorFigures* figures) : run_(run), figures_(figures), file_(run.scratch().make_file()) {}
  ~SpillFile() { run_.give_spill(taken_); }
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // Throws RunStopped at the limit, and base::StorageError.
  void append(std::string_view bytes) {
    taken_ += bytes.size();
    run_.take_spill(bytes.size());
    file_->append(bytes);
    if (figures_ != nullptr) figures_->spilled_bytes += bytes.size();
  }
  void read(uint64_t offset, std::span<char> room) const { file_->read(offset, room); }
  uint64_t size() const noexcept { return file_->size(); }

 private:
  RunState& run_;
  OperatorFigures* figures_;
  std::unique_ptr<base::ScratchFile> file_;
  uint64_t taken_ = 0;
};

inline OperatorFigures* figures_of(const plan::Plan& plan, RunState& run) {
  return run.profile == nullptr ? nullptr : &run.profile->of(plan);
}

}  // namespace quadrille::exec
