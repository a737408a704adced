// SPARQL Update. https://www.w3.org/TR/sparql11-update/
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/exec/dataset.h"
#include "engine/exec/loaded_documents.h"
#include "engine/exec/named_graphs.h"
#include "engine/exec/run.h"
#include "engine/exec/template.h"
#include "engine/model/blank_node_source.h"
#include "engine/model/bulk_target.h"

namespace quadrille::exec {

using base::Error;
using base::ErrorKind;
using model::Quad;
using model::QuadTarget;
using model::Term;
using sparql::GraphTarget;
using sparql::GraphTargetKind;
using sparql::UpdateKind;
using sparql::UpdateOperation;

namespace {

Error error(ErrorKind kind, std::string message) { return Error{kind, std::move(message), std::nullopt}; }

class UpdateRun {
 public:
  UpdateRun(QuadTarget& target, const UpdateContext& context) : target_(target), context_(context) {}

  base::Result<void> run(const UpdateOperation& operation) {
    hidden_ = hidden_ids();  // an earlier operation may have made them known
    switch (operation.kind) {
      case UpdateKind::InsertData: return insert_data(operation);
      case UpdateKind::DeleteData: return delete_data(operation);
      case UpdateKind::Modify: return modify(operation);
      case UpdateKind::Load: return load(operation);
      case UpdateKind::Clear:
      case UpdateKind::Drop: return clear(operation.from);
      case UpdateKind::Create: return create(operation);
      case UpdateKind::Add:
      case UpdateKind::Move:
      case UpdateKind::Copy: return transfer(operation);
    }
    return error(ErrorKind::Unsupported, "an update operation that this version does not know");
  }
  const UpdateReport& report() const noexcept { return report_; }

 private:
  std::vector<TermId> hidden_ids() const {
    std::vector<TermId> ids;
    for (const Term& graph : context_.dataset.hidden_graphs) {
      if (const auto id = target_.find_term(graph)) ids.push_back(*id);
    }
    return ids;
  }
  bool is_hidden(TermId graph) const { return std::find(hidden_.begin(), hidden_.end(), graph) != hidden_.end(); }
  base::Result<void> check_writable(TermId graph) const {
    if (!is_hidden(graph)) return {};
    return error(ErrorKind::Refused, "the graph <" + target_.get_term(graph).text() + "> is read-only");
  }

  void insert(const Quad& quad) { report_.inserted += target_.insert(quad) ? 1 : 0; }
  void erase(const Quad& quad) { report_.deleted += target_.erase(quad) ? 1 : 0; }

  // Ground quads; variables can only be the blank nodes of INSERT DATA.
  base::Result<std::vector<Quad>> ground(const std::vector<sparql::QuadTemplate>& templates) {
    model::BlankNodeScope nodes(*context_.limits.random);
    std::vector<Term> terms;
    const auto add = [&](const sparql::PatternTerm& term) {
      const auto* variable = std::get_if<sparql::Variable>(&term);
      terms.push_back(variable != nullptr ? nodes.node_for(variable->name) : std::get<Term>(term));
    };
    for (const auto& one : templates) {
      for (const auto* term : {&one.triple.subject, &one.triple.predicate, &one.triple.object}) add(*term);
      if (one.graph) add(*one.graph);
    }
    const std::vector<TermId> ids = model::intern_all(target_, terms);
    auto next = ids.begin();
    std::vector<Quad> quads;
    for (const auto& one : templates) {
      Quad quad{next[0], next[1], next[2], TermId::default_graph()};
      next += 3;
      if (one.graph) quad.graph = *next++;
      QUADRILLE_TRY(check_writable(quad.graph));
      quads.push_back(quad);
    }
    return quads;
  }

  base::Result<void> insert_data(const UpdateOperation& operation) {
    QUADRILLE_ASSIGN(const auto quads, ground(operation.inserts));
    for (const Quad& quad : quads) insert(quad);
    return {};
  }

  base::Result<void> delete_data(const UpdateOperation& operation) {
    QUADRILLE_ASSIGN(const auto quads, ground(operation.deletes));
    for (const Quad& quad : quads) erase(quad);
    return {};
  }

