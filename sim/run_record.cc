#include "sim/run_record.h"

namespace quadrille::sim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord::Span, kind, sites, from_s, until_s, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord::Transaction, id, site, at_s, operations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord::Conflict, at_s, cell, chosen, policy, candidates)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord::Sample, at_s, site, is_running, lacks, staleness_s, window_cells)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord::LinkBytes, one, another, messages, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord::Verdict, check, holds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord, sites, run_s, settled_s, end_s, spans, transactions, conflicts, samples,
                                   links, verdicts)

nlohmann::json as_json(const RunRecord& record) {
  nlohmann::json json;
  to_json(json, record);
  return json;
}

RunRecord run_record_from_json(const nlohmann::json& json) {
  RunRecord record;
  from_json(json, record);
  return record;
}

}  // namespace quadrille::sim
