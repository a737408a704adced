#include "replica/site/update_inputs.h"

#include <fmt/format.h>

#include "engine/load/document.h"

namespace quadrille::replica {

using base::Error;
using base::ErrorKind;
using sparql::Algebra;
using sparql::UpdateKind;
using sparql::UpdateOperation;

namespace {

void push_patterns(const sparql::Expression& expression, std::vector<const Algebra*>& waiting) {
  if (expression.pattern) waiting.push_back(expression.pattern.get());
  for (const auto& argument : expression.arguments) push_patterns(argument, waiting);
}

// The SERVICE patterns of an operation, but those inside of another, which are for that endpoint to ask.
std::vector<const Algebra*> services_of(const UpdateOperation& operation) {
  std::vector<const Algebra*> found;
  std::vector<const Algebra*> waiting;
  if (operation.pattern) waiting.push_back(operation.pattern.get());
  while (!waiting.empty()) {
    const Algebra& at = *waiting.back();
    waiting.pop_back();
    if (at.kind == sparql::AlgebraKind::Service) {
      found.push_back(&at);
      continue;
    }
    if (at.left) waiting.push_back(at.left.get());
    if (at.right) waiting.push_back(at.right.get());
    if (at.expression) push_patterns(*at.expression, waiting);
    for (const auto& condition : at.order) push_patterns(condition.expression, waiting);
    for (const auto& [variable, expression] : at.group_keys) push_patterns(expression, waiting);
    for (const auto& aggregate : at.aggregates) {
      if (aggregate.argument) push_patterns(*aggregate.argument, waiting);
    }
  }
  return found;
}

}  // namespace

bool needs_inputs(const sparql::Update& update) {
  for (const UpdateOperation& operation : update.operations) {
    if (operation.kind == UpdateKind::Load || !services_of(operation).empty()) return true;
  }
  return false;
}

class UpdateInputs::Document final : public exec::LoadedDocument {
 public:
  explicit Document(ParsedDocuments parsed) : parsed_(std::move(parsed)) {}
  base::Result<uint64_t> insert_into(model::QuadTarget& target) const override { return parsed_.write_to(target); }
  uint64_t memory_bytes() const noexcept { return parsed_.memory_bytes(); }

 private:
  ParsedDocuments parsed_;
};

class UpdateInputs::KeptSolutions final : public exec::ServiceSolutions {
 public:
  explicit KeptSolutions(uint64_t bytes_max) : bytes_max_(bytes_max) {}
  base::Result<void> add(ServiceSolutions::Solution solution) override {
    bytes_ += sizeof(UpdateInputs::Solution);
    for (const auto& [name, term] : solution) bytes_ += sizeof(solution[0]) + name.size() + term.text().size();
    if (bytes_ > bytes_max_) {
      return Error{ErrorKind::ResourceExhausted, "the answer needs more memory than an update may take", {}};
    }
    kept_.emplace_back(solution.begin(), solution.end());
    return {};
  }
  std::vector<UpdateInputs::Solution> take() { return std::move(kept_); }
  uint64_t bytes() const noexcept { return bytes_; }

 private:
  const uint64_t bytes_max_;
  uint64_t bytes_ = 0;
  std::vector<UpdateInputs::Solution> kept_;
};

class UpdateInputs::Fetching {
 public:
  Fetching(UpdateInputs& into, const InputLimits& limits, const RunParts& parts)
      : into_(into), limits_(limits), parts_(parts) {
    if (limits.time_limit_ms > 0) deadline_us_ = parts.steady_clock.now_us() + limits.time_limit_ms * 1000;
  }

  base::Result<void> fetch(const UpdateOperation& operation) {
    if (operation.kind == UpdateKind::Load) return fetch_document(operation);
    for (const Algebra* service : services_of(operation)) QUADRILLE_TRY(fetch_answer(*service));
    return {};
  }

 private:
  base::Result<void> fetch_document(const UpdateOperation& operation) {
    const auto key = std::pair(*operation.load_from, operation.into.graph);
    auto entry = into_.documents_.find(key);
    if (entry == into_.documents_.end()) entry = into_.documents_.emplace(key, read_document(operation)).first;
    if (entry->second.ok() || operation.silent) return {};
    return entry->second.error();
  }

