// What all operators of one run share. Owned by the answer; one thread at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/exec/batch.h"
#include "engine/exec/context.h"
#include "engine/exec/transient_terms.h"
#include "engine/model/blank_node_source.h"
#include "engine/model/quad_source.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

// Ends a run: a limit, or what is not offered. Thrown by operators, caught at the door (run.h).
struct RunStopped {
  base::Error error;
};

// Rows that a lateral join or an EXISTS hands into the plan below it: the seed's variables, then the row's number.
struct SeedTable {
  std::vector<Column> columns;
  size_t rows = 0;
};

struct Pipeline;

class RunState {
 public:
  RunState(const model::QuadSource& run_source, const RunLimits& limits, const plan::PlannedQuery& query)
      : source(run_source),
        names(query.variables),
        terms(run_source),
        seed_tables(query.seeds),
        blank_nodes(*limits.random),
        now_ms(limits.wall_clock->now_ms()),
        profile(limits.profile),
        tuning(limits.tuning),
        limits_(limits),
        taken_(std::make_shared<Taken>()) {}
  // A part of the run `above`, for one thread among several: with a twin of its source, and terms of its own, from
  // which `above` adopts what it is given. Their limits are one. While it is in use, nothing else of `above` is.
  RunState(const RunState& above, const model::QuadSource& twin, uint32_t lane, Profile* lane_profile)
      : source(twin),
        names(above.names),
        terms(twin, above.terms, lane),
        seed_tables(above.seed_tables.size()),
        blank_nodes(above.blank_nodes),
        now_ms(above.now_ms),
        profile(lane_profile),
        tuning(above.tuning),
        limits_(above.limits_),
        taken_(above.taken_),
        is_lane_(true) {
    limits_.tasks = nullptr;
  }
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  // Called by operators now and then, at least once a batch: stops the run if it is over time, memory or wanted no
  // more.
  void check() {
    if (limits_.cancelled != nullptr && limits_.cancelled->load(std::memory_order_relaxed)) {
      stop(base::ErrorKind::Unavailable, "the query was cancelled");
    }
    if (limits_.deadline_us && limits_.steady_clock->now_us() > *limits_.deadline_us) {
      stop(base::ErrorKind::Timeout, "the query took longer than its time limit");
    }
  }
  // Accounts for memory that an operator keeps. Give back what was taken when it is freed.
  void take_memory(size_t bytes) {
    taken_->memory += bytes;
    if (taken_->memory + terms.bytes() > limits_.memory_limit_bytes) {
      stop(base::ErrorKind::ResourceExhausted, "the query needs more memory than its limit of " +
                                                   std::to_string(limits_.memory_limit_bytes >> 20) + " MiB");
    }
  }
  void give_memory(size_t bytes) noexcept { taken_->memory -= bytes; }
  // For what can be done without.
  bool has_memory_for(size_t bytes) const noexcept {
    return taken_->memory + terms.bytes() + bytes <= limits_.memory_limit_bytes;
  }

  // How much an operator that can give its rows to disk should keep in memory, if it holds `own` bytes: half of what
  // the others leave, so that several of them, one above the other, all get on, and the limit is never reached. `kept`:
  // of `own`, what it cannot give to disk. Never less than a little.
  uint64_t memory_share(uint64_t own, uint64_t kept) const noexcept {
    const uint64_t offered = memory_offered(own);
    const uint64_t little = std::min(limits_.memory_limit_bytes / 8, uint64_t{1} << 20);
    return std::min(offered, std::max(kept + (offered - std::min(offered, kept)) / 2, kept + little));
  }
  // All that it could have.
  uint64_t memory_offered(uint64_t own) const noexcept {
    const uint64_t others = taken_->memory - own + terms.bytes();
    return limits_.memory_limit_bytes - std::min(limits_.memory_limit_bytes, others);
  }

