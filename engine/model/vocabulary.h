// IRIs that the code itself speaks of.
#pragma once

#include <string_view>

namespace quadrille::model::vocabulary {

inline constexpr std::string_view xsd = "http://www.w3.org/2001/XMLSchema#";
inline constexpr std::string_view xsd_string = "http://www.w3.org/2001/XMLSchema#string";
inline constexpr std::string_view xsd_boolean = "http://www.w3.org/2001/XMLSchema#boolean";
inline constexpr std::string_view xsd_integer = "http://www.w3.org/2001/XMLSchema#integer";
inline constexpr std::string_view xsd_decimal = "http://www.w3.org/2001/XMLSchema#decimal";
inline constexpr std::string_view xsd_float = "http://www.w3.org/2001/XMLSchema#float";
inline constexpr std::string_view xsd_double = "http://www.w3.org/2001/XMLSchema#double";
inline constexpr std::string_view xsd_date = "http://www.w3.org/2001/XMLSchema#date";
inline constexpr std::string_view xsd_time = "http://www.w3.org/2001/XMLSchema#time";
inline constexpr std::string_view xsd_date_time = "http://www.w3.org/2001/XMLSchema#dateTime";
inline constexpr std::string_view xsd_day_time_duration = "http://www.w3.org/2001/XMLSchema#dayTimeDuration";

inline constexpr std::string_view rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
inline constexpr std::string_view rdf_type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
inline constexpr std::string_view rdf_first = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
inline constexpr std::string_view rdf_rest = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
inline constexpr std::string_view rdf_nil = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil";
inline constexpr std::string_view rdf_lang_string = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

// The local, read-only graph of conflict records.
inline constexpr std::string_view conflicts_graph = "urn:quadrille:conflicts";

}  // namespace quadrille::model::vocabulary
