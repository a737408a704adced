// The formats of SPARQL answers, and their names on the command line and in HTTP.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quadrille::io {

enum class ResultFormat : uint8_t {
  Json,   // https://www.w3.org/TR/sparql11-results-json/
  Xml,    // https://www.w3.org/TR/rdf-sparql-XMLres/
  Csv,    // https://www.w3.org/TR/sparql11-results-csv-tsv/
  Tsv,    // the same
  Table,  // for a person at a terminal; its layout may change
};

// "json", "xml", "csv", "tsv" or "table"; also the file endings "srj" and "srx".
std::optional<ResultFormat> result_format_by_name(std::string_view name) noexcept;
// A media type as in Accept, without parameters, in any case; the types of plain JSON and XML count too.
std::optional<ResultFormat> result_format_by_media_type(std::string_view media_type) noexcept;
// What stands in Content-Type.
std::string_view media_type_of(ResultFormat format) noexcept;

}  // namespace quadrille::io
