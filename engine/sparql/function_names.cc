#include "engine/sparql/function_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "engine/sparql/token_reader.h"

namespace quadrille::sparql {
namespace {

// In the order of their names: found by binary search.
constexpr FunctionSignature signatures[] = {
    {"ABS", Function::Abs, 1, 1},
    {"BNODE", Function::BlankNode, 0, 1},
    {"BOUND", Function::Bound, 1, 1},
    {"CEIL", Function::Ceil, 1, 1},
    {"COALESCE", Function::Coalesce, 0, any_number},
    {"CONCAT", Function::Concat, 0, any_number},
    {"CONTAINS", Function::Contains, 2, 2},
    {"DATATYPE", Function::Datatype, 1, 1},
    {"DAY", Function::Day, 1, 1},
    {"ENCODE_FOR_URI", Function::EncodeForUri, 1, 1},
    {"FLOOR", Function::Floor, 1, 1},
    {"HOURS", Function::Hours, 1, 1},
    {"IF", Function::If, 3, 3},
    {"IRI", Function::Iri, 1, 1},
    {"ISBLANK", Function::IsBlank, 1, 1},
    {"ISIRI", Function::IsIri, 1, 1},
    {"ISLITERAL", Function::IsLiteral, 1, 1},
    {"ISNUMERIC", Function::IsNumeric, 1, 1},
    {"ISURI", Function::IsIri, 1, 1},
    {"LANG", Function::Lang, 1, 1},
    {"LANGMATCHES", Function::LangMatches, 2, 2},
    {"LCASE", Function::LCase, 1, 1},
    {"MD5", Function::Md5, 1, 1},
    {"MINUTES", Function::Minutes, 1, 1},
    {"MONTH", Function::Month, 1, 1},
    {"NOW", Function::Now, 0, 0},
    {"RAND", Function::Rand, 0, 0},
    {"REGEX", Function::Regex, 2, 3},
    {"REPLACE", Function::Replace, 3, 4},
    {"ROUND", Function::Round, 1, 1},
    {"SAMETERM", Function::SameTerm, 2, 2},
    {"SECONDS", Function::Seconds, 1, 1},
    {"SHA1", Function::Sha1, 1, 1},
    {"SHA256", Function::Sha256, 1, 1},
    {"SHA384", Function::Sha384, 1, 1},
    {"SHA512", Function::Sha512, 1, 1},
    {"STR", Function::Str, 1, 1},
    {"STRAFTER", Function::StrAfter, 2, 2},
    {"STRBEFORE", Function::StrBefore, 2, 2},
    {"STRDT", Function::StrDt, 2, 2},
    {"STRENDS", Function::StrEnds, 2, 2},
    {"STRLANG", Function::StrLang, 2, 2},
    {"STRLEN", Function::StrLen, 1, 1},
    {"STRSTARTS", Function::StrStarts, 2, 2},
    {"STRUUID", Function::StrUuid, 0, 0},
    {"SUBSTR", Function::Substr, 2, 3},
    {"TIMEZONE", Function::Timezone, 1, 1},
    {"TZ", Function::Tz, 1, 1},
    {"UCASE", Function::UCase, 1, 1},
    {"URI", Function::Iri, 1, 1},
    {"UUID", Function::Uuid, 0, 0},
    {"YEAR", Function::Year, 1, 1},
};

constexpr bool by_name(const FunctionSignature& left, const FunctionSignature& right) { return left.name < right.name; }
static_assert(std::is_sorted(std::begin(signatures), std::end(signatures), by_name));

// The operators, in the order of enum Function.
constexpr std::string_view operator_signs[] = {
    "||", "&&", "!", "=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN", "+", "-", "*", "/", "-", "+"};
static_assert(std::size(operator_signs) == static_cast<size_t>(Function::Bound));

constexpr std::string_view aggregate_names[] = {"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"};

}  // namespace

const FunctionSignature* find_function(std::string_view word) noexcept {
  std::array<char, 16> upper{};
  if (word.size() > upper.size()) return nullptr;
  std::transform(word.begin(), word.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const std::string_view name(upper.data(), word.size());
  const auto* found =
      std::lower_bound(std::begin(signatures), std::end(signatures), name,
                       [](const FunctionSignature& left, std::string_view right) { return left.name < right; });
  return found != std::end(signatures) && found->name == name ? found : nullptr;
}

std::optional<AggregateKind> find_aggregate(std::string_view word) noexcept {
  for (size_t i = 0; i < std::size(aggregate_names); ++i) {
    if (equals_keyword(word, aggregate_names[i])) return static_cast<AggregateKind>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Function function) noexcept {
  const auto index = static_cast<size_t>(function);
  if (index < std::size(operator_signs)) return operator_signs[index];
  for (const auto& signature : signatures) {
    if (signature.function == function) return signature.name;
  }
  return "CALL";
}

std::string_view name_of(AggregateKind aggregate) noexcept { return aggregate_names[static_cast<size_t>(aggregate)]; }

}  // namespace quadrille::sparql
