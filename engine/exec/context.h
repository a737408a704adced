// What a query or an update is run with: everything that the engine may not fetch by itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/scratch.h"
#include "engine/base/task_runner.h"
#include "engine/model/quad_source.h"
#include "engine/model/term.h"
#include "engine/plan/tuning.h"
#include "engine/sparql/algebra.h"

namespace quadrille::plan {
class PlanMemory;
}

namespace quadrille::exec {

class LoadedDocuments;
class Profile;
class ServiceClient;

// More threads than these never work on one query; so many twins of its source, less one, are of use.
inline constexpr size_t threads_of_query_max = 16;

// What NOW(), RAND(), UUID() and BNODE() draw on, and what ends a run that takes too much.
// Everything referred to must outlive the run.
struct RunLimits {
  const base::WallClock* wall_clock = nullptr;  // read once, at the start
  base::RandomSource* random = nullptr;
  const base::SteadyClock* steady_clock = nullptr;  // needed only with a deadline
  std::optional<int64_t> deadline_us;               // by steady_clock; passed: ErrorKind::Timeout
  // Of what operators keep, and of the terms that the run makes, which never go to disk. Sorting, grouping and DISTINCT
  // go on in `scratch` where they have one; all else, and beyond: ErrorKind::ResourceExhausted.
  uint64_t memory_limit_bytes = uint64_t{1} << 30;
  base::ScratchPlace* scratch = nullptr;           // null: nothing goes to disk
  uint64_t spill_limit_bytes = uint64_t{4} << 30;  // of what is there at once; beyond: ErrorKind::ResourceExhausted
  const std::atomic<bool>* cancelled = nullptr;    // set by another thread: ErrorKind::Unavailable
  // Long queries run on as many of its threads as the source has twins for; without it on the caller's alone. The
  // answer is the same; only the order that ORDER BY leaves open, and with it what LIMIT cuts off, may be another.
  base::TaskRunner* tasks = nullptr;

  ServiceClient* services = nullptr;        // who asks the endpoints of SERVICE; without it SERVICE is refused
  plan::PlanMemory* plan_memory = nullptr;  // of the store; without it every query is planned from nothing
  Profile* profile = nullptr;               // what each operator did goes there
  plan::Tuning tuning;
};

// Which graphs a pattern sees.
struct DatasetRules {
  // FROM / USING as the protocol's parameters say; when given, it replaces the dataset in the text.
  sparql::Dataset protocol_dataset;
  // True: the default graph of the store's own dataset is the union of all its graphs that are not hidden.
  bool default_is_union = false;
  // Local, read-only graphs: GRAPH ?g and the union leave them out, and no update may touch them.
  std::vector<model::Term> hidden_graphs;
};

struct QueryContext {
  const model::QuadSource* source = nullptr;
  RunLimits limits;
  DatasetRules dataset;
};

struct UpdateContext {
  RunLimits limits;
  DatasetRules dataset;
  const LoadedDocuments* documents = nullptr;  // of LOAD; without them it is refused
};

}  // namespace quadrille::exec
