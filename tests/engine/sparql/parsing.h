// Short ways to parse in tests.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include "engine/sparql/parse.h"
#include "engine/sparql/print.h"

namespace quadrille::sparql::testing {

inline constexpr std::string_view test_base = "http://t/";

// Requires that the text parses. The prefix ':' is http://t/ in all of these.
inline Query query_of(const std::string& text) {
  auto result = parse_query("PREFIX : <http://t/> " + text, test_base);
  if (!result.ok()) FAIL(text << "\n" << result.error().message);
  return std::move(result).value();
}

inline Update update_of(const std::string& text) {
  auto result = parse_update("PREFIX : <http://t/> " + text, test_base);
  if (!result.ok()) FAIL(text << "\n" << result.error().message);
  return std::move(result).value();
}

// The algebra of a query as text, http://t/ written as ':', a line break before it so that raw strings line up.
inline std::string shorten(std::string_view text) {
  constexpr std::string_view opening = "<http://t/";
  std::string out("\n");
  while (!text.empty()) {
    const size_t at = text.find(opening);
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) break;
    const size_t end = text.find('>', at);
    const size_t start = at + opening.size();
    out.append(":").append(text.substr(start, end - start));
    text.remove_prefix(end + 1);
  }
  return out;
}
inline std::string algebra_of(const std::string& text) { return shorten(to_text(*query_of(text).pattern)); }

template <class T>
std::string error_of(const base::Result<T>& result) {
  if (result.ok()) return "accepted";
  const auto& error = result.error();
  return std::to_string(error.position->line) + ":" + std::to_string(error.position->column) + ": " + error.message;
}
// "line:column: message", or "accepted". No prefixes are declared, and there is no base.
inline std::string query_error(std::string_view text) { return error_of(parse_query(text)); }
inline std::string update_error(std::string_view text) { return error_of(parse_update(text)); }

}  // namespace quadrille::sparql::testing
