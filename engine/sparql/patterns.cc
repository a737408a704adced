// Group graph patterns. Grammar rules 53 to 68, 61 to 65 for VALUES; section 18.2.2.
#include <unordered_set>

#include "engine/sparql/assigned.h"
#include "engine/sparql/parser.h"
#include "engine/sparql/scope.h"

namespace quadrille::sparql {
namespace {

constexpr TriplePlace pattern_place = {"a pattern", true, true, true, true, false};

}  // namespace

bool Parser::group(PatternTree& out) {
  std::vector<ExpressionTree> filters;
  if (!group_with_filters(out, filters)) return false;
  out = make_filter(std::move(out), std::move(filters));
  return check_depth(out.depth);
}

// The filters are handed out apart, since those of an OPTIONAL are the condition of the left join.
bool Parser::group_with_filters(PatternTree& out, std::vector<ExpressionTree>& filters) {
  Nesting level(*this);
  if (!level.check()) return false;
  const Assigned<AggregateScope*> no_aggregates(aggregates_, nullptr);
  const Assigned<bool> outside(is_inside_aggregate_, false);
  if (!in_.expect(TokenKind::LeftBrace, "'{'")) return false;
  if (in_.at_word("SELECT")) {
    if (!sub_select(out)) return false;
    const std::string end = "'}', since the group is a sub-query";
    return in_.expect(TokenKind::RightBrace, modifiers_left_.empty() ? end : modifiers_left_ + " or " + end);
  }
  GroupState state{make_unit(), {&pattern_place, 0, {}}, {}};
  if (!group_body(state)) return false;
  out = std::move(state.tree);
  filters = std::move(state.filters);
  return true;
}

bool Parser::group_body(GroupState& state) {
  bool may_start_triples = true;
  while (!in_.take(TokenKind::RightBrace)) {
    if (may_start_triples && at_triples_start()) {
      if (state.block.id == 0) state.block.id = ++block_count_;
      if (!triples_block(state.block)) return false;
      may_start_triples = false;
    } else if (at_group_element()) {
      if (!group_element(state)) return false;
      in_.take(TokenKind::Dot);
      may_start_triples = true;
    } else {
      return in_.fail_expected(may_start_triples || state.block.ends_with_dot
                                   ? "a triple, a graph pattern (OPTIONAL, FILTER, '{' ...) or '}'"
                                   : "'.', ';', ',', '}' or a graph pattern (OPTIONAL, FILTER, '{' ...)");
    }
  }
  return close_block(state);
}

bool Parser::at_group_element() const noexcept {
  if (in_.at(TokenKind::LeftBrace)) return true;
  if (!in_.at(TokenKind::Word)) return false;
  for (const std::string_view word : {"OPTIONAL", "FILTER", "BIND", "GRAPH", "VALUES", "MINUS", "SERVICE"}) {
    if (in_.at_word(word)) return true;
  }
  return false;
}

bool Parser::group_element(GroupState& state) {
  if (in_.at_word("FILTER")) return filter_element(state);  // does not end a basic graph pattern
  if (!close_block(state)) return false;
  if (in_.at_word("OPTIONAL")) return optional_element(state);
  if (in_.at_word("BIND")) return bind_element(state);
  if (in_.at_word("GRAPH")) return graph_element(state);
  if (in_.at_word("VALUES")) return values_element(state);
  if (in_.at_word("MINUS")) return minus_element(state);
  if (in_.at_word("SERVICE")) return service_element(state);
  return union_element(state);
}

bool Parser::close_block(GroupState& state) {
  for (auto& part : state.block.parts) {
    if (!join_to(state, std::move(part))) return false;
  }
  state.block.parts.clear();
  state.block.id = 0;
  return true;
}

bool Parser::join_to(GroupState& state, PatternTree pattern) {
  state.tree = make_join(std::move(state.tree), std::move(pattern));
  return check_depth(state.tree.depth);
}

bool Parser::optional_element(GroupState& state) {
  in_.advance();
  PatternTree right;
  std::vector<ExpressionTree> filters;
  if (!group_with_filters(right, filters)) return false;
  state.tree = make_left_join(std::move(state.tree), std::move(right), std::move(filters));
  return check_depth(state.tree.depth);
}

bool Parser::minus_element(GroupState& state) {
  in_.advance();
  PatternTree right;
  if (!group(right)) return false;
  state.tree = make_minus(std::move(state.tree), std::move(right));
  return check_depth(state.tree.depth);
}

bool Parser::graph_element(GroupState& state) {
  in_.advance();
  PatternTerm graph;
  PatternTree pattern;
  if (!variable_or_iri(graph) || !group(pattern)) return false;
  return join_to(state, make_graph(std::move(graph), std::move(pattern)));
}

bool Parser::service_element(GroupState& state) {
  in_.advance();
  const bool is_silent = in_.take_word("SILENT");
  PatternTerm endpoint;
  if (!variable_or_iri(endpoint)) return false;
  const size_t start = in_.current().offset;
  PatternTree pattern;
  {
    const Assigned<int> inside(services_, services_ + 1);
    if (!group(pattern)) return false;
  }
  // What stands inside of another SERVICE is for that endpoint to ask: it has the text.
  std::string text = services_ == 0 ? service_text(start, in_.previous_end()) : std::string();
  if (!spend(text.size())) return false;
  return join_to(state, make_service(std::move(endpoint), is_silent, std::move(pattern), std::move(text)));
}

bool Parser::filter_element(GroupState& state) {
  in_.advance();
  return constraint(state.filters.emplace_back());
}

bool Parser::bind_element(GroupState& state) {
  in_.advance();
  if (!in_.expect(TokenKind::LeftParenthesis, "'('")) return false;
  ExpressionTree value;
  if (!expression(value) || !in_.expect_word("AS")) return false;
  if (in_.at(TokenKind::Variable)) {
    const Variable named{std::string(in_.current().text.substr(1))};
    if (is_visible(*state.tree.root, named)) {
      return in_.fail_expected("a variable that the group before BIND does not use");
    }
  }
  Variable bound;
  if (!variable(bound) || !in_.expect(TokenKind::RightParenthesis, "')'")) return false;
  state.tree = make_extend(std::move(state.tree), std::move(bound), std::move(value));
  return check_depth(state.tree.depth);
}

bool Parser::values_element(GroupState& state) {
  in_.advance();
  ValuesTable table;
  if (!values_table(table)) return false;
  return join_to(state, make_values(std::move(table)));
}

bool Parser::union_element(GroupState& state) {
  std::vector<PatternTree> alternatives;
  do {
    if (!group(alternatives.emplace_back())) return false;
  } while (in_.take_word("UNION"));
  return join_to(state, make_union(std::move(alternatives)));
}

bool Parser::values_table(ValuesTable& out) {
  const bool has_one_variable = in_.at(TokenKind::Variable);
  if (has_one_variable) {
    if (!variable(out.variables.emplace_back())) return false;
  } else if (!values_variables(out)) {
    return false;
  }
  if (!in_.expect(TokenKind::LeftBrace, "'{'")) return false;
  while (!in_.take(TokenKind::RightBrace)) {
    if (has_one_variable) {
      if (!values_term(out.rows.emplace_back().emplace_back())) return false;
    } else if (!values_row(out)) {
      return false;
    }
  }
  return true;
}

bool Parser::values_variables(ValuesTable& out) {
  if (in_.take(TokenKind::Nil)) return true;
  if (!in_.expect(TokenKind::LeftParenthesis, "a variable or a list of variables in parentheses")) return false;
  std::unordered_set<std::string_view> seen;
  while (!in_.take(TokenKind::RightParenthesis)) {
    if (in_.at(TokenKind::Variable) && !seen.insert(in_.current().text.substr(1)).second) {
      return in_.fail_expected("each variable of VALUES once");
    }
    if (!in_.at(TokenKind::Variable)) return in_.fail_expected("a variable or ')'");
    if (!variable(out.variables.emplace_back())) return false;
  }
  return true;
}

bool Parser::values_row(ValuesTable& out) {
  const auto wrong_width = [&] {
    return in_.fail_expected("one value for each of the " + std::to_string(out.variables.size()) +
                             " variables of VALUES");
  };
  auto& row = out.rows.emplace_back();
  if (in_.at(TokenKind::Nil)) {
    if (!out.variables.empty()) return wrong_width();
    in_.advance();
    return true;
  }
  if (!in_.expect(TokenKind::LeftParenthesis, "a row of values in parentheses, or '}'")) return false;
  while (!in_.at(TokenKind::RightParenthesis)) {
    if (row.size() == out.variables.size()) return wrong_width();
    if (!values_term(row.emplace_back())) return false;
  }
  if (row.size() != out.variables.size()) return wrong_width();
  in_.advance();
  return true;
}

bool Parser::values_term(std::optional<model::Term>& out) {
  if (in_.take_word("UNDEF")) return true;
  if (at_iri()) return iri_term(out);
  if (at_literal()) return literal(out);
  return in_.fail_expected("an IRI, a literal or UNDEF");
}

}  // namespace quadrille::sparql
