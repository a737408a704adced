// What the families of functions are written with. Nobody but the files expression_*.cc and its kin includes this.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/exec/expression.h"
#include "engine/exec/inline_integer.h"
#include "engine/exec/run_state.h"
#include "engine/model/term.h"
#include "engine/model/value.h"
#include "engine/sparql/expression.h"

namespace quadrille::exec {

using Arguments = std::vector<ExpressionPointer>;

inline TermId boolean_id(bool value) noexcept { return TermId(model::TermTag::Boolean, value ? 1 : 0); }

enum class Truth : uint8_t { False, True, Error };
inline TermId truth_id(Truth truth) noexcept {
  return truth == Truth::Error ? TermId() : boolean_id(truth == Truth::True);
}
// The effective boolean value (SPARQL 1.1 Query, section 17.2.2).
Truth truth_of(TermId id, const TransientTerms& terms);

// A string argument (section 17.4.3.1.1): a plain string or a language-tagged one; nothing for all else.
std::optional<model::Term> string_argument(TermId id, const TransientTerms& terms);

// A function whose arguments must all be bound, a call a row of `f`, which is part of the loop.
template <size_t count, class F>
class PerRow final : public ExpressionNode {
 public:
  PerRow(Arguments arguments, F f) : arguments_(std::move(arguments)), f_(std::move(f)) {}

  const Column& evaluate(const Batch& batch) override {
    std::array<const TermId*, count> columns;
    for (size_t i = 0; i < count; ++i) columns[i] = arguments_[i]->evaluate(batch).data();
    out_.resize(batch.rows());
    for (size_t row = 0; row < batch.rows(); ++row) out_[row] = call(columns, row, std::make_index_sequence<count>());
    return out_;
  }

 private:
  template <size_t... i>
  TermId call(const std::array<const TermId*, count>& columns, [[maybe_unused]] size_t row, std::index_sequence<i...>) {
    if (!(columns[i][row].is_bound() && ...)) return TermId();
    return f_(columns[i][row]...);
  }

  Arguments arguments_;
  F f_;
  Column out_;
};

template <size_t count, class F>
ExpressionPointer per_row(Arguments arguments, F f) {
  return std::make_unique<PerRow<count, F>>(std::move(arguments), std::move(f));
}

// The families. Each makes the node of a function of its own, or returns null for the functions of others.
ExpressionPointer make_logic_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_comparison_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_number_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_term_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_string_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_regex_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_date_call(sparql::Function function, Arguments& arguments, RunState& run);
ExpressionPointer make_hash_call(sparql::Function function, Arguments& arguments, RunState& run);
// A call by IRI: the casts of XSD.
ExpressionPointer make_cast(const std::string& iri, Arguments& arguments, RunState& run);
ExpressionPointer make_exists(const plan::ExistsPlan& exists, bool wanted, const std::vector<plan::VariableId>& columns,
                              RunState& run);

// The comparisons as functions of two ids, for IN, ORDER BY and aggregates as well.
Truth equal(TermId left, TermId right, const TransientTerms& terms);
// SPARQL's order of two terms; nothing: a type error.
std::optional<std::partial_ordering> compare(TermId left, TermId right, const TransientTerms& terms);

// The time of the query, which NOW() gives.
model::Value moment_of(int64_t now_ms);

}  // namespace quadrille::exec
