// The recursive descent parser of SPARQL 1.1 Query and Update. Internal to this folder: parse.h is the door.
//
// One class, spread over files by grammar area: names.cc (prologue, IRIs, literals), triples.cc, paths.cc,
// patterns.cc (group graph patterns), expressions.cc, calls.cc (functions and aggregates), query_forms.cc, modifiers.cc
// (what follows WHERE, and what it all means), update.cc. It builds algebra as it reads (translate.h); there is no
// syntax tree between.
//
// Parse functions return false after noting an error (token_reader.h), and leave their result unspecified then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/sparql/algebra.h"
#include "engine/sparql/parse.h"
#include "engine/sparql/token_reader.h"
#include "engine/sparql/translate.h"

namespace quadrille::sparql {

// Where triples are written, and what may stand in them there.
struct TriplePlace {
  std::string_view name;  // as messages call it
  bool allows_paths;
  bool allows_variables;
  bool allows_blank_nodes;
  bool is_pattern;
  bool is_data;
};

// Adjacent triples and paths: basic graph patterns and path patterns, in the order of writing.
struct TripleBlock {
  const TriplePlace* place;
  uint64_t id;  // blank node labels belong to one block
  std::vector<PatternTree> parts;
  bool is_begun = false;
  bool ends_with_dot = false;
};
// What may go on behind the triples that were read, for messages.
std::string_view expected_after(const TripleBlock& block) noexcept;

// The aggregates of one SELECT (or other query form), taken out of its expressions.
struct AggregateScope {
  std::vector<Aggregate> aggregates;
  int depth = 0;  // of the deepest argument
};

struct SelectItem {
  Variable variable;
  std::optional<ExpressionTree> expression;  // (expression AS variable)
  size_t offset;                             // of the variable
};

struct SelectClause {
  bool is_distinct = false;
  bool is_reduced = false;
  bool is_star = false;
  size_t offset = 0;  // of the star
  std::vector<SelectItem> items;
};

struct GroupKey {
  Variable variable;
  ExpressionTree expression;
  bool has_name;  // (expression AS variable)
  size_t offset;
};

// All that a query or sub-query says, from which its algebra is made.
struct SolutionParts {
  SelectClause select;
  PatternTree pattern;
  std::vector<GroupKey> group_keys;
  std::vector<ExpressionTree> having;
  std::vector<OrderCondition> order;
  int order_depth = 0;
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
  std::optional<ValuesTable> values;
  AggregateScope aggregates;
  bool is_grouped() const noexcept { return !group_keys.empty() || !aggregates.aggregates.empty(); }
};

class Parser {
 public:
  Parser(const SourceText& source, std::string_view base_iri);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  base::Result<Query> parse_query();
  base::Result<Update> parse_update();

 private:
  // Counts one level of nesting while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.nesting_; }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    [[nodiscard]] bool check() { return parser_.check_depth(parser_.nesting_); }

   private:
    Parser& parser_;
  };
  struct GroupState {
    PatternTree tree;
    TripleBlock block;
    std::vector<ExpressionTree> filters;
  };
  struct QuadSegment {
    std::optional<PatternTerm> graph;
    std::vector<TriplePattern> triples;
  };
  using ExpressionRule = bool (Parser::*)(ExpressionTree&);

  // Shared
  [[nodiscard]] bool check_depth(int depth);
  // Counts bytes of terms that the algebra repeats, so that a short text cannot fill the memory.
  [[nodiscard]] bool spend(size_t bytes);
  Variable make_hidden();

  // names.cc
  [[nodiscard]] bool prologue();
  [[nodiscard]] bool base_declaration();
  [[nodiscard]] bool prefix_declaration();
  [[nodiscard]] bool resolve_reference(const Token& token, std::string& out);
  [[nodiscard]] bool expand_prefixed_name(const Token& token, std::string& out);
  bool at_iri() const noexcept { return in_.at(TokenKind::IriRef) || in_.at(TokenKind::PrefixedName); }
  [[nodiscard]] bool iri(std::string& out, std::string_view what = "an IRI");
  [[nodiscard]] bool iri_term(std::optional<model::Term>& out);
  [[nodiscard]] bool variable(Variable& out);
  [[nodiscard]] bool variable_or_iri(PatternTerm& out);
  bool at_literal() const noexcept;
  [[nodiscard]] bool literal(std::optional<model::Term>& out);
  [[nodiscard]] bool string_content(std::string& out);
  [[nodiscard]] bool quoted_literal(std::optional<model::Term>& out);
  [[nodiscard]] bool whole_number(uint64_t& out);
  std::string service_text(size_t start, size_t end) const;

