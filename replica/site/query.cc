#include "replica/site/query.h"

#include <algorithm>
#include <utility>

#include "engine/sparql/parse.h"
#include "replica/site/update_inputs.h"

namespace quadrille::replica {
namespace {

exec::DatasetRules rules_for(const sparql::Dataset& protocol_dataset) {
  return {.protocol_dataset = protocol_dataset,
          .default_is_union = false,
          .hidden_graphs = {model::Term::iri(std::string(conflicts_graph))}};
}

exec::RunLimits limits_for(const QueryOptions& options, const RunParts& parts) {
  exec::RunLimits limits;
  limits.wall_clock = &parts.wall_clock;
  limits.random = &parts.random;
  limits.steady_clock = &parts.steady_clock;
  if (options.time_limit_ms > 0) limits.deadline_us = parts.steady_clock.now_us() + options.time_limit_ms * 1000;
  limits.memory_limit_bytes = options.memory_limit_bytes;
  limits.scratch = parts.scratch;
  limits.spill_limit_bytes = options.spill_limit_bytes;
  limits.cancelled = options.cancelled;
  limits.plan_memory = parts.plan_memory;
  limits.tasks = parts.tasks;
  return limits;
}

exec::QueryContext context_for(const reconcile::SiteSnapshot& snapshot, const QueryOptions& options,
                               const RunParts& parts) {
  exec::RunLimits limits = limits_for(options, parts);
  limits.services = parts.federation.services;
  return {&snapshot, limits, rules_for(options.protocol_dataset)};
}

std::unique_ptr<reconcile::SiteSnapshot> snapshot_of(const reconcile::SiteStore& store, const RunParts& parts) {
  return store.snapshot(parts.tasks == nullptr ? 1 : std::min(parts.tasks->width(), exec::threads_of_query_max));
}

}  // namespace

base::Result<Answer> run_query(const reconcile::SiteStore& store, std::string_view text, const QueryOptions& options,
                               const RunParts& parts) {
  QUADRILLE_ASSIGN(auto query, sparql::parse_query(text, options.base_iri));
  return base::catch_storage_error([&]() -> base::Result<Answer> {
    Answer answer;
    answer.form = query.form;
    answer.snapshot = snapshot_of(store, parts);
    const auto context = context_for(*answer.snapshot, options, parts);
    switch (query.form) {
      case sparql::QueryForm::Select: {
        QUADRILLE_ASSIGN(answer.content, exec::run_select(std::move(query), context));
        break;
      }
      case sparql::QueryForm::Ask: {
        QUADRILLE_ASSIGN(answer.content, exec::run_ask(std::move(query), context));
        break;
      }
      case sparql::QueryForm::Construct:
      case sparql::QueryForm::Describe: {
        QUADRILLE_ASSIGN(answer.content, exec::run_graph_query(std::move(query), context));
        break;
      }
    }
    return answer;
  });
}

base::Result<std::string> explain_query(const reconcile::SiteStore& store, std::string_view text,
                                        const QueryOptions& options, const RunParts& parts) {
  QUADRILLE_ASSIGN(auto query, sparql::parse_query(text, options.base_iri));
  return base::catch_storage_error([&]() -> base::Result<std::string> {
    const auto snapshot = store.snapshot();
    return exec::explain(std::move(query), context_for(*snapshot, options, parts));
  });
}

base::Result<std::string> profile_query(const reconcile::SiteStore& store, std::string_view text,
                                        const QueryOptions& options, const RunParts& parts) {
  QUADRILLE_ASSIGN(auto query, sparql::parse_query(text, options.base_iri));
  return base::catch_storage_error([&]() -> base::Result<std::string> {
    const auto snapshot = snapshot_of(store, parts);
    return exec::profile(std::move(query), context_for(*snapshot, options, parts));
  });
}

base::Result<void> run_update(const sparql::Update& update, const QueryOptions& options, model::QuadTarget& target,
                              const RunParts& parts, UpdateInputs* inputs) {
  exec::UpdateContext context{limits_for(options, parts), rules_for(options.protocol_dataset), inputs};
  context.limits.services = inputs;
  context.limits.tasks = nullptr;  // a transaction has no twin
  QUADRILLE_TRY(exec::run_update(update, target, context));
  return {};
}

}  // namespace quadrille::replica
