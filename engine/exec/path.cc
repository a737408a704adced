// Property paths that may repeat, and negated sets: from each row, along the path from the end that is known.
#include <algorithm>

#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/exec/path_walk.h"

namespace quadrille::exec {
namespace {

class PathOperator final : public Operator {
 public:
  PathOperator(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : plan_(plan), child_(std::move(child)), run_(run), walk_(plan.access.graph, run) {
    subject_ = place(plan.path_subject);
    object_ = place(plan.path_object);
  }

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    while (batch.rows() < wanted) {
      if (next_row_ == rows_.rows()) {
        child_->next(rows_, std::min(wanted, first_batch_rows));
        next_row_ = 0;
        if (rows_.rows() == 0) return;
      }
      run_.check();
      extend(static_cast<uint32_t>(next_row_++), batch);
    }
  }

 private:
  struct End {
    TermId constant;
    size_t source = no_column;  // among the child's columns
    size_t target = no_column;  // among the output's
  };

  End place(const plan::PathEnd& end) {
    End made;
    if (end.term) {
      made.constant = run_.terms.id_of(*end.term);
    } else {
      made.source = column_of(plan_.children[0]->columns, end.variable);
      made.target = column_of(plan_.columns, end.variable);
    }
    return made;
  }

  TermId known(const End& end, uint32_t row) const {
    return end.source == no_column ? end.constant : rows_.at(row, end.source);
  }

  void extend(uint32_t row, Batch& batch) {
    const TermId subject = known(subject_, row);
    const TermId object = known(object_, row);
    std::vector<TermId> ends;
    // Between two variables a path of no length joins only nodes of the graph, wherever their values come from.
    const bool is_between_variables = subject_.target != no_column && object_.target != no_column;
    if (is_between_variables && (subject.is_bound() || object.is_bound()) &&
        !walk_.is_node(subject.is_bound() ? subject : object)) {
      return;
    }
    if (subject.is_bound()) {
      walk_.follow(*plan_.path, subject, false, ends);
      for (TermId end : ends) {
        if (!object.is_bound() || end == object) emit(row, subject, end, batch);
      }
      return;
    }
    if (object.is_bound()) {
      walk_.follow(*plan_.path, object, true, ends);
      for (TermId end : ends) emit(row, end, object, batch);
      return;
    }
    for (TermId start : walk_.all_nodes()) {
      ends.clear();
      walk_.follow(*plan_.path, start, false, ends);
      for (TermId end : ends) emit(row, start, end, batch);
    }
  }

  void emit(uint32_t row, TermId subject, TermId object, Batch& batch) {
    const bool is_same_variable = subject_.target != no_column && subject_.target == object_.target;
    if (is_same_variable && subject != object) return;
    for (size_t column = 0; column < rows_.column_count(); ++column) {
      TermId value = rows_.at(row, column);
      if (column == subject_.target) value = subject;
      if (column == object_.target) value = object;
      batch.column(column).push_back(value);
    }
    if (subject_.target != no_column && subject_.source == no_column) batch.column(subject_.target).push_back(subject);
    if (object_.target != no_column && object_.source == no_column && !is_same_variable) {
      batch.column(object_.target).push_back(object);
    }
    batch.set_rows(batch.rows() + 1);
  }

  const plan::Plan& plan_;
  OperatorPointer child_;
  RunState& run_;
  PathWalk walk_;
  End subject_;
  End object_;
  Batch rows_;
  size_t next_row_ = 0;
};

}  // namespace

OperatorPointer make_path(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<PathOperator>(plan, std::move(child), run);
}

}  // namespace quadrille::exec