  // The whole pattern is evaluated before anything is written, so both templates see one state; deletes go first.
  base::Result<void> modify(const UpdateOperation& operation) {
    if (context_.dataset.protocol_dataset.is_given() && (operation.with || operation.dataset.is_given())) {
      return error(ErrorKind::InvalidInput,
                   "the request names graphs both in its parameters and with WITH or USING; expected one of them");
    }
    std::vector<Quad> deletes;
    std::vector<Quad> inserts;
    QUADRILLE_TRY(find_quads(operation, deletes, inserts));
    for (const Quad& quad : deletes) erase(quad);
    for (const Quad& quad : inserts) insert(quad);
    return {};
  }

  base::Result<void> find_quads(const UpdateOperation& operation, std::vector<Quad>& deletes,
                                std::vector<Quad>& inserts) {
    const Term* with = operation.with ? &*operation.with : nullptr;
    // Interned before planning: ids of templates and patterns must be the target's.
    const TermId default_graph = with != nullptr ? target_.intern(*with) : TermId::default_graph();
    const auto dataset = resolve_dataset(context_.dataset, operation.dataset, with, target_);
    std::vector<sparql::Variable> wanted = variables_of(operation.deletes);
    for (auto& variable : variables_of(operation.inserts)) wanted.push_back(std::move(variable));
    QUADRILLE_ASSIGN(Prepared prepared, prepare(*operation.pattern, wanted, dataset, target_, context_.limits));
    TemplateFiller deleting(operation.deletes, default_graph, prepared);
    TemplateFiller inserting(operation.inserts, default_graph, prepared);
    MemoryUse memory(*prepared.run);
    Batch rows;
    for (size_t size = first_batch_rows;; size = grown(size)) {
      prepared.root->next(rows, size);
      if (rows.rows() == 0) break;
      const size_t before = deletes.size() + inserts.size();
      for (size_t row = 0; row < rows.rows(); ++row) {
        deleting.fill(rows, row, deletes);
        inserting.fill(rows, row, inserts);
      }
      memory.take((deletes.size() + inserts.size() - before) * sizeof(Quad));
    }
    prepared.root.reset();
    intern_new_terms(prepared, deletes, inserts);
    for (const auto* quads : {&deletes, &inserts}) {
      for (const Quad& quad : *quads) QUADRILLE_TRY(check_writable(quad.graph));
    }
    return {};
  }

  // Those that the query made.
  void intern_new_terms(const Prepared& prepared, std::vector<Quad>& deletes, std::vector<Quad>& inserts) {
    const auto for_each = [&](const auto& visit) {
      for (auto* quads : {&deletes, &inserts}) {
        for (Quad& quad : *quads) {
          for (TermId* id : {&quad.subject, &quad.predicate, &quad.object, &quad.graph}) {
            if (id->is_transient()) visit(*id);
          }
        }
      }
    };
    std::unordered_map<TermId, size_t> places;
    std::vector<Term> terms;
    for_each([&](TermId& id) {
      if (places.try_emplace(id, terms.size()).second) terms.push_back(prepared.run->terms.term(id));
    });
    const std::vector<TermId> ids = model::intern_all(target_, terms);
    for_each([&](TermId& id) { id = ids[places.at(id)]; });
  }

  // The graphs that a target names; hidden ones only when they are named one by one.
  std::vector<TermId> graphs_of(const GraphTarget& graphs) const {
    std::vector<TermId> found;
    if (graphs.kind == GraphTargetKind::One) {
      if (const auto id = target_.find_term(*graphs.graph)) found.push_back(*id);
      return found;
    }
    if (graphs.kind != GraphTargetKind::Named) found.push_back(TermId::default_graph());
    if (graphs.kind == GraphTargetKind::Default) return found;
    plan::GraphFilter filter;
    filter.listed = hidden_;
    filter.listed.push_back(TermId::default_graph());
    std::sort(filter.listed.begin(), filter.listed.end());
    for (TermId graph : graphs_with_quads(target_, filter)) found.push_back(graph);
    return found;
  }