  // triples.cc
  bool at_triples_start() const noexcept;
  [[nodiscard]] bool triples_block(TripleBlock& block);
  [[nodiscard]] bool triples_same_subject(TripleBlock& block);
  [[nodiscard]] bool property_list(TripleBlock& block, const PatternTerm& subject);
  bool at_verb(const TriplePlace& place) const noexcept;
  [[nodiscard]] bool object_list(TripleBlock& block, const PatternTerm& subject, const PatternTerm& predicate,
                                 const Path* path);
  [[nodiscard]] bool graph_node(TripleBlock& block, PatternTerm& out);
  [[nodiscard]] bool collection(TripleBlock& block, PatternTerm& out);
  [[nodiscard]] bool blank_node_properties(TripleBlock& block, PatternTerm& out);
  [[nodiscard]] bool graph_term(TripleBlock& block, PatternTerm& out);
  [[nodiscard]] bool labelled_blank_node(TripleBlock& block, PatternTerm& out);
  [[nodiscard]] bool check_blank_node_allowed(const TriplePlace& place);
  [[nodiscard]] bool emit_triple(TripleBlock& block, PatternTerm subject, PatternTerm predicate, PatternTerm object);
  [[nodiscard]] bool emit_path(TripleBlock& block, const PatternTerm& subject, const Path& path,
                               const PatternTerm& object);

  // paths.cc
  bool at_path() const noexcept;
  [[nodiscard]] bool path(Path& out);
  [[nodiscard]] bool path_sequence(Path& out);
  [[nodiscard]] bool path_step(Path& out);
  [[nodiscard]] bool path_primary(Path& out);
  [[nodiscard]] bool negated_set(Path& out);
  [[nodiscard]] bool negated_link(Path& out);
  [[nodiscard]] bool path_link(std::optional<model::Term>& out);

  // patterns.cc
  [[nodiscard]] bool group(PatternTree& out);
  [[nodiscard]] bool group_with_filters(PatternTree& out, std::vector<ExpressionTree>& filters);
  [[nodiscard]] bool group_body(GroupState& state);
  bool at_group_element() const noexcept;
  [[nodiscard]] bool group_element(GroupState& state);
  [[nodiscard]] bool close_block(GroupState& state);
  [[nodiscard]] bool join_to(GroupState& state, PatternTree pattern);
  [[nodiscard]] bool optional_element(GroupState& state);
  [[nodiscard]] bool minus_element(GroupState& state);
  [[nodiscard]] bool graph_element(GroupState& state);
  [[nodiscard]] bool service_element(GroupState& state);
  [[nodiscard]] bool filter_element(GroupState& state);
  [[nodiscard]] bool bind_element(GroupState& state);
  [[nodiscard]] bool values_element(GroupState& state);
  [[nodiscard]] bool union_element(GroupState& state);
  [[nodiscard]] bool values_table(ValuesTable& out);
  [[nodiscard]] bool values_variables(ValuesTable& out);
  [[nodiscard]] bool values_row(ValuesTable& out);
  [[nodiscard]] bool values_term(std::optional<model::Term>& out);

  // expressions.cc
  [[nodiscard]] bool expression(ExpressionTree& out);
  [[nodiscard]] bool and_expression(ExpressionTree& out);
  [[nodiscard]] bool relational_expression(ExpressionTree& out);
  [[nodiscard]] bool additive_expression(ExpressionTree& out);
  [[nodiscard]] bool multiplicative_expression(ExpressionTree& out);
  [[nodiscard]] bool unary_expression(ExpressionTree& out);
  [[nodiscard]] bool primary_expression(ExpressionTree& out);
  [[nodiscard]] bool parenthesized(ExpressionTree& out);
  [[nodiscard]] bool balanced_chain(TokenKind sign, Function function, ExpressionRule rule, ExpressionTree& out);
  [[nodiscard]] bool binary(Function function, ExpressionRule rule, ExpressionTree& left);
  [[nodiscard]] bool in_list(Function function, ExpressionTree& left);
  bool at_constraint() const noexcept;
  [[nodiscard]] bool constraint(ExpressionTree& out);

  // calls.cc
  [[nodiscard]] bool iri_or_call(ExpressionTree& out, bool must_be_call);
  [[nodiscard]] bool named_call(ExpressionTree& out);
  [[nodiscard]] bool built_in_call(ExpressionTree& out);
  [[nodiscard]] bool argument_list(std::vector<ExpressionTree>& out);
  [[nodiscard]] bool exists(ExpressionKind kind, ExpressionTree& out);
  [[nodiscard]] bool aggregate(AggregateKind kind, ExpressionTree& out);
  [[nodiscard]] bool aggregate_body(Aggregate& out, int& depth);
  [[nodiscard]] bool separator(std::string& out);

