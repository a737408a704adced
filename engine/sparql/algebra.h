// The SPARQL algebra: what a query means, free of its spelling. https://www.w3.org/TR/sparql11-query/#sparqlAlgebra
//
// The parser (parse.h) makes it; the planner reads it. It is a value tree: a node owns its children. Which members of a
// node are meaningful follows from its kind, as noted beside each. Simplifications of section 18.2.2 are done (a join
// with the empty pattern is gone), nothing else is optimised here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/term.h"
#include "engine/sparql/expression.h"

namespace quadrille::sparql {

using PatternTerm = std::variant<Variable, model::Term>;

struct TriplePattern {
  PatternTerm subject;
  PatternTerm predicate;
  PatternTerm object;
};

// Property paths, section 18.1.7.
enum class PathKind : uint8_t { Link, Inverse, Sequence, Alternative, ZeroOrMore, OneOrMore, ZeroOrOne, NegatedSet };
struct Path {
  PathKind kind = PathKind::Link;
  std::optional<model::Term> link;             // Link
  std::vector<Path> parts;                     // all but Link and NegatedSet
  std::vector<model::Term> forbidden;          // NegatedSet: forward
  std::vector<model::Term> forbidden_inverse;  // NegatedSet: inverse
};

struct OrderCondition {
  Expression expression;
  bool descending = false;
};

struct ValuesTable {
  std::vector<Variable> variables;
  std::vector<std::vector<std::optional<model::Term>>> rows;  // no term: UNDEF
};

enum class AlgebraKind : uint8_t {
  BasicGraphPattern,  // triples; none: one empty solution
  PropertyPath,       // path_subject, path, path_object
  Join,               // left, right
  LeftJoin,           // left, right, expression (if any)
  Union,              // left, right
  Minus,              // left, right
  Filter,             // left, expression
  Graph,              // graph, left
  Service,            // graph (the endpoint), silent, left, service_text
  Extend,             // left, variable, expression
  Values,             // values
  Group,              // left, group_keys, aggregates
  OrderBy,            // left, order
  Project,            // left, projection (a sub-query is a Project inside a pattern)
  Distinct,           // left
  Reduced,            // left
  Slice,              // left, offset, limit
};

struct Algebra {
  AlgebraKind kind = AlgebraKind::BasicGraphPattern;
  std::unique_ptr<Algebra> left;
  std::unique_ptr<Algebra> right;
  std::vector<TriplePattern> triples;
  PatternTerm path_subject;
  Path path;
  PatternTerm path_object;
  PatternTerm graph;
  bool silent = false;
  // The query to send: SELECT * of the pattern as written, behind the prefixes and the base that it uses. Empty for a
  // SERVICE inside of another, whose text has it.
  std::string service_text;
  std::optional<Expression> expression;
  Variable variable;
  ValuesTable values;
  // Group: key expressions with the variable that each is bound to. A plain `GROUP BY ?x` binds ?x to itself.
  std::vector<std::pair<Variable, Expression>> group_keys;
  std::vector<Aggregate> aggregates;
  std::vector<OrderCondition> order;
  std::vector<Variable> projection;
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
};

// FROM / FROM NAMED, USING / USING NAMED, or what the protocol's parameters say. Empty means the store's own dataset.
struct Dataset {
  std::vector<model::Term> default_graphs;
  std::vector<model::Term> named_graphs;
  bool is_given() const noexcept { return !default_graphs.empty() || !named_graphs.empty(); }
};

enum class QueryForm : uint8_t { Select, Ask, Construct, Describe };

struct QuadTemplate {
  TriplePattern triple;
  std::optional<PatternTerm> graph;  // absent: the default graph (or WITH's)
};

struct Query {
  QueryForm form = QueryForm::Select;
  Dataset dataset;
  std::unique_ptr<Algebra> pattern;
  std::vector<Variable> variables;      // Select: columns of the answer, in order
  std::vector<QuadTemplate> construct;  // Construct; blank nodes are hidden variables, new for each solution
  std::vector<PatternTerm> describe;    // Describe: IRIs and variables
};

// One graph, or several, as CLEAR, DROP and their kin name them.
enum class GraphTargetKind : uint8_t { Default, Named, All, One };
struct GraphTarget {
  GraphTargetKind kind = GraphTargetKind::Default;
  std::optional<model::Term> graph;  // One
};

enum class UpdateKind : uint8_t { InsertData, DeleteData, Modify, Load, Clear, Drop, Create, Add, Move, Copy };

struct UpdateOperation {
  UpdateKind kind = UpdateKind::InsertData;
  std::vector<QuadTemplate> deletes;  // DeleteData, Modify (DELETE WHERE is a Modify whose template is its pattern)
  std::vector<QuadTemplate> inserts;  // InsertData, Modify; blank nodes are hidden variables
  std::unique_ptr<Algebra> pattern;   // Modify
  std::optional<model::Term> with;    // Modify: WITH; it is the default graph of templates, and of the pattern unless
  Dataset dataset;                    // USING / USING NAMED is given
  bool silent = false;                // Load, Clear, Drop, Create, Add, Move, Copy
  std::optional<model::Term> load_from;
  GraphTarget from;  // Clear, Drop, Create; the source of Add, Move, Copy
  GraphTarget into;  // the destination of Load, Add, Move, Copy
};

struct Update {
  std::vector<UpdateOperation> operations;
};

}  // namespace quadrille::sparql