  base::Result<std::unique_ptr<Document>> read_document(const UpdateOperation& operation) {
    if (parts_.federation.documents == nullptr) return Error{ErrorKind::Refused, "LOAD is not allowed here", {}};
    QUADRILLE_ASSIGN(
        const FetchedDocument fetched,
        parts_.federation.documents->fetch(
            {.iri = operation.load_from->text(), .deadline_us = deadline_us_, .cancelled = limits_.abandoned}));
    load::Document document;
    document.name = operation.load_from->text();
    document.format = fetched.format;
    document.base_iri = fetched.base_iri;
    document.graph = operation.into.graph;
    document.open = [&fetched] {
      return base::Result<std::unique_ptr<io::InputStream>>(std::make_unique<io::MemoryInput>(fetched.bytes));
    };
    ParseLimits limits;
    limits.memory_bytes = memory_left();
    limits.stopping = limits_.stopping;
    auto parsed = ParsedDocuments::parse({document}, parts_.random, limits);
    // The document is no part of the request, so a position in it is none there.
    if (!parsed.ok()) return Error{parsed.error().kind, parsed.error().message, {}};
    memory_ += parsed->memory_bytes();
    return std::make_unique<Document>(std::move(parsed).value());
  }

  base::Result<void> fetch_answer(const Algebra& service) {
    const auto* endpoint = std::get_if<model::Term>(&service.graph);
    if (endpoint == nullptr) {
      return Error{ErrorKind::Refused,
                   fmt::format("SERVICE ?{} in an update: it is asked before the update begins; expected the IRI of an "
                               "endpoint",
                               std::get<sparql::Variable>(service.graph).name),
                   {}};
    }
    const auto key = std::pair(endpoint->text(), service.service_text);
    auto entry = into_.answers_.find(key);
    if (entry == into_.answers_.end()) entry = into_.answers_.emplace(key, read_answer(key.first, key.second)).first;
    if (entry->second.ok() || service.silent) return {};
    return entry->second.error();
  }

  base::Result<std::vector<UpdateInputs::Solution>> read_answer(const std::string& endpoint, const std::string& query) {
    if (parts_.federation.services == nullptr) return Error{ErrorKind::Refused, "SERVICE is not allowed here", {}};
    KeptSolutions kept(memory_left());
    QUADRILLE_TRY(parts_.federation.services->ask(
        {.endpoint = endpoint, .query = query, .deadline_us = deadline_us_, .cancelled = limits_.abandoned}, kept));
    memory_ += kept.bytes();
    return kept.take();
  }

  uint64_t memory_left() const noexcept {
    return limits_.memory_limit_bytes - std::min(memory_, limits_.memory_limit_bytes);
  }

  UpdateInputs& into_;
  const InputLimits& limits_;
  const RunParts& parts_;
  std::optional<int64_t> deadline_us_;
  uint64_t memory_ = 0;
};

base::Result<std::shared_ptr<UpdateInputs>> UpdateInputs::fetch(const sparql::Update& update, const InputLimits& limits,
                                                                const RunParts& parts) {
  auto made = std::make_shared<UpdateInputs>();
  Fetching fetching(*made, limits, parts);
  for (const UpdateOperation& operation : update.operations) QUADRILLE_TRY(fetching.fetch(operation));
  return made;
}

base::Result<void> UpdateInputs::ask(const exec::ServiceRequest& request, exec::ServiceSolutions& solutions) {
  const auto found = answers_.find(std::pair(request.endpoint, request.query));
  QUADRILLE_CHECK(found != answers_.end(), "an update asks for what was not fetched for it");
  if (!found->second.ok()) return found->second.error();
  for (const Solution& solution : *found->second) QUADRILLE_TRY(solutions.add(solution));
  return {};
}

base::Result<const exec::LoadedDocument*> UpdateInputs::find(const model::Term& iri,
                                                             const std::optional<model::Term>& graph) const {
  const auto found = documents_.find(std::pair(iri, graph));
  QUADRILLE_CHECK(found != documents_.end(), "an update loads what was not fetched for it");
  if (!found->second.ok()) return found->second.error();
  return found->second->get();
}

}  // namespace quadrille::replica
