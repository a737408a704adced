// The operators of the algebra as functions, with the simplifications of section 18.2.2.8.
//
// Each tree carries its depth, so that the parser can refuse one that would be too deep to walk or to destroy by
// recursion. What is associative and may be long (OR, AND, UNION) is built balanced, in the order of writing.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sparql/algebra.h"

namespace quadrille::sparql {

struct ExpressionTree {
  Expression expression;
  int depth = 1;
};

// `root` is never null outside of a parse function that failed.
struct PatternTree {
  std::unique_ptr<Algebra> root;
  int depth = 1;
};

ExpressionTree make_call(Function function, std::vector<ExpressionTree> arguments);
ExpressionTree make_call(Function function, ExpressionTree left, ExpressionTree right);
// `operands`: at least one.
ExpressionTree make_balanced(Function function, std::vector<ExpressionTree> operands);
ExpressionTree make_exists(ExpressionKind kind, PatternTree pattern);

// One solution without bindings.
PatternTree make_unit();
bool is_unit(const PatternTree& pattern);

PatternTree make_triples(std::vector<TriplePattern> triples);
PatternTree make_path(PatternTerm subject, Path path, PatternTerm object);
PatternTree make_join(PatternTree left, PatternTree right);
PatternTree make_left_join(PatternTree left, PatternTree right, std::vector<ExpressionTree> conditions);
PatternTree make_minus(PatternTree left, PatternTree right);
// `alternatives`: at least one.
PatternTree make_union(std::vector<PatternTree> alternatives);
// All conditions must hold; none: the pattern itself.
PatternTree make_filter(PatternTree pattern, std::vector<ExpressionTree> conditions);
PatternTree make_graph(PatternTerm graph, PatternTree pattern);
PatternTree make_service(PatternTerm endpoint, bool silent, PatternTree pattern, std::string text);
PatternTree make_extend(PatternTree pattern, Variable variable, ExpressionTree expression);
PatternTree make_values(ValuesTable values);
PatternTree make_group(PatternTree pattern, std::vector<std::pair<Variable, ExpressionTree>> keys,
                       std::vector<Aggregate> aggregates, int aggregates_depth);
PatternTree make_order(PatternTree pattern, std::vector<OrderCondition> order, int order_depth);
PatternTree make_project(PatternTree pattern, std::vector<Variable> variables);
PatternTree make_distinct(PatternTree pattern);
PatternTree make_reduced(PatternTree pattern);
PatternTree make_slice(PatternTree pattern, uint64_t offset, std::optional<uint64_t> limit);

}  // namespace quadrille::sparql