  bool can_spill() const noexcept { return limits_.scratch != nullptr && limits_.spill_limit_bytes > 0; }
  base::ScratchPlace& scratch() const noexcept { return *limits_.scratch; }
  // What is read and written at once. A power of two.
  size_t spill_page_bytes() const noexcept {
    size_t bytes = size_t{1} << 10;
    while (bytes < size_t{1} << 15 && bytes < limits_.memory_limit_bytes / 512) bytes *= 2;
    return bytes;
  }
  // How many rows an operator should take in before it looks at its memory again, if it may keep much of each.
  size_t rows_at_once() const noexcept {
    constexpr uint64_t bytes_of_row = 1 << 16;
    return std::clamp<size_t>(limits_.memory_limit_bytes / bytes_of_row, 16, batch_rows_max);
  }
  // Accounts for bytes on disk, as take_memory does for memory.
  void take_spill(uint64_t bytes) {
    taken_->spilled += bytes;
    if (taken_->spilled > limits_.spill_limit_bytes) {
      stop(base::ErrorKind::ResourceExhausted,
           "the query needs more than its limits of " + std::to_string(limits_.memory_limit_bytes >> 20) +
               " MiB of memory and " + std::to_string(limits_.spill_limit_bytes >> 20) + " MiB of temporary files");
    }
  }
  void give_spill(uint64_t bytes) noexcept { taken_->spilled -= bytes; }

  [[noreturn]] static void stop(base::ErrorKind kind, std::string message) {
    throw RunStopped{base::Error{kind, std::move(message), std::nullopt}};
  }
  const RunLimits& limits() const noexcept { return limits_; }
  base::RandomSource& random() const { return *limits_.random; }
  // What lane `number` (from 1 on) of a pipeline reads: the source itself, or a twin of it; null: there is none to be
  // had. Pipelines share them, for only one of them works at a time.
  const model::QuadSource* source_of_lane(size_t number) {
    while (twins_.size() + 1 < number) {
      auto twin = source.make_twin();
      if (!twin) return nullptr;
      twins_.push_back(std::move(twin));
    }
    return number == 1 ? &source : twins_[number - 2].get();
  }
  bool is_lane() const noexcept { return is_lane_; }
  base::TaskRunner* tasks() const noexcept { return limits_.tasks; }

  const model::QuadSource& source;
  const plan::VariableTable& names;
  TransientTerms terms;
  std::vector<SeedTable> seed_tables;
  std::map<const plan::Plan*, Batch> service_answers;  // to whole patterns: each is asked for once. Looked up only
  model::TermId current_graph;                         // of the loop over graphs that is running; unbound outside
  model::BlankNodeScope blank_nodes;
  const int64_t now_ms;    // what NOW() says
  Profile* const profile;  // null: nobody wants to know
  const plan::Tuning tuning;
  const Pipeline* pipeline = nullptr;  // whose operators are being made; null at all other times

 private:
  struct Taken {
    std::atomic<size_t> memory = 0;     // bytes
    std::atomic<uint64_t> spilled = 0;  // bytes on disk
  };
  RunLimits limits_;
  std::shared_ptr<Taken> taken_;  // one for all lanes of the run
  bool is_lane_ = false;
  std::vector<std::unique_ptr<model::QuadSource>> twins_;
};

// What an operator has taken of the run's memory; gives it back when it goes.
class MemoryUse {
 public:
  explicit MemoryUse(RunState& run) : run_(run) {}
  MemoryUse(const MemoryUse&) = delete;
  MemoryUse& operator=(const MemoryUse&) = delete;
  ~MemoryUse() { give_back(); }
  void take(size_t bytes) {
    bytes_ += bytes;
    run_.take_memory(bytes);
  }
  void give(size_t bytes) noexcept {
    bytes_ -= bytes;
    run_.give_memory(bytes);
  }
  size_t bytes() const noexcept { return bytes_; }
  // Whether so much more is within the operator's share (RunState::memory_share).
  bool has_room_for(size_t bytes, size_t kept = 0) const noexcept {
    return bytes_ + bytes <= run_.memory_share(bytes_, kept);
  }
  // What was taken so far is free again.
  void give_back() noexcept {
    run_.give_memory(bytes_);
    bytes_ = 0;
  }

 private:
  RunState& run_;
  size_t bytes_ = 0;
};

}  // namespace quadrille::exec