  // query_forms.cc
  [[nodiscard]] bool query(Query& out);
  [[nodiscard]] bool select_query(Query& out);
  [[nodiscard]] bool ask_query(Query& out);
  [[nodiscard]] bool construct_query(Query& out);
  [[nodiscard]] bool construct_where(Query& out, SolutionParts& parts);
  [[nodiscard]] bool construct_template(Query& out);
  [[nodiscard]] bool describe_query(Query& out);
  [[nodiscard]] bool sub_select(PatternTree& out);
  [[nodiscard]] bool select_clause(SolutionParts& parts);
  [[nodiscard]] bool select_item(SelectClause& out);
  [[nodiscard]] bool dataset_clauses(Dataset& out);
  [[nodiscard]] bool where_clause(PatternTree& out, std::string_view before = {});
  [[nodiscard]] bool template_triples(const TriplePlace& place, std::vector<TriplePattern>& out,
                                      std::string_view& more);

  // modifiers.cc
  [[nodiscard]] bool solution_modifiers(SolutionParts& parts);
  void note_modifiers_left(const SolutionParts& parts, bool has_offset);
  [[nodiscard]] bool group_by(SolutionParts& parts);
  [[nodiscard]] bool group_key(GroupKey& out);
  [[nodiscard]] bool having(SolutionParts& parts);
  [[nodiscard]] bool order_by(SolutionParts& parts);
  [[nodiscard]] bool limit_and_offset(SolutionParts& parts);
  [[nodiscard]] bool values_clause(SolutionParts& parts);
  [[nodiscard]] bool check_group_keys(SolutionParts& parts);
  void sample_ungrouped(SolutionParts& parts);
  // Sections 18.2.4 and 18.2.5, up to ORDER BY. A projection of a SELECT is left to `project`.
  [[nodiscard]] bool make_solutions(SolutionParts& parts, PatternTree& out);
  [[nodiscard]] bool extend_selected(SolutionParts& parts, bool is_grouped, PatternTree& tree,
                                     std::vector<Variable>& columns);
  [[nodiscard]] bool make_select(SolutionParts& parts, PatternTree& out, std::vector<Variable>& columns);
  [[nodiscard]] bool make_plain(SolutionParts& parts, std::unique_ptr<Algebra>& out);

  // update.cc
  [[nodiscard]] bool update(Update& out);
  bool at_operation() const noexcept;
  [[nodiscard]] bool operation(UpdateOperation& out);
  [[nodiscard]] bool insert_operation(UpdateOperation& out);
  [[nodiscard]] bool delete_operation(UpdateOperation& out);
  [[nodiscard]] bool delete_where(UpdateOperation& out);
  [[nodiscard]] bool modify_rest(UpdateOperation& out);
  [[nodiscard]] bool with_operation(UpdateOperation& out);
  [[nodiscard]] bool using_clauses(Dataset& out);
  [[nodiscard]] bool load_operation(UpdateOperation& out);
  [[nodiscard]] bool graph_operation(UpdateKind kind, UpdateOperation& out);
  [[nodiscard]] bool create_operation(UpdateOperation& out);
  [[nodiscard]] bool transfer_operation(UpdateKind kind, UpdateOperation& out);
  [[nodiscard]] bool graph_or_default(GraphTarget& out);
  [[nodiscard]] bool quads(const TriplePlace& place, std::vector<QuadTemplate>& out);
  [[nodiscard]] bool quad_segments(const TriplePlace& place, std::vector<QuadSegment>& out);

  TokenReader in_;
  std::string base_iri_;
  std::map<std::string, std::string, std::less<>> prefixes_;
  int nesting_ = 0;
  int services_ = 0;  // how many SERVICE patterns we are inside of
  size_t expanded_bytes_max_;
  size_t spent_ = 0;
  uint64_t hidden_count_ = 0;
  uint64_t block_count_ = 0;
  uint64_t operation_number_ = 0;
  std::unordered_map<std::string, uint64_t> pattern_labels_;  // label -> block
  std::unordered_map<std::string, uint64_t> data_labels_;     // label -> number of the INSERT DATA
  // What may follow, of GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET and VALUES, as messages say it.
  std::string modifiers_left_;
  AggregateScope* aggregates_ = nullptr;  // null: no aggregate may stand here
  bool is_inside_aggregate_ = false;
};

// A term as a message shows it.
std::string describe(const Variable& variable);

}  // namespace quadrille::sparql
