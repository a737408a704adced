#include "engine/sparql/translate.h"

#include <algorithm>

namespace quadrille::sparql {
namespace {

PatternTree make_node(AlgebraKind kind, PatternTree left) {
  PatternTree out{std::make_unique<Algebra>(), left.depth + 1};
  out.root->kind = kind;
  out.root->left = std::move(left.root);
  return out;
}

PatternTree make_node(AlgebraKind kind, PatternTree left, PatternTree right) {
  const int depth = std::max(left.depth, right.depth) + 1;
  PatternTree out = make_node(kind, std::move(left));
  out.root->right = std::move(right.root);
  out.depth = depth;
  return out;
}

PatternTree make_leaf(AlgebraKind kind) {
  PatternTree out{std::make_unique<Algebra>(), 1};
  out.root->kind = kind;
  return out;
}

void set_expression(PatternTree& tree, ExpressionTree expression) {
  tree.depth = std::max(tree.depth, expression.depth + 1);
  tree.root->expression = std::move(expression.expression);
}

// Joins neighbours until one is left: a tree of logarithmic depth, in the order of the leaves.
template <class Tree, class Combine>
Tree balance(std::vector<Tree> trees, Combine combine) {
  while (trees.size() > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < trees.size(); i += 2) {
      Tree pair = i + 1 < trees.size() ? combine(std::move(trees[i]), std::move(trees[i + 1])) : std::move(trees[i]);
      trees[kept++] = std::move(pair);
    }
    trees.resize(kept);
  }
  return std::move(trees.front());
}

}  // namespace

ExpressionTree make_call(Function function, std::vector<ExpressionTree> arguments) {
  ExpressionTree out;
  out.expression.kind = ExpressionKind::Call;
  out.expression.function = function;
  out.expression.arguments.reserve(arguments.size());
  for (auto& argument : arguments) {
    out.depth = std::max(out.depth, argument.depth + 1);
    out.expression.arguments.push_back(std::move(argument.expression));
  }
  return out;
}

ExpressionTree make_call(Function function, ExpressionTree left, ExpressionTree right) {
  ExpressionTree out;
  out.expression.kind = ExpressionKind::Call;
  out.expression.function = function;
  out.depth = std::max(left.depth, right.depth) + 1;
  out.expression.arguments.reserve(2);
  out.expression.arguments.push_back(std::move(left.expression));
  out.expression.arguments.push_back(std::move(right.expression));
  return out;
}

ExpressionTree make_balanced(Function function, std::vector<ExpressionTree> operands) {
  return balance(std::move(operands), [function](ExpressionTree left, ExpressionTree right) {
    return make_call(function, std::move(left), std::move(right));
  });
}

ExpressionTree make_exists(ExpressionKind kind, PatternTree pattern) {
  ExpressionTree out;
  out.expression.kind = kind;
  out.expression.pattern = std::move(pattern.root);
  out.depth = pattern.depth + 1;
  return out;
}

PatternTree make_unit() { return make_leaf(AlgebraKind::BasicGraphPattern); }

bool is_unit(const PatternTree& pattern) {
  return pattern.root->kind == AlgebraKind::BasicGraphPattern && pattern.root->triples.empty();
}

PatternTree make_triples(std::vector<TriplePattern> triples) {
  PatternTree out = make_unit();
  out.root->triples = std::move(triples);
  return out;
}

PatternTree make_path(PatternTerm subject, Path path, PatternTerm object) {
  PatternTree out = make_leaf(AlgebraKind::PropertyPath);
  out.root->path_subject = std::move(subject);
  out.root->path = std::move(path);
  out.root->path_object = std::move(object);
  return out;
}

PatternTree make_join(PatternTree left, PatternTree right) {
  if (is_unit(left)) return right;
  if (is_unit(right)) return left;
  return make_node(AlgebraKind::Join, std::move(left), std::move(right));
}

PatternTree make_left_join(PatternTree left, PatternTree right, std::vector<ExpressionTree> conditions) {
  PatternTree out = make_node(AlgebraKind::LeftJoin, std::move(left), std::move(right));
  if (!conditions.empty()) set_expression(out, make_balanced(Function::And, std::move(conditions)));
  return out;
}

PatternTree make_minus(PatternTree left, PatternTree right) {
  return make_node(AlgebraKind::Minus, std::move(left), std::move(right));
}

PatternTree make_union(std::vector<PatternTree> alternatives) {
  return balance(std::move(alternatives), [](PatternTree left, PatternTree right) {
    return make_node(AlgebraKind::Union, std::move(left), std::move(right));
  });
}

PatternTree make_filter(PatternTree pattern, std::vector<ExpressionTree> conditions) {
  if (conditions.empty()) return pattern;
  PatternTree out = make_node(AlgebraKind::Filter, std::move(pattern));
  set_expression(out, make_balanced(Function::And, std::move(conditions)));
  return out;
}

PatternTree make_graph(PatternTerm graph, PatternTree pattern) {
  PatternTree out = make_node(AlgebraKind::Graph, std::move(pattern));
  out.root->graph = std::move(graph);
  return out;
}

PatternTree make_service(PatternTerm endpoint, bool silent, PatternTree pattern, std::string text) {
  PatternTree out = make_node(AlgebraKind::Service, std::move(pattern));
  out.root->graph = std::move(endpoint);
  out.root->silent = silent;
  out.root->service_text = std::move(text);
  return out;
}

PatternTree make_extend(PatternTree pattern, Variable variable, ExpressionTree expression) {
  PatternTree out = make_node(AlgebraKind::Extend, std::move(pattern));
  out.root->variable = std::move(variable);
  set_expression(out, std::move(expression));
  return out;
}

PatternTree make_values(ValuesTable values) {
  PatternTree out = make_leaf(AlgebraKind::Values);
  out.root->values = std::move(values);
  return out;
}

PatternTree make_group(PatternTree pattern, std::vector<std::pair<Variable, ExpressionTree>> keys,
                       std::vector<Aggregate> aggregates, int aggregates_depth) {
  PatternTree out = make_node(AlgebraKind::Group, std::move(pattern));
  out.depth = std::max(out.depth, aggregates_depth + 1);
  out.root->group_keys.reserve(keys.size());
  for (auto& [variable, key] : keys) {
    out.depth = std::max(out.depth, key.depth + 1);
    out.root->group_keys.emplace_back(std::move(variable), std::move(key.expression));
  }
  out.root->aggregates = std::move(aggregates);
  return out;
}

PatternTree make_order(PatternTree pattern, std::vector<OrderCondition> order, int order_depth) {
  if (order.empty()) return pattern;
  PatternTree out = make_node(AlgebraKind::OrderBy, std::move(pattern));
  out.depth = std::max(out.depth, order_depth + 1);
  out.root->order = std::move(order);
  return out;
}

PatternTree make_project(PatternTree pattern, std::vector<Variable> variables) {
  PatternTree out = make_node(AlgebraKind::Project, std::move(pattern));
  out.root->projection = std::move(variables);
  return out;
}

PatternTree make_distinct(PatternTree pattern) { return make_node(AlgebraKind::Distinct, std::move(pattern)); }

PatternTree make_reduced(PatternTree pattern) { return make_node(AlgebraKind::Reduced, std::move(pattern)); }

PatternTree make_slice(PatternTree pattern, uint64_t offset, std::optional<uint64_t> limit) {
  if (offset == 0 && !limit) return pattern;
  PatternTree out = make_node(AlgebraKind::Slice, std::move(pattern));
  out.root->offset = offset;
  out.root->limit = limit;
  return out;
}

}  // namespace quadrille::sparql
