// The formats of RDF data, and their names in files and in HTTP.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quadrille::io {

enum class RdfFormat : uint8_t {
  NTriples,  // https://www.w3.org/TR/n-triples/
  NQuads,    // https://www.w3.org/TR/n-quads/
  Turtle,    // https://www.w3.org/TR/turtle/
  TriG,      // https://www.w3.org/TR/trig/
  RdfXml,    // https://www.w3.org/TR/rdf-syntax-grammar/; read, never written
};

// Whether the format can name graphs.
constexpr bool carries_graphs(RdfFormat format) noexcept {
  return format == RdfFormat::NQuads || format == RdfFormat::TriG;
}

// Whether there is a writer of the format.
constexpr bool is_written(RdfFormat format) noexcept { return format != RdfFormat::RdfXml; }

// "nt", "nq", "ttl", "trig" or "rdf".
std::optional<RdfFormat> rdf_format_by_name(std::string_view name) noexcept;
// By the ending of a file's name, in any case; a .gz or .zst behind it is passed over.
std::optional<RdfFormat> rdf_format_by_file_name(std::string_view file_name) noexcept;
// A media type as in Content-Type, parameters allowed, in any case.
std::optional<RdfFormat> rdf_format_by_media_type(std::string_view media_type) noexcept;

std::string_view name_of(RdfFormat format) noexcept;
// What stands in Content-Type.
std::string_view media_type_of(RdfFormat format) noexcept;

}  // namespace quadrille::io
