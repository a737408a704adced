#include "engine/exec/memo.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/exec/transient_terms.h"

namespace quadrille::exec {

using sparql::Expression;
using sparql::ExpressionKind;
using sparql::Function;

namespace {

constexpr size_t entries_max = size_t{1} << 18;  // 12 MiB

class Remembering final : public ExpressionNode {
 public:
  Remembering(ExpressionPointer node, size_t column, RunState& run)
      : node_(std::move(node)),
        column_(column),
        rows_worth_it_(static_cast<size_t>(run.tuning.rows_worth_remembering)),
        run_(run),
        memory_(run) {}

  const Column& evaluate(const Batch& batch) override {
    if (!is_on_ || (slots_.empty() && batch.rows() < rows_worth_it_)) return node_->evaluate(batch);
    if (slots_.empty() && !resize(1024)) return node_->evaluate(batch);
    const Column& values = batch.column(column_);
    out_.resize(batch.rows());
    compute_unknown(batch);
    if (!is_on_) return node_->evaluate(batch);
    for (size_t row = 0; row < batch.rows(); ++row) {
      // Rows of one value often follow each other.
      out_[row] = row > 0 && values[row] == values[row - 1] ? out_[row - 1] : find(values[row])->result;
    }
    return out_;
  }

 private:
  struct Slot {
    TermId value;
    TermId result;
    bool is_used = false;
  };

  Slot* find(TermId value) {
    size_t at = std::hash<TermId>()(value) & (slots_.size() - 1);
    while (slots_[at].is_used && slots_[at].value != value) at = (at + 1) & (slots_.size() - 1);
    return &slots_[at];
  }

  // Has the node compute the values of the batch that are not known yet, each once.
  void compute_unknown(const Batch& batch) {
    const Column& values = batch.column(column_);
    unknown_.reset(batch.column_count());
    Column& wanted = unknown_.column(column_);
    for (size_t row = 0; row < batch.rows(); ++row) {
      if (row > 0 && values[row] == values[row - 1]) continue;
      Slot* slot = find(values[row]);
      if (slot->is_used) continue;
      slot->is_used = true;
      slot->value = values[row];
      wanted.push_back(values[row]);
      if (++entries_ * 2 > slots_.size() && !resize(slots_.size() * 2)) return;
    }
    if (wanted.empty()) return;
    std::sort(wanted.begin(), wanted.end());  // terms of neighbouring ids lie together
    unknown_.set_rows(wanted.size());
    const Column& results = node_->evaluate(unknown_);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!TransientTerms::is_never_forgotten(results[i])) return turn_off();
      find(wanted[i])->result = results[i];
    }
    if (entries_ > entries_max) turn_off();
  }

  void turn_off() {
    is_on_ = false;
    slots_.clear();
    slots_.shrink_to_fit();
    memory_.give_back();
  }

  // False, and turned off, where the run has no memory for so many slots.
  bool resize(size_t size) {
    const size_t more = (size - slots_.size()) * sizeof(Slot);
    if (!run_.has_memory_for(more)) {
      turn_off();
      return false;
    }
    memory_.take(more);
    std::vector<Slot> before(size);
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.is_used) *find(slot.value) = slot;
    }
    return true;
  }

  ExpressionPointer node_;
  size_t column_;
  size_t rows_worth_it_;
  RunState& run_;
  MemoryUse memory_;
  std::vector<Slot> slots_;
  size_t entries_ = 0;
  bool is_on_ = true;
  Batch unknown_;
  Column out_;
};

bool is_cheap(Function function) {
  switch (function) {
    case Function::Or:
    case Function::And:
    case Function::Not:
    case Function::Equal:
    case Function::NotEqual:
    case Function::Less:
    case Function::LessOrEqual:
    case Function::Greater:
    case Function::GreaterOrEqual:
    case Function::SameTerm:
    case Function::Add:
    case Function::Subtract:
    case Function::Multiply:
    case Function::Divide:
    case Function::Negate:
    case Function::Plus:
    case Function::Bound:
    case Function::If:
    case Function::Coalesce:
    case Function::In:
    case Function::NotIn: return true;
    default: return false;
  }
}

struct Summary {
  const std::string* variable = nullptr;
  bool is_dear = false;
  bool is_fit = true;
};

void summarize(const Expression& expression, Summary& summary) {
  if (expression.kind == ExpressionKind::Variable) {
    if (summary.variable != nullptr && *summary.variable != expression.variable.name) summary.is_fit = false;
    summary.variable = &expression.variable.name;
  }
  if (expression.pattern) summary.is_fit = false;
  if (expression.kind == ExpressionKind::Call) {
    if (sparql::draws_on_chance(expression.function) || expression.function == Function::Now) summary.is_fit = false;
    if (!is_cheap(expression.function)) summary.is_dear = true;
  }
  for (const auto& argument : expression.arguments) summarize(argument, summary);
}

}  // namespace

bool is_worth_remembering(const Expression& expression) {
  Summary summary;
  summarize(expression, summary);
  return summary.is_fit && summary.is_dear && summary.variable != nullptr;
}

ExpressionPointer remember_results(ExpressionPointer node, size_t column, RunState& run) {
  return std::make_unique<Remembering>(std::move(node), column, run);
}

}  // namespace quadrille::exec
