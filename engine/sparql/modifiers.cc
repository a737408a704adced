// What follows WHERE, and what a whole query means. Grammar rules 18 to 28; sections 18.2.4 and 18.2.5.
#include <unordered_map>
#include <unordered_set>

#include "engine/sparql/assigned.h"
#include "engine/sparql/parser.h"
#include "engine/sparql/scope.h"

namespace quadrille::sparql {

std::string describe(const Variable& variable) { return "?" + variable.name; }

bool Parser::solution_modifiers(SolutionParts& parts) {
  return group_by(parts) && having(parts) && order_by(parts) && limit_and_offset(parts) && values_clause(parts);
}

bool Parser::group_by(SolutionParts& parts) {
  if (!in_.take_word("GROUP")) return true;
  if (!in_.expect_word("BY")) return false;
  const Assigned<AggregateScope*> no_aggregates(aggregates_, nullptr);
  do {
    if (!group_key(parts.group_keys.emplace_back())) return false;
  } while (in_.at(TokenKind::Variable) || at_constraint());
  return true;
}

bool Parser::group_key(GroupKey& out) {
  out.has_name = false;
  out.offset = in_.current().offset;
  if (in_.at(TokenKind::LeftParenthesis)) {
    in_.advance();
    if (!expression(out.expression)) return false;
    out.has_name = in_.take_word("AS");
    out.offset = in_.current().offset;
    if (out.has_name && !variable(out.variable)) return false;
    if (!in_.expect(TokenKind::RightParenthesis, out.has_name ? "')'" : "an operator, AS or ')'")) return false;
  } else if (in_.at(TokenKind::Variable)) {
    if (!primary_expression(out.expression)) return false;
  } else if (at_constraint()) {
    if (!constraint(out.expression)) return false;
  } else {
    return in_.fail_expected("a variable, a call of a function or an expression in parentheses");
  }
  if (out.has_name) return true;
  const bool is_variable = out.expression.expression.kind == ExpressionKind::Variable;
  out.variable = is_variable ? out.expression.expression.variable : make_hidden();
  return true;
}

bool Parser::having(SolutionParts& parts) {
  if (!in_.take_word("HAVING")) return true;
  do {
    if (!constraint(parts.having.emplace_back())) return false;
  } while (at_constraint());
  return true;
}

bool Parser::order_by(SolutionParts& parts) {
  if (!in_.take_word("ORDER")) return true;
  if (!in_.expect_word("BY")) return false;
  do {
    OrderCondition& condition = parts.order.emplace_back();
    ExpressionTree key;
    condition.descending = in_.at_word("DESC");
    if (in_.take_word("DESC") || in_.take_word("ASC")) {
      if (!parenthesized(key)) return false;
    } else if (in_.at(TokenKind::Variable)) {
      if (!primary_expression(key)) return false;
    } else if (at_constraint()) {
      if (!constraint(key)) return false;
    } else {
      return in_.fail_expected("ASC, DESC, a variable, a call of a function or an expression in parentheses");
    }
    parts.order_depth = std::max(parts.order_depth, key.depth);
    condition.expression = std::move(key.expression);
  } while (in_.at_word("ASC") || in_.at_word("DESC") || in_.at(TokenKind::Variable) || at_constraint());
  return true;
}

bool Parser::limit_and_offset(SolutionParts& parts) {
  bool has_offset = false;
  for (;;) {
    if (!parts.limit && in_.take_word("LIMIT")) {
      if (!whole_number(parts.limit.emplace())) return false;
    } else if (!has_offset && in_.take_word("OFFSET")) {
      has_offset = true;
      if (!whole_number(parts.offset)) return false;
    } else {
      note_modifiers_left(parts, has_offset);
      return true;
    }
  }
}

void Parser::note_modifiers_left(const SolutionParts& parts, bool has_offset) {
  const bool is_sliced = parts.limit || has_offset;
  const bool is_ordered = is_sliced || !parts.order.empty();
  const bool is_filtered = is_ordered || !parts.having.empty();
  const bool is_grouped = is_filtered || !parts.group_keys.empty();
  modifiers_left_.clear();
  const auto add = [&](bool is_past, std::string_view name) {
    if (is_past) return;
    if (!modifiers_left_.empty()) modifiers_left_ += ", ";
    modifiers_left_ += name;
  };
  add(is_grouped, "GROUP BY");
  add(is_filtered, "HAVING");
  add(is_ordered, "ORDER BY");
  add(parts.limit.has_value(), "LIMIT");
  add(has_offset, "OFFSET");
  add(false, "VALUES");
}

bool Parser::values_clause(SolutionParts& parts) {
  if (!in_.take_word("VALUES")) return true;
  modifiers_left_.clear();
  return values_table(parts.values.emplace());
}

bool Parser::check_group_keys(SolutionParts& parts) {
  std::unordered_set<std::string> seen;
  std::vector<GroupKey> kept;
  for (auto& key : parts.group_keys) {
    const bool is_new = seen.insert(key.variable.name).second;
    if (key.has_name && (!is_new || is_visible(*parts.pattern.root, key.variable))) {
      return in_.fail_at(key.offset, "found " + describe(key.variable) + " behind AS, expected a variable that is new");
    }
    if (is_new) kept.push_back(std::move(key));
  }
  parts.group_keys = std::move(kept);
  return true;
}

// Section 18.2.4.1: above a group, a variable that is no key stands for any of its values in the group.
void Parser::sample_ungrouped(SolutionParts& parts) {
  std::unordered_set<std::string_view> kept;
  for (const auto& key : parts.group_keys) kept.insert(key.variable.name);
  std::unordered_map<std::string, Variable> samples;
  const auto replace = [&](Variable& read) {
    if (read.is_hidden() || kept.contains(read.name)) return;
    const auto [sample, is_new] = samples.try_emplace(read.name);
    if (is_new) {
      Aggregate made;
      made.kind = AggregateKind::Sample;
      made.argument = Expression::of(read);
      made.result = sample->second = make_hidden();
      parts.aggregates.aggregates.push_back(std::move(made));
      parts.aggregates.depth = std::max(parts.aggregates.depth, 1);
    }
    read = sample->second;
  };
  for (auto& condition : parts.having) for_each_variable(condition.expression, replace);
  for (const auto& item : parts.select.items) {
    if (item.expression) kept.insert(item.variable.name);  // ORDER BY sees what SELECT names
  }
  for (auto& condition : parts.order) for_each_variable(condition.expression, replace);
}

// Groups, HAVING, and the VALUES behind a query.
bool Parser::make_solutions(SolutionParts& parts, PatternTree& out) {
  out = std::move(parts.pattern);
  if (parts.is_grouped()) {
    sample_ungrouped(parts);
    std::vector<std::pair<Variable, ExpressionTree>> keys;
    keys.reserve(parts.group_keys.size());
    for (auto& key : parts.group_keys) keys.emplace_back(key.variable, std::move(key.expression));
    out = make_group(std::move(out), std::move(keys), std::move(parts.aggregates.aggregates), parts.aggregates.depth);
  }
  out = make_filter(std::move(out), std::move(parts.having));
  if (parts.values) out = make_join(std::move(out), make_values(*std::move(parts.values)));
  return check_depth(out.depth);
}

bool Parser::extend_selected(SolutionParts& parts, bool is_grouped, PatternTree& tree, std::vector<Variable>& columns) {
  std::unordered_set<std::string> known;  // what may be read above a group
  for (const auto& key : parts.group_keys) known.insert(key.variable.name);
  std::unordered_set<std::string> chosen;
  for (auto& item : parts.select.items) {
    const auto refuse_ungrouped = [&](const Variable& read) {
      return in_.fail_at(item.offset, "found " + describe(read) + " in a SELECT with groups, expected a variable of " +
                                          "GROUP BY, or an aggregate of it");
    };
    if (!item.expression) {
      if (is_grouped && !known.contains(item.variable.name)) return refuse_ungrouped(item.variable);
      if (chosen.insert(item.variable.name).second) columns.push_back(item.variable);
      continue;
    }
    bool is_grouped_right = true;
    for_each_variable(std::as_const(item.expression->expression), [&](const Variable& read) {
      if (!is_grouped || read.is_hidden() || known.contains(read.name) || !is_grouped_right) return;
      is_grouped_right = refuse_ungrouped(read);
    });
    if (!is_grouped_right) return false;
    if (!chosen.insert(item.variable.name).second || is_visible(*tree.root, item.variable)) {
      return in_.fail_at(item.offset,
                         "found " + describe(item.variable) + " behind AS, expected a variable that is new");
    }
    known.insert(item.variable.name);
    columns.push_back(item.variable);
    tree = make_extend(std::move(tree), std::move(item.variable), *std::move(item.expression));
    if (!check_depth(tree.depth)) return false;
  }
  return true;
}

bool Parser::make_select(SolutionParts& parts, PatternTree& out, std::vector<Variable>& columns) {
  const bool is_grouped = parts.is_grouped();  // make_solutions takes the aggregates away
  if (parts.select.is_star && is_grouped) {
    return in_.fail_at(parts.select.offset, "found '*' in a SELECT with groups, expected variables or expressions");
  }
  if (!check_group_keys(parts) || !make_solutions(parts, out)) return false;
  if (parts.select.is_star) {
    columns = visible_variables(*out.root);
  } else if (!extend_selected(parts, is_grouped, out, columns)) {
    return false;
  }
  out = make_order(std::move(out), std::move(parts.order), parts.order_depth);
  out = make_project(std::move(out), columns);
  if (parts.select.is_distinct) out = make_distinct(std::move(out));
  if (parts.select.is_reduced) out = make_reduced(std::move(out));
  out = make_slice(std::move(out), parts.offset, parts.limit);
  return check_depth(out.depth);
}

// ASK, CONSTRUCT and DESCRIBE: no projection.
bool Parser::make_plain(SolutionParts& parts, std::unique_ptr<Algebra>& out) {
  PatternTree tree;
  if (!check_group_keys(parts) || !make_solutions(parts, tree)) return false;
  tree = make_order(std::move(tree), std::move(parts.order), parts.order_depth);
  tree = make_slice(std::move(tree), parts.offset, parts.limit);
  if (!check_depth(tree.depth)) return false;
  out = std::move(tree.root);
  return true;
}

}  // namespace quadrille::sparql
