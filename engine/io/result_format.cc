#include "engine/io/result_format.h"

#include <array>

#include "engine/io/media_type.h"

namespace quadrille::io {
namespace {

struct Name {
  std::string_view text;
  ResultFormat format;
};

constexpr std::array<Name, 7> names = {{{"json", ResultFormat::Json},
                                        {"xml", ResultFormat::Xml},
                                        {"csv", ResultFormat::Csv},
                                        {"tsv", ResultFormat::Tsv},
                                        {"table", ResultFormat::Table},
                                        {"srj", ResultFormat::Json},
                                        {"srx", ResultFormat::Xml}}};

constexpr std::array<Name, 8> media_types = {{{"application/sparql-results+json", ResultFormat::Json},
                                              {"application/sparql-results+xml", ResultFormat::Xml},
                                              {"text/csv", ResultFormat::Csv},
                                              {"text/tab-separated-values", ResultFormat::Tsv},
                                              {"application/json", ResultFormat::Json},
                                              {"application/xml", ResultFormat::Xml},
                                              {"text/xml", ResultFormat::Xml},
                                              {"text/plain", ResultFormat::Table}}};

}  // namespace

std::optional<ResultFormat> result_format_by_name(std::string_view name) noexcept {
  for (const Name& entry : names) {
    if (entry.text == name) return entry.format;
  }
  return std::nullopt;
}

std::optional<ResultFormat> result_format_by_media_type(std::string_view media_type) noexcept {
  for (const Name& entry : media_types) {
    if (equals_ignoring_case(entry.text, without_parameters(media_type))) return entry.format;
  }
  return std::nullopt;
}

std::string_view media_type_of(ResultFormat format) noexcept {
  switch (format) {
    case ResultFormat::Json: return "application/sparql-results+json";
    case ResultFormat::Xml: return "application/sparql-results+xml";
    case ResultFormat::Csv: return "text/csv; charset=utf-8";
    case ResultFormat::Tsv: return "text/tab-separated-values; charset=utf-8";
    case ResultFormat::Table: break;
  }
  return "text/plain; charset=utf-8";
}

}  // namespace quadrille::io
