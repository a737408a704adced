#include "reconcile/staged_load.h"

#include "engine/store/run.h"
#include "reconcile/assignment_table.h"

namespace quadrille::reconcile {
namespace {

// So much is read of one snapshot, so that none is held for long.
constexpr size_t quads_at_a_time = 65'536;
constexpr size_t window_rows_at_a_time = 100'000;

}  // namespace

BulkQuads::BulkQuads(const store::Store& store, const SiteTables& tables, const PolicyRegistry& policies,
                     model::TermId conflicts_graph)
    : store_(store), conflicts_graph_(conflicts_graph), assignments_(policies) {
  read_assignments(store.snapshot()->tables(), tables.assignments, assignments_);
  const Assignment& in_force = assignments_.in_force().assignment;
  is_simple_ = assignments_.size() == 1 && in_force.rules.empty() &&
               !policies.find_named(in_force.default_policy).policy->checks_local_changes();
}

bool BulkQuads::has(const model::Quad& quad) const {
  if (quad.graph == conflicts_graph_) return false;
  if (is_simple_) return true;
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = known_.find({quad.graph, quad.predicate}); known != known_.end()) return known->second;
  }
  const std::unique_lock lock(mutex_);
  constexpr size_t remembered_max = 100'000;
  if (known_.size() >= remembered_max) known_.clear();
  const bool is_one = is_bulk(quad.graph, quad.predicate);
  known_.emplace(std::pair(quad.graph, quad.predicate), is_one);
  return is_one;
}

bool BulkQuads::is_bulk(model::TermId graph, model::TermId property) const {
  const auto snapshot = store_.snapshot();
  const CellRule& rule = assignments_.in_force().rules.rule_of(graph, property, *snapshot);
  return rule.kind == log::CellKind::Quad && !rule.decided_by.policy->checks_local_changes() &&
         !assignments_.is_in_transition(graph, property, *snapshot);
}

LmdbStagedLoad::LmdbStagedLoad(const store::Store& store, const SiteTables& tables, WriterMemory& memory,
                               const PolicyRegistry& policies)
    : store_(store),
      tables_(tables),
      memory_(memory),
      bulk_quads_(store, tables, policies, memory.conflicts_graph),
      bulk_(tables, memory) {}

base::Result<void> LmdbStagedLoad::begin(load::StoreWriter& writer) {
  return writer.write([&](store::Transaction& transaction) {
    was_alone_ = memory_.is_alone();
    if (was_alone_) return;
    const log::LogState stored = log::read_log_state(transaction.tables(), tables_.log.state);
    log::LogState state = stored;
    bulk_.begin(state);
    log::write_log_state(transaction.tables(), tables_.log.state, stored, state);
  });
}

void LmdbStagedLoad::append(store::Transaction& transaction, Was was, std::span<const store::EncodedBlock> blocks) {
  const log::RangeSet set{was == Was::Present, true};
  log::BulkTableWriter(transaction.tables(), tables_.log.bulk).add_range(bulk_.number(), set, blocks);
  for (const store::EncodedBlock& block : blocks) bulk_.count_rows(set, block.rows);
}

base::Result<void> LmdbStagedLoad::finish(load::StoreWriter& writer) {
  if (was_alone_) return {};
  return base::catch_storage_error([&]() -> base::Result<void> {
    for (const bool existed : {false, true}) QUADRILLE_TRY(log_set(writer, {existed, true}));
    std::string from;
    while (bulk_.find_rows(store_.snapshot()->tables(), from, window_rows_at_a_time)) {
    }
    return {};
  });
}

// The chunks as shipped are made here, for their hash; the log gets to know where their quads stand in the range.
base::Result<void> LmdbStagedLoad::log_set(load::StoreWriter& writer, log::RangeSet set) {
  std::vector<log::QuadOperation> operations;
  store::QuadRow next{};
  for (bool is_end = bulk_.rows()[set.number()] == 0; !is_end;) {
    std::vector<Reference> references;
    const uint32_t first_chunk = chunk_count_;
    const auto snapshot = store_.snapshot();
    const bool is_first = next == store::QuadRow{};
    const auto quads =
        log::BulkTable(snapshot->tables(), tables_.log.bulk).read_range(bulk_.number(), set, next, quads_at_a_time);
    is_end = quads.size() < quads_at_a_time;
    if (!quads.empty()) next = store::to_row(model::QuadOrder::Gspo, quads.back());
    for (size_t i = is_first ? 0 : 1; i < quads.size(); ++i) operations.push_back({quads[i], true});
    const log::SourceTermText terms(*snapshot);
    log::OperationsView rest{operations, {}};
    // What is left over begins the next chunk: a chunk is full where the operations go on.
    while (rest.size() > (is_end ? 0 : log::chunk_operations_max)) {
      const log::EncodedChunk chunk = encode_chunk(rest, terms);
      hasher_.add_chunk(chunk.bytes);
      references.push_back({set, chunk.taken.quads.front().quad, chunk.taken.quads.size()});
      rest.quads = rest.quads.subspan(chunk.taken.quads.size());
    }
    operations.erase(operations.begin(), operations.end() - static_cast<std::ptrdiff_t>(rest.size()));
    chunk_count_ += static_cast<uint32_t>(references.size());
    QUADRILLE_TRY(writer.write([&](store::Transaction& transaction) {
      log::BulkTableWriter bulks(transaction.tables(), tables_.log.bulk);
      for (size_t i = 0; i < references.size(); ++i) {
        const auto& [of, first, count] = references[i];
        bulks.add_reference(bulk_.number(), first_chunk + static_cast<uint32_t>(i), of, first, count);
      }
    }));
  }
  return {};
}

}  // namespace quadrille::reconcile
