// SELECT, ASK and EXPLAIN.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/exec/column_map.h"
#include "engine/exec/dataset.h"
#include "engine/exec/prepared.h"
#include "engine/exec/profile.h"
#include "engine/exec/run.h"
#include "engine/exec/template.h"

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

namespace {

std::vector<sparql::Variable> wanted_of(const Query& query) {
  std::vector<sparql::Variable> wanted = query.variables;
  for (const auto& one : query.describe) {
    if (const auto* variable = std::get_if<sparql::Variable>(&one)) wanted.push_back(*variable);
  }
  for (const auto& variable : variables_of(query.construct)) wanted.push_back(variable);
  return wanted;
}

std::string figures_text(const Profile& profile, const plan::Plan& plan) {
  const OperatorFigures* figures = profile.find(plan);
  if (figures == nullptr) return ", never run";
  int64_t below = 0;
  uint64_t blocks_below = 0;
  const auto subtract = [&](const plan::Plan* inner) {
    const OperatorFigures* of_inner = inner == nullptr ? nullptr : profile.find(*inner);
    if (of_inner == nullptr) return;
    blocks_below += of_inner->blocks;
    below += of_inner->waited_us.value_or(of_inner->time_us);
  };
  for (const auto& child : plan.children) subtract(child.get());
  plan::for_each_expression(plan, [&](const plan::PlannedExpression& expression) {
    for (const auto& [source, exists] : expression.exists) {
      subtract(exists->plan.get());
      subtract(exists->whole.get());
    }
  });
  std::string text =
      fmt::format(", really {}, {:.3f} ms, {} batches", figures->rows,
                  static_cast<double>(std::max(int64_t{0}, figures->time_us - below)) / 1000, figures->batches);
  if (figures->lookups > 0) text += fmt::format(", {} look-ups", figures->lookups);
  if (figures->blocks > blocks_below) text += fmt::format(", {} blocks read", figures->blocks - blocks_below);
  if (figures->requests > 0) text += fmt::format(", {} requests", figures->requests);
  if (figures->has_switched) text += ", then hashed";
  if (figures->spilled_bytes > 0) {
    text += fmt::format(", {:.1f} MiB to disk", static_cast<double>(figures->spilled_bytes) / (1 << 20));
  }
  return text;
}

}  // namespace

base::Result<std::string> profile(Query query, const QueryContext& context) {
  QUADRILLE_CHECK(context.limits.steady_clock != nullptr, "a profile needs a clock");
  return guarded([&]() -> base::Result<std::string> {
    const auto dataset = resolve_dataset(context.dataset, query.dataset, nullptr, *context.source);
    Profile observed(*context.limits.steady_clock);
    RunLimits limits = context.limits;
    limits.profile = &observed;
    QUADRILLE_ASSIGN(Prepared prepared, prepare(*query.pattern, wanted_of(query), dataset, *context.source, limits));
    Batch rows;
    for (size_t wanted = first_batch_rows;; wanted = grown(wanted)) {
      prepared.run->check();
      prepared.root->next(rows, wanted);
      if (rows.rows() == 0) break;
    }
    return plan::to_text(*prepared.plan, *context.source,
                         [&](const plan::Plan& plan) { return figures_text(observed, plan); });
  });
}

base::Result<std::string> explain(Query query, const QueryContext& context) {
  return guarded([&]() -> base::Result<std::string> {
    const auto dataset = resolve_dataset(context.dataset, query.dataset, nullptr, *context.source);
    QUADRILLE_ASSIGN(const auto plan, plan::make_plan(*query.pattern, wanted_of(query), dataset, *context.source,
                                                      context.limits.plan_memory, context.limits.tuning));
    return plan::to_text(*plan, *context.source);
  });
}

}  // namespace quadrille::exec
