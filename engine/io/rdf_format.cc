#include "engine/io/rdf_format.h"

#include <array>

#include "engine/io/media_type.h"

namespace quadrille::io {
namespace {

struct FormatNames {
  RdfFormat format;
  std::string_view name;
  std::string_view media_type;
};

constexpr std::array<FormatNames, 5> formats = {{{RdfFormat::NTriples, "nt", "application/n-triples"},
                                                 {RdfFormat::NQuads, "nq", "application/n-quads"},
                                                 {RdfFormat::Turtle, "ttl", "text/turtle"},
                                                 {RdfFormat::TriG, "trig", "application/trig"},
                                                 {RdfFormat::RdfXml, "rdf", "application/rdf+xml"}}};

bool ends_with_ignoring_case(std::string_view text, std::string_view ending) noexcept {
  return text.size() >= ending.size() && equals_ignoring_case(text.substr(text.size() - ending.size()), ending);
}

}  // namespace

std::optional<RdfFormat> rdf_format_by_name(std::string_view name) noexcept {
  for (const FormatNames& entry : formats) {
    if (equals_ignoring_case(entry.name, name)) return entry.format;
  }
  return std::nullopt;
}

std::optional<RdfFormat> rdf_format_by_file_name(std::string_view file_name) noexcept {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (ends_with_ignoring_case(file_name, ending)) file_name.remove_suffix(ending.size());
  }
  const size_t dot = file_name.rfind('.');
  return dot == std::string_view::npos ? std::nullopt : rdf_format_by_name(file_name.substr(dot + 1));
}

std::optional<RdfFormat> rdf_format_by_media_type(std::string_view media_type) noexcept {
  for (const FormatNames& entry : formats) {
    if (equals_ignoring_case(entry.media_type, without_parameters(media_type))) return entry.format;
  }
  return std::nullopt;
}

std::string_view name_of(RdfFormat format) noexcept { return formats[static_cast<size_t>(format)].name; }

std::string_view media_type_of(RdfFormat format) noexcept { return formats[static_cast<size_t>(format)].media_type; }

}  // namespace quadrille::io
