// SPARQL expressions as a tree. https://www.w3.org/TR/sparql11-query/#expressions
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/term.h"

namespace quadrille::sparql {

struct Algebra;

// A variable by its name without '?'. A blank node of a pattern is a variable too, whose name starts with '.', which no
// user's name can; it is never projected. Aggregates and other made-up variables start with '.' as well.
struct Variable {
  std::string name;
  bool is_hidden() const noexcept { return !name.empty() && name.front() == '.'; }
  friend auto operator<=>(const Variable&, const Variable&) = default;
};

enum class Function : uint8_t {
  // operators
  Or,
  And,
  Not,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  In,
  NotIn,
  Add,
  Subtract,
  Multiply,
  Divide,
  Negate,
  Plus,
  // functional forms
  Bound,
  If,
  Coalesce,
  SameTerm,
  // on terms
  IsIri,
  IsBlank,
  IsLiteral,
  IsNumeric,
  Str,
  Lang,
  Datatype,
  Iri,  // the text, and, where the query has a base IRI, that as a constant
  BlankNode,
  StrDt,
  StrLang,
  Uuid,
  StrUuid,
  // on strings
  StrLen,
  Substr,
  UCase,
  LCase,
  StrStarts,
  StrEnds,
  Contains,
  StrBefore,
  StrAfter,
  EncodeForUri,
  Concat,
  LangMatches,
  Regex,
  Replace,
  // on numbers
  Abs,
  Round,
  Ceil,
  Floor,
  Rand,
  // on dates
  Now,
  Year,
  Month,
  Day,
  Hours,
  Minutes,
  Seconds,
  Timezone,
  Tz,
  // hashes
  Md5,
  Sha1,
  Sha256,
  Sha384,
  Sha512,
  // a call by IRI: casts (xsd:integer ...) and extensions; the IRI is in Expression::function_iri
  ByIri,
};

// Gives another value at each call.
constexpr bool draws_on_chance(Function function) noexcept {
  return function == Function::Rand || function == Function::Uuid || function == Function::StrUuid ||
         function == Function::BlankNode;
}

enum class ExpressionKind : uint8_t { Variable, Constant, Call, Exists, NotExists };

struct Expression {
  ExpressionKind kind = ExpressionKind::Constant;
  Variable variable;                       // Variable
  std::optional<model::Term> constant;     // Constant
  Function function = Function::Or;        // Call
  std::string function_iri;                // Call of ByIri
  std::vector<Expression> arguments;       // Call; In and NotIn: the value first, then the list
  std::shared_ptr<const Algebra> pattern;  // Exists, NotExists

  static Expression of(Variable variable);
  static Expression of(model::Term constant);
  static Expression call(Function function, std::vector<Expression> arguments);
};

enum class AggregateKind : uint8_t { Count, Sum, Min, Max, Avg, Sample, GroupConcat };

struct Aggregate {
  AggregateKind kind = AggregateKind::Count;
  bool distinct = false;
  std::optional<Expression> argument;  // absent: COUNT(*)
  std::string separator = " ";         // GroupConcat
  Variable result;                     // hidden; the expressions above the group refer to it
};

}  // namespace quadrille::sparql
