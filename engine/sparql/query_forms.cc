// SELECT, ASK, CONSTRUCT and DESCRIBE. Grammar rules 2, 7 to 17, 73, 74.
#include "engine/sparql/assigned.h"
#include "engine/sparql/parser.h"
#include "engine/sparql/scope.h"

namespace quadrille::sparql {
namespace {

constexpr TriplePlace template_place = {"a template", false, true, true, false, false};

}  // namespace

bool Parser::query(Query& out) {
  if (!prologue()) return false;
  if (in_.at_word("SELECT")) return select_query(out);
  if (in_.take_word("CONSTRUCT")) return construct_query(out);
  if (in_.take_word("DESCRIBE")) return describe_query(out);
  if (in_.take_word("ASK")) return ask_query(out);
  const std::string expected = "BASE, PREFIX, SELECT, CONSTRUCT, DESCRIBE or ASK";
  return in_.fail_expected(at_operation() ? expected + ": an update is none of a query's forms" : expected);
}

bool Parser::select_query(Query& out) {
  out.form = QueryForm::Select;
  SolutionParts parts;
  const Assigned<AggregateScope*> scope(aggregates_, &parts.aggregates);
  if (!select_clause(parts) || !dataset_clauses(out.dataset) ||
      !where_clause(parts.pattern,
                    parts.select.is_star ? "FROM, " : "a variable, an (expression AS ?variable), FROM, ") ||
      !solution_modifiers(parts)) {
    return false;
  }
  PatternTree tree;
  if (!make_select(parts, tree, out.variables)) return false;
  out.pattern = std::move(tree.root);
  return true;
}

bool Parser::sub_select(PatternTree& out) {
  SolutionParts parts;
  const Assigned<AggregateScope*> scope(aggregates_, &parts.aggregates);
  if (!select_clause(parts) ||
      !where_clause(parts.pattern, parts.select.is_star ? "" : "a variable, an (expression AS ?variable), ") ||
      !solution_modifiers(parts)) {
    return false;
  }
  std::vector<Variable> columns;
  return make_select(parts, out, columns);
}

bool Parser::ask_query(Query& out) {
  out.form = QueryForm::Ask;
  SolutionParts parts;
  const Assigned<AggregateScope*> scope(aggregates_, &parts.aggregates);
  return dataset_clauses(out.dataset) && where_clause(parts.pattern, "FROM, ") && solution_modifiers(parts) &&
         make_plain(parts, out.pattern);
}

bool Parser::construct_query(Query& out) {
  out.form = QueryForm::Construct;
  SolutionParts parts;
  const Assigned<AggregateScope*> scope(aggregates_, &parts.aggregates);
  if (in_.at(TokenKind::LeftBrace)) {
    if (!construct_template(out) || !dataset_clauses(out.dataset) || !where_clause(parts.pattern, "FROM, ")) {
      return false;
    }
  } else if (!construct_where(out, parts)) {
    return false;
  }
  return solution_modifiers(parts) && make_plain(parts, out.pattern);
}

bool Parser::construct_template(Query& out) {
  std::vector<TriplePattern> triples;
  std::string_view more;
  if (!in_.expect(TokenKind::LeftBrace, "'{'") || !template_triples(template_place, triples, more) ||
      !in_.expect(TokenKind::RightBrace, std::string(more) + " or '}'")) {
    return false;
  }
  for (auto& triple : triples) out.construct.push_back({std::move(triple), std::nullopt});
  return true;
}

// CONSTRUCT WHERE { triples }: they are template and pattern at once. Blank nodes of a template are new ones, so its
// hidden variables get names that the pattern does not bind.
bool Parser::construct_where(Query& out, SolutionParts& parts) {
  if (!dataset_clauses(out.dataset)) return false;
  if (!in_.take_word("WHERE")) return in_.fail_expected("'{' with a template, FROM, or WHERE");
  std::vector<TriplePattern> triples;
  std::string_view more;
  if (!in_.expect(TokenKind::LeftBrace, "'{'") || !template_triples(template_place, triples, more) ||
      !in_.expect(TokenKind::RightBrace,
                  std::string(more) + " or '}': the short form of CONSTRUCT takes triples only")) {
    return false;
  }
  for (TriplePattern made : triples) {
    for (PatternTerm* term : {&made.subject, &made.predicate, &made.object}) {
      auto* named = std::get_if<Variable>(term);
      if (named != nullptr && named->is_hidden()) named->name.insert(0, ".new");
    }
    out.construct.push_back({std::move(made), std::nullopt});
  }
  parts.pattern = make_triples(std::move(triples));
  return true;
}

// The triples up to a closing brace, or to the word GRAPH: the caller looks. `more`: what could go on there.
bool Parser::template_triples(const TriplePlace& place, std::vector<TriplePattern>& out, std::string_view& more) {
  TripleBlock block{&place, 0, {}};
  if (at_triples_start() && !triples_block(block)) return false;
  more = expected_after(block);
  if (!block.parts.empty()) out = std::move(block.parts.front().root->triples);
  return true;
}

bool Parser::describe_query(Query& out) {
  out.form = QueryForm::Describe;
  SolutionParts parts;
  const Assigned<AggregateScope*> scope(aggregates_, &parts.aggregates);
  const bool is_star = in_.take(TokenKind::Star);
  if (!is_star) {
    do {
      if (!variable_or_iri(out.describe.emplace_back())) return false;
    } while (in_.at(TokenKind::Variable) || at_iri());
  }
  if (!dataset_clauses(out.dataset)) return false;
  parts.pattern = make_unit();
  if ((in_.at_word("WHERE") || in_.at(TokenKind::LeftBrace)) && !where_clause(parts.pattern)) return false;
  if (!solution_modifiers(parts) || !make_plain(parts, out.pattern)) return false;
  if (is_star) {
    for (auto& named : visible_variables(*out.pattern)) out.describe.emplace_back(std::move(named));
  }
  return true;
}

bool Parser::select_clause(SolutionParts& parts) {
  SelectClause& select = parts.select;
  if (!in_.expect_word("SELECT")) return false;
  select.is_distinct = in_.take_word("DISTINCT");
  if (!select.is_distinct) select.is_reduced = in_.take_word("REDUCED");
  select.offset = in_.current().offset;
  select.is_star = in_.take(TokenKind::Star);
  if (select.is_star) return true;
  do {
    if (!select_item(select)) return false;
  } while (in_.at(TokenKind::Variable) || in_.at(TokenKind::LeftParenthesis));
  return true;
}

bool Parser::select_item(SelectClause& out) {
  SelectItem& item = out.items.emplace_back();
  if (in_.at(TokenKind::Variable)) {
    item.offset = in_.current().offset;
    return variable(item.variable);
  }
  if (!in_.at(TokenKind::LeftParenthesis)) {
    return in_.fail_expected("'*', a variable or an (expression AS ?variable)");
  }
  in_.advance();
  if (!expression(item.expression.emplace())) return false;
  if (!in_.take_word("AS")) return in_.fail_expected("an operator or AS");
  item.offset = in_.current().offset;
  return variable(item.variable) && in_.expect(TokenKind::RightParenthesis, "')'");
}

bool Parser::dataset_clauses(Dataset& out) {
  while (in_.take_word("FROM")) {
    const bool is_named = in_.take_word("NAMED");
    std::string graph;
    if (!iri(graph, is_named ? "the IRI of a graph" : "NAMED or the IRI of a graph")) return false;
    (is_named ? out.named_graphs : out.default_graphs).push_back(model::Term::iri(std::move(graph)));
  }
  return true;
}

// `before`: what could stand before it, for messages.
bool Parser::where_clause(PatternTree& out, std::string_view before) {
  if (in_.take_word("WHERE") || in_.at(TokenKind::LeftBrace)) return group(out);
  return in_.fail_expected(std::string(before) + "WHERE or '{'");
}

}  // namespace quadrille::sparql
