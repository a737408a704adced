#include "replica/http/multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/io/media_type.h"

namespace quadrille::http {
namespace {

constexpr size_t parts_max = 1000;

base::Error invalid(const std::string& what) {
  return {base::ErrorKind::InvalidInput, fmt::format("multipart/form-data: {}", what), {}};
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The value of `name` among `; name="value"` parameters, quotes and their escapes undone.
std::string parameter_of(std::string_view header, std::string_view name) {
  size_t at = header.find(';');
  while (at < header.size()) {
    ++at;
    const size_t equals = std::min(header.find('=', at), header.size());
    const auto found_name = trimmed(header.substr(at, equals - at));
    at = std::min(equals + 1, header.size());
    std::string value;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size()) ++at;
        value += header[at];
      }
      at = std::min(header.find(';', at), header.size());
    } else {
      const size_t end = std::min(header.find(';', at), header.size());
      value = trimmed(header.substr(at, end - at));
      at = end;
    }
    if (io::equals_ignoring_case(found_name, name)) return value;
  }
  return {};
}

// "Name: value" lines up to the empty one, which it removes from `content` too.
base::Result<void> read_headers(FormPart& part) {
  while (true) {
    const size_t end = part.content.find("\r\n");
    if (end == std::string_view::npos || end > 16 * 1024)
      return invalid("a part without the empty line after its headers");
    const auto line = part.content.substr(0, end);
    part.content.remove_prefix(end + 2);
    if (line.empty()) return {};
    const size_t colon = std::min(line.find(':'), line.size());
    const auto name = trimmed(line.substr(0, colon));
    const auto value = trimmed(line.substr(std::min(colon + 1, line.size())));
    if (io::equals_ignoring_case(name, "Content-Disposition")) part.file_name = parameter_of(value, "filename");
    if (io::equals_ignoring_case(name, "Content-Type")) part.content_type = value;
    if (io::equals_ignoring_case(name, "Content-Encoding")) part.content_encoding = value;
  }
}

}  // namespace

std::string multipart_boundary(std::string_view content_type) { return parameter_of(content_type, "boundary"); }

base::Result<std::vector<FormPart>> parse_multipart(std::string_view body, std::string_view boundary) {
  if (boundary.empty()) return invalid("no boundary; expected one in Content-Type");
  const std::string first = fmt::format("--{}", boundary);
  const std::string next = fmt::format("\r\n--{}", boundary);
  std::vector<FormPart> parts;
  if (!body.starts_with(first)) return invalid(fmt::format("expected it to begin with --{}", boundary));
  body.remove_prefix(first.size());
  while (!body.starts_with("--")) {
    if (!body.starts_with("\r\n")) return invalid("expected a line end after a boundary");
    body.remove_prefix(2);
    const size_t end = body.find(next);
    if (end == std::string_view::npos) return invalid("cut off; expected a closing boundary");
    if (parts.size() == parts_max) return invalid(fmt::format("more than {} parts", parts_max));
    FormPart part;
    part.content = body.substr(0, end);
    QUADRILLE_TRY(read_headers(part));
    parts.push_back(std::move(part));
    body.remove_prefix(end + next.size());
  }
  return parts;
}

}  // namespace quadrille::http
