// CONSTRUCT and DESCRIBE.
#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>

#include "engine/exec/column_map.h"
#include "engine/exec/dataset.h"
#include "engine/exec/pattern_reader.h"
#include "engine/exec/run.h"
#include "engine/exec/template.h"
#include "engine/plan/pattern_access.h"

namespace quadrille::exec {

using model::Quad;
using sparql::Query;
using sparql::QueryForm;

namespace {

class GraphAnswer : public Triples {
 public:
  GraphAnswer(Query query, const QueryContext& context) : query_(std::move(query)), context_(context) {}

  base::Result<void> start() {
    dataset_ = resolve_dataset(context_.dataset, query_.dataset, nullptr, *context_.source);
    QUADRILLE_ASSIGN(prepared_, prepare(*query_.pattern, wanted(), dataset_, *context_.source, context_.limits));
    memory_ = std::make_unique<MemoryUse>(*prepared_.run);
    on_prepared();
    return {};
  }

  base::Result<void> next(std::vector<model::TermQuad>& batch) override {
    batch.clear();
    return guarded([&]() -> base::Result<void> {
      std::vector<Quad> quads;
      while (batch.empty() && find_more(quads)) {
        for (const Quad& quad : quads) {
          if (!seen_.insert(quad).second) continue;
          memory_->take(2 * sizeof(Quad));
          const auto term = [&](TermId id) { return prepared_.run->terms.term(id); };
          batch.push_back({term(quad.subject), term(quad.predicate), term(quad.object), std::nullopt});
        }
        quads.clear();
      }
      return {};
    });
  }

 protected:
  virtual std::vector<sparql::Variable> wanted() const = 0;
  virtual void on_prepared() {}
  // Appends some triples, perhaps none; false at the end.
  virtual bool find_more(std::vector<Quad>& quads) = 0;

  Query query_;
  QueryContext context_;
  plan::Dataset dataset_;
  Prepared prepared_;
  Batch rows_;
  size_t wanted_rows_ = first_batch_rows;

 private:
  std::unordered_set<Quad> seen_;
  std::unique_ptr<MemoryUse> memory_;
};

class ConstructAnswer final : public GraphAnswer {
 public:
  using GraphAnswer::GraphAnswer;

 private:
  std::vector<sparql::Variable> wanted() const override { return variables_of(query_.construct); }
  void on_prepared() override { filler_.emplace(query_.construct, TermId::default_graph(), prepared_); }
  bool find_more(std::vector<Quad>& quads) override {
    prepared_.run->check();
    prepared_.root->next(rows_, wanted_rows_);
    wanted_rows_ = grown(wanted_rows_);
    for (size_t row = 0; row < rows_.rows(); ++row) filler_->fill(rows_, row, quads);
    return rows_.rows() > 0;
  }

  std::optional<TemplateFiller> filler_;
};

// The concise bounded description of each resource: its triples, and those of blank nodes that they lead to.
// https://www.w3.org/submissions/CBD/, without reified statements and inverse functional properties.
class DescribeAnswer final : public GraphAnswer {
 public:
  using GraphAnswer::GraphAnswer;

 private:
  std::vector<sparql::Variable> wanted() const override {
    std::vector<sparql::Variable> variables;
    for (const auto& one : query_.describe) {
      if (const auto* variable = std::get_if<sparql::Variable>(&one)) variables.push_back(*variable);
    }
    return variables;
  }

  void on_prepared() override {
    for (const auto& one : query_.describe) {
      if (const auto* variable = std::get_if<sparql::Variable>(&one)) {
        columns_.push_back(prepared_.column_of_name(variable->name));
      } else {
        visit(prepared_.run->terms.id_of(std::get<model::Term>(one)));
      }
    }
  }

  bool find_more(std::vector<Quad>& quads) override {
    prepared_.run->check();
    if (!waiting_.empty()) {
      const TermId resource = waiting_.front();
      waiting_.pop_front();
      describe(resource, quads);
      return true;
    }
    if (columns_.empty()) return false;
    prepared_.root->next(rows_, wanted_rows_);
    wanted_rows_ = grown(wanted_rows_);
    for (size_t column : columns_) {
      if (column == no_column) continue;
      for (TermId id : rows_.column(column)) visit(id);
    }
    return rows_.rows() > 0;
  }

  void visit(TermId resource) {
    const bool has_triples = resource.tag() == model::TermTag::Iri || resource.tag() == model::TermTag::BlankNode;
    if (has_triples && visited_.insert(resource).second) waiting_.push_back(resource);
  }

  void describe(TermId resource, std::vector<Quad>& quads) {
    plan::PatternAccess access;
    access.graph = dataset_.default_graph;
    access.triple[0].constant = resource;
    access.triple[1].variable = 0;  // any two numbers: they only say that the columns are wanted
    access.triple[2].variable = 1;
    plan::choose_order(access, {});
    PatternReader reader(access, {}, *prepared_.run);
    reader.open();
    for (size_t rows = reader.read(first_batch_rows); rows > 0; rows = reader.read(batch_rows_max)) {
      for (size_t row = 0; row < rows; ++row) {
        if (!reader.passes(row)) continue;
        const TermId object = reader.at(row, model::Column::Object);
        quads.push_back({resource, reader.at(row, model::Column::Predicate), object, TermId::default_graph()});
        if (object.tag() == model::TermTag::BlankNode) visit(object);
      }
    }
  }

  std::vector<size_t> columns_;
  std::deque<TermId> waiting_;
  std::unordered_set<TermId> visited_;
};

template <class Answer>
base::Result<std::unique_ptr<Triples>> started(Query query, const QueryContext& context) {
  return guarded([&]() -> base::Result<std::unique_ptr<Triples>> {
    auto answer = std::make_unique<Answer>(std::move(query), context);
    QUADRILLE_TRY(answer->start());
    return std::unique_ptr<Triples>(std::move(answer));
  });
}

}  // namespace

base::Result<std::unique_ptr<Triples>> run_graph_query(Query query, const QueryContext& context) {
  const bool is_construct = query.form == QueryForm::Construct;
  QUADRILLE_CHECK(is_construct || query.form == QueryForm::Describe, "run_graph_query was given another form of query");
  if (is_construct) return started<ConstructAnswer>(std::move(query), context);
  return started<DescribeAnswer>(std::move(query), context);
}

}  // namespace quadrille::exec
