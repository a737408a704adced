// What an update needs from elsewhere: the documents of its LOADs, and the answers to its SERVICEs. All of it is
// fetched and read before the update enters the writer's queue, for the one writer of a site waits for no network. So
// the endpoint of a SERVICE in an update must be an IRI, and its pattern is asked for as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/exec/loaded_documents.h"
#include "engine/exec/service_client.h"
#include "engine/model/term.h"
#include "engine/sparql/algebra.h"
#include "replica/site/load.h"
#include "replica/site/query.h"

namespace quadrille::replica {

// Whether there is a LOAD or a SERVICE in the update.
bool needs_inputs(const sparql::Update& update);

struct InputLimits {
  int64_t time_limit_ms = 0;                        // of all of it; 0: none
  uint64_t memory_limit_bytes = uint64_t{1} << 30;  // of all of it, as it is kept. More is ResourceExhausted
  const std::atomic<bool>* abandoned = nullptr;     // true: nobody waits for the update any more
  const std::atomic<bool>* stopping = nullptr;      // as ParseLimits has it; outlives the inputs
};

// Made on one thread, used on another.
class UpdateInputs final : public exec::ServiceClient, public exec::LoadedDocuments {
 public:
  // What fails is an error, unless the update says SILENT. A document that is named twice for one graph is fetched
  // once, and so is an answer.
  static base::Result<std::shared_ptr<UpdateInputs>> fetch(const sparql::Update& update, const InputLimits& limits,
                                                           const RunParts& parts);

  base::Result<void> ask(const exec::ServiceRequest& request, exec::ServiceSolutions& solutions) override;
  bool takes_values() const noexcept override { return false; }
  base::Result<const exec::LoadedDocument*> find(const model::Term& iri,
                                                 const std::optional<model::Term>& graph) const override;

 private:
  using Solution = std::vector<std::pair<std::string, model::Term>>;
  class KeptSolutions;
  class Document;
  class Fetching;

  std::map<std::pair<std::string, std::string>, base::Result<std::vector<Solution>>> answers_;  // by endpoint and query
  std::map<std::pair<model::Term, std::optional<model::Term>>, base::Result<std::unique_ptr<Document>>> documents_;
};

}  // namespace quadrille::replica
