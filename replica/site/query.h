// Queries and updates as text, run on a site's store. Callable from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/scratch.h"
#include "engine/base/task_runner.h"
#include "engine/exec/context.h"
#include "engine/exec/run.h"
#include "engine/sparql/algebra.h"
#include "log/version_vector.h"
#include "reconcile/site_store.h"
#include "replica/site/federation.h"

namespace quadrille::replica {

class UpdateInputs;

// The graph of conflict records: read-only, local, and seen only by who names it.
inline constexpr std::string_view conflicts_graph = "urn:quadrille:conflicts";

// What runs of this site are given. All outlive them.
struct RunParts {
  const base::WallClock& wall_clock;
  const base::SteadyClock& steady_clock;
  base::RandomSource& random;
  plan::PlanMemory* plan_memory = nullptr;  // of this site; without it every query is planned from nothing
  Federation federation = {};
  base::ScratchPlace* scratch = nullptr;  // without it queries that outgrow their memory end
  base::TaskRunner* tasks = nullptr;      // that long queries may use; without it each runs on one thread
};

// Of queries and of updates.
struct QueryOptions {
  // default-graph-uri and named-graph-uri, in place of FROM and FROM NAMED; of an update using-graph-uri and
  // using-named-graph-uri.
  sparql::Dataset protocol_dataset;
  std::string base_iri = {};  // before any BASE of the text, which is parsed here; empty: relative IRIs are errors
  int64_t time_limit_ms = 0;  // 0: none. Of an update: from when the writer takes it up
  uint64_t memory_limit_bytes = uint64_t{1} << 30;
  uint64_t spill_limit_bytes = uint64_t{4} << 30;  // of temporary files; 0: none
  const std::atomic<bool>* cancelled = nullptr;    // set by another thread; outlives the run
};

// An answer in progress, on the snapshot that it holds. Belongs to one thread at a time. Give it up soon: a snapshot
// keeps the store from reusing space.
struct Answer {
  sparql::QueryForm form = sparql::QueryForm::Ask;
  std::unique_ptr<reconcile::SiteSnapshot> snapshot;  // before `content`, which reads it
  std::variant<bool, std::unique_ptr<exec::Solutions>, std::unique_ptr<exec::Triples>> content;
};

// Parses and starts a query on the state of now.
base::Result<Answer> run_query(const reconcile::SiteStore& store, std::string_view text, const QueryOptions& options,
                               const RunParts& parts);
base::Result<std::string> explain_query(const reconcile::SiteStore& store, std::string_view text,
                                        const QueryOptions& options, const RunParts& parts);

// Runs the query and gives its plan with what each operator did.
base::Result<std::string> profile_query(const reconcile::SiteStore& store, std::string_view text,
                                        const QueryOptions& options, const RunParts& parts);

// Runs a parsed update in a transaction of `target`. `inputs`: what was fetched for it (update_inputs.h); without them
// LOAD and SERVICE are refused.
base::Result<void> run_update(const sparql::Update& update, const QueryOptions& options, model::QuadTarget& target,
                              const RunParts& parts, UpdateInputs* inputs = nullptr);

}  // namespace quadrille::replica
