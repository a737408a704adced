// GRAPH: the loop over named graphs, and their list.
#include <span>

#include "engine/exec/column_map.h"
#include "engine/exec/named_graphs.h"
#include "engine/exec/operators.h"

namespace quadrille::exec {

std::vector<TermId> graphs_with_quads(const model::QuadSource& source, const plan::GraphFilter& filter) {
  std::vector<TermId> found;
  auto scan = source.scan(model::QuadOrder::Gspo, {}, model::ColumnSet().with(model::Column::Graph));
  TermId graph;
  model::ScanBatch batch;
  batch.columns[static_cast<size_t>(model::Column::Graph)] = &graph;
  batch.capacity = 1;
  while (scan->next(batch) > 0) {
    if (filter.allows(graph)) found.push_back(graph);
    const TermId after(graph.bits() + 1);
    scan->skip_to(std::span(&after, 1));
  }
  return found;
}

bool has_quads(const model::QuadSource& source, TermId graph) {
  auto scan = source.scan(model::QuadOrder::Gspo, std::span(&graph, 1), model::ColumnSet().with(model::Column::Graph));
  TermId found;
  model::ScanBatch batch;
  batch.columns[static_cast<size_t>(model::Column::Graph)] = &found;
  batch.capacity = 1;
  return scan->next(batch) > 0;
}

namespace {

class NamedGraphs final : public Operator {
 public:
  NamedGraphs(const plan::Plan& plan, RunState& run) : plan_(plan), run_(run) {}
  void next(Batch& batch, size_t) override {
    batch.reset(plan_.columns.size());
    if (done_) return;
    done_ = true;
    const auto& graph = plan_.access.graph;
    batch.set_rows(has_quads(run_.source, graph.mode == plan::GraphMode::Current ? run_.current_graph : graph.graph));
  }

 private:
  const plan::Plan& plan_;
  RunState& run_;
  bool done_ = false;
};

// Runs its child once for each graph, which the patterns in it see as the current one. Where the child binds the
// graph's variable itself, both must agree.
class EachGraph final : public Operator {
 public:
  EachGraph(const plan::Plan& plan, RunState& run)
      : plan_(plan), run_(run), target_(column_of(plan.columns, plan.variable)) {}

  void next(Batch& batch, size_t wanted) override {
    if (!is_open_) graphs_ = graphs_with_quads(run_.source, *plan_.access.graph.filter);
    is_open_ = true;
    while (next_ < graphs_.size() || child_) {
      const Within within(run_, child_ ? graphs_[next_ - 1] : graphs_[next_]);
      if (!child_) {
        child_ = make_operator(*plan_.children[0], run_);
        ++next_;
      }
      child_->next(batch, wanted);
      if (batch.rows() == 0) {
        child_.reset();
        continue;
      }
      add_graph(batch, graphs_[next_ - 1]);
      if (batch.rows() > 0) return;
    }
    batch.reset(plan_.columns.size());
  }

 private:
  // Makes a graph the current one for as long as it lives.
  class Within {
   public:
    Within(RunState& run, TermId graph) : run_(run), before_(run.current_graph) { run.current_graph = graph; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    ~Within() { run_.current_graph = before_; }

   private:
    RunState& run_;
    TermId before_;
  };

  void add_graph(Batch& batch, TermId graph) {
    if (target_ == batch.column_count()) {
      Batch wider;
      wider.reset(batch.column_count() + 1);
      for (size_t i = 0; i < batch.column_count(); ++i) std::swap(wider.column(i), batch.column(i));
      wider.column(target_).assign(batch.rows(), graph);
      wider.set_rows(batch.rows());
      std::swap(batch, wider);
      return;
    }
    kept_.clear();
    Column& column = batch.column(target_);
    for (uint32_t row = 0; row < batch.rows(); ++row) {
      if (column[row].is_bound() && column[row] != graph) continue;
      column[row] = graph;
      kept_.push_back(row);
    }
    batch.keep(kept_);
  }

  const plan::Plan& plan_;
  RunState& run_;
  size_t target_;
  bool is_open_ = false;
  std::vector<TermId> graphs_;
  size_t next_ = 0;
  OperatorPointer child_;
  std::vector<uint32_t> kept_;
};

}  // namespace

OperatorPointer make_each_graph(const plan::Plan& plan, RunState& run) {
  return std::make_unique<EachGraph>(plan, run);
}
OperatorPointer make_named_graphs(const plan::Plan& plan, RunState& run) {
  return std::make_unique<NamedGraphs>(plan, run);
}

}  // namespace quadrille::exec
