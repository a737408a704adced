// SELECT, ASK and EXPLAIN.
#include <utility>

#include "engine/exec/column_map.h"
#include "engine/exec/dataset.h"
#include "engine/exec/prepared.h"
#include "engine/exec/run.h"

namespace quadrille::exec {

using sparql::Query;
using sparql::QueryForm;

namespace {

class SelectSolutions final : public Solutions {
 public:
  SelectSolutions(Query query, const QueryContext& context) : query_(std::move(query)), context_(context) {
    for (const auto& variable : query_.variables) names_.push_back(variable.name);
  }

  base::Result<void> start() {
    const auto dataset = resolve_dataset(context_.dataset, query_.dataset, nullptr, *context_.source);
    QUADRILLE_ASSIGN(prepared_, prepare(*query_.pattern, query_.variables, dataset, *context_.source, context_.limits));
    for (const auto& name : names_) columns_.push_back(prepared_.column_of_name(name));
    return {};
  }

  const std::vector<std::string>& variables() const override { return names_; }

  base::Result<size_t> next() override {
    return guarded([&]() -> base::Result<size_t> {
      prepared_.run->check();
      prepared_.root->next(rows_, wanted_);
      wanted_ = grown(wanted_);
      return rows_.rows();
    });
  }

  std::optional<model::Term> term(size_t row, size_t column) const override {
    const size_t source = columns_[column];
    const TermId id = source == no_column ? TermId() : rows_.at(row, source);
    if (!id.is_bound()) return std::nullopt;
    return prepared_.run->terms.term(id);
  }

 private:
  Query query_;
  QueryContext context_;
  Prepared prepared_;
  std::vector<std::string> names_;
  std::vector<size_t> columns_;
  Batch rows_;
  size_t wanted_ = first_batch_rows;
};

}  // namespace

base::Result<std::unique_ptr<Solutions>> run_select(Query query, const QueryContext& context) {
  QUADRILLE_CHECK(query.form == QueryForm::Select, "run_select was given another form of query");
  return guarded([&]() -> base::Result<std::unique_ptr<Solutions>> {
    auto solutions = std::make_unique<SelectSolutions>(std::move(query), context);
    QUADRILLE_TRY(solutions->start());
    return std::unique_ptr<Solutions>(std::move(solutions));
  });
}

base::Result<bool> run_ask(Query query, const QueryContext& context) {
  QUADRILLE_CHECK(query.form == QueryForm::Ask, "run_ask was given another form of query");
  return guarded([&]() -> base::Result<bool> {
    const auto dataset = resolve_dataset(context.dataset, query.dataset, nullptr, *context.source);
    QUADRILLE_ASSIGN(Prepared prepared, prepare(*query.pattern, {}, dataset, *context.source, context.limits));
    Batch rows;
    prepared.root->next(rows, 1);
    return rows.rows() > 0;
  });
}

base::Result<std::string> explain(Query query, const QueryContext& context) {
  return guarded([&]() -> base::Result<std::string> {
    const auto dataset = resolve_dataset(context.dataset, query.dataset, nullptr, *context.source);
    std::vector<sparql::Variable> wanted = query.variables;
    for (const auto& one : query.describe) {
      if (const auto* variable = std::get_if<sparql::Variable>(&one)) wanted.push_back(*variable);
    }
    QUADRILLE_ASSIGN(const auto plan, plan::make_plan(*query.pattern, wanted, dataset, *context.source));
    return plan::to_text(*plan, *context.source);
  });
}

}  // namespace quadrille::exec