  std::vector<Quad> quads_of(TermId graph) const {
    std::vector<Quad> found;
    auto scan = target_.scan(model::QuadOrder::Gspo, std::span(&graph, 1), model::ColumnSet::all());
    std::array<std::vector<TermId>, 4> columns;
    model::ScanBatch batch;
    batch.capacity = batch_rows_max;
    for (size_t i = 0; i < 4; ++i) {
      columns[i].resize(batch.capacity);
      batch.columns[i] = columns[i].data();
    }
    for (size_t rows = scan->next(batch); rows > 0; rows = scan->next(batch)) {
      for (size_t row = 0; row < rows; ++row) {
        found.push_back({columns[0][row], columns[1][row], columns[2][row], graph});
      }
    }
    return found;
  }

  void clear_graph(TermId graph) {
    for (const Quad& quad : quads_of(graph)) erase(quad);
  }

  // A graph is there when it holds quads, so clearing and dropping are one, and neither can fail for want of a graph.
  base::Result<void> clear(const GraphTarget& graphs) {
    for (TermId graph : graphs_of(graphs)) {
      QUADRILLE_TRY(check_writable(graph));
      clear_graph(graph);
    }
    return {};
  }

  base::Result<void> create(const UpdateOperation& operation) {
    const auto graph = target_.find_term(*operation.from.graph);
    if (operation.silent || !graph || !has_quads(target_, *graph)) return {};
    return error(ErrorKind::Refused, "CREATE: the graph <" + operation.from.graph->text() + "> is there already");
  }

  base::Result<const LoadedDocument*> find_document(const UpdateOperation& operation) const {
    const auto& hidden = context_.dataset.hidden_graphs;
    const auto& graph = operation.into.graph;
    if (graph && std::find(hidden.begin(), hidden.end(), *graph) != hidden.end()) {
      return error(ErrorKind::Refused, "the graph <" + graph->text() + "> is read-only");
    }
    if (context_.documents == nullptr) return error(ErrorKind::Refused, "LOAD is not allowed here");
    return context_.documents->find(*operation.load_from, graph);
  }

  base::Result<void> load(const UpdateOperation& operation) {
    const auto document = find_document(operation);
    if (!document.ok()) return operation.silent ? base::Result<void>() : document.error();
    QUADRILLE_ASSIGN(const uint64_t inserted, (*document)->insert_into(target_));
    report_.inserted += inserted;
    return {};
  }

  TermId intern(const GraphTarget& graph) {
    return graph.kind == GraphTargetKind::One ? target_.intern(*graph.graph) : TermId::default_graph();
  }

  base::Result<void> transfer(const UpdateOperation& operation) {
    const TermId from = intern(operation.from);
    const TermId into = intern(operation.into);
    QUADRILLE_TRY(check_writable(into));
    if (operation.kind == UpdateKind::Move) QUADRILLE_TRY(check_writable(from));
    if (from == into) return {};
    if (from != TermId::default_graph() && !has_quads(target_, from)) {
      if (operation.silent) return {};
      return error(ErrorKind::NotFound, "there is no graph <" + operation.from.graph->text() + "> to take from");
    }
    std::vector<Quad> quads = quads_of(from);
    if (operation.kind != UpdateKind::Add) clear_graph(into);
    for (Quad& quad : quads) {
      if (operation.kind == UpdateKind::Move) erase(quad);
      quad.graph = into;
      insert(quad);
    }
    return {};
  }

  QuadTarget& target_;
  const UpdateContext& context_;
  std::vector<TermId> hidden_;
  UpdateReport report_;
};

}  // namespace

base::Result<UpdateReport> run_update(const sparql::Update& update, QuadTarget& target, const UpdateContext& context) {
  return guarded([&]() -> base::Result<UpdateReport> {
    UpdateRun run(target, context);
    for (const UpdateOperation& operation : update.operations) QUADRILLE_TRY(run.run(operation));
    return run.report();
  });
}

}  // namespace quadrille::exec
