#include <utility>

#include "engine/exec/kept_rows.h"
#include "engine/exec/operators.h"
#include "engine/exec/pipeline.h"
#include "engine/exec/profile.h"

namespace quadrille::exec {

using plan::Plan;
using plan::PlanKind;

namespace {

class FeedReader final : public Operator {
 public:
  FeedReader(Feed& feed, size_t columns) : feed_(feed), columns_(columns) {}
  void next(Batch& batch, size_t) override {
    batch.reset(columns_);
    if (!feed_.is_empty()) feed_.take(batch);
  }

 private:
  Feed& feed_;
  size_t columns_;
};

// The right side of a join: the one that the pipeline has, if there is one.
std::shared_ptr<KeptRows> kept_side(const Plan& join, RunState& run) {
  const Pipeline* pipeline = run.pipeline;
  const auto make = [&] {
    const Plan& right = *join.children[1];
    run.pipeline = nullptr;  // it is no part of it
    auto side = std::make_shared<KeptRows>(make_operator(right, run), right.columns, join.keys, run);
    run.pipeline = pipeline;
    return side;
  };
  return pipeline == nullptr ? make() : pipeline->parts.sides.find_or_make(join, make);
}

OperatorPointer make_unobserved(const Plan& plan, RunState& run) {
  const auto child = [&](size_t index) { return make_operator(*plan.children[index], run); };
  switch (plan.kind) {
    case PlanKind::Nothing: return make_nothing(plan);
    case PlanKind::OneRow: return make_one_row();
    case PlanKind::Seed: return make_seed(plan, run);
    case PlanKind::Scan: return make_scan(plan, run);
    case PlanKind::IndexJoin: return make_index_join(plan, child(0), run);
    case PlanKind::HashJoin: {
      OperatorPointer left = child(0);
      return make_hash_join(plan, std::move(left), kept_side(plan, run), run);
    }
    case PlanKind::Lateral: return make_lateral(plan, child(0), run);
    case PlanKind::Minus: {
      OperatorPointer left = child(0);
      return make_minus(plan, std::move(left), kept_side(plan, run), run);
    }
    case PlanKind::Filter: return make_filter(plan, child(0), run);
    case PlanKind::Extend: return make_extend(plan, child(0), run);
    case PlanKind::Union: {
      std::vector<OperatorPointer> children;
      for (size_t i = 0; i < plan.children.size(); ++i) children.push_back(child(i));
      return make_union(plan, std::move(children));
    }
    case PlanKind::Values: return make_values(plan, run);
    case PlanKind::Path: return make_path(plan, child(0), run);
    case PlanKind::EachGraph: return make_each_graph(plan, run);
    case PlanKind::NamedGraphs: return make_named_graphs(plan, run);
    case PlanKind::Group: return make_group(plan, child(0), run);
    case PlanKind::OrderBy: return make_order_by(plan, child(0), run);
    case PlanKind::Project: return make_project(plan, child(0));
    case PlanKind::Distinct: return make_distinct(plan, child(0), run);
    case PlanKind::Service: return make_service(plan, run);
    case PlanKind::Slice: return make_slice(plan, child(0));
  }
  return make_nothing(plan);
}

}  // namespace

OperatorPointer make_operator(const Plan& plan, RunState& run) {
  if (run.pipeline != nullptr && &plan == &run.pipeline->leaf) {
    return std::make_unique<FeedReader>(run.pipeline->feed, plan.columns.size());
  }
  if (plan.leaf != nullptr && run.tasks() != nullptr && run.pipeline == nullptr) {
    return make_gather(plan, run);
  }
  OperatorPointer made = make_unobserved(plan, run);
  return run.profile == nullptr ? std::move(made) : run.profile->observe(plan, run.source, std::move(made));
}

}  // namespace quadrille::exec
