// What is sent to the endpoint of a SERVICE pattern.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace quadrille::sparql {

// A whole query, `SELECT * WHERE pattern`, behind the base and the prefixes that the pattern uses. `pattern` is a group
// graph pattern with its braces, as the parser accepted it.
std::string make_service_text(std::string_view pattern, std::string_view base_iri,
                              const std::map<std::string, std::string, std::less<>>& prefixes);

}  // namespace quadrille::sparql
