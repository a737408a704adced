#include "engine/model/iri.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/utf8.h"

namespace quadrille::model {
namespace {

constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr bool is_scheme_character(char c) noexcept {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

// The length of the scheme, or npos.
size_t find_scheme_end(std::string_view iri) noexcept {
  if (iri.empty() || !is_letter(iri.front())) return std::string_view::npos;
  size_t end = 1;
  while (end < iri.size() && is_scheme_character(iri[end])) ++end;
  return end < iri.size() && iri[end] == ':' ? end : std::string_view::npos;
}

std::string_view take_until(std::string_view& rest, std::string_view stops) noexcept {
  const std::string_view taken = rest.substr(0, rest.find_first_of(stops));
  rest.remove_prefix(taken.size());
  return taken;
}

// RFC 3986 section 5.2.3.
std::string merge_paths(const IriComponents& base, std::string_view reference_path) {
  if (base.authority && base.path.empty()) return "/" + std::string(reference_path);
  const size_t last_slash = base.path.rfind('/');
  std::string merged(last_slash == std::string_view::npos ? std::string_view() : base.path.substr(0, last_slash + 1));
  return merged += reference_path;
}

// RFC 3986 section 5.3.
std::string recompose(const IriComponents& parts) {
  std::string out;
  if (parts.scheme) out.append(*parts.scheme) += ':';
  if (parts.authority) out.append("//").append(*parts.authority);
  out += parts.path;
  if (parts.query) (out += '?').append(*parts.query);
  if (parts.fragment) (out += '#').append(*parts.fragment);
  return out;
}

base::Error bad_iri(std::string_view iri, std::string_view why) {
  return {base::ErrorKind::InvalidInput, fmt::format("bad IRI <{}>: {}", describe_text(iri), why), {}};
}

}  // namespace

bool is_iri_character(char32_t c) noexcept {
  if (c > 0x7F) return true;
  if (c <= 0x20) return false;
  switch (c) {
    case '<':
    case '>':
    case '"':
    case '{':
    case '}':
    case '|':
    case '^':
    case '`':
    case '\\': return false;
    default: return true;
  }
}

bool has_scheme(std::string_view iri) noexcept { return find_scheme_end(iri) != std::string_view::npos; }

base::Result<void> check_iri(std::string_view iri) {
  if (!is_valid_utf8(iri)) return bad_iri(iri, "not UTF-8");
  for (const char c : iri) {
    const auto byte = static_cast<unsigned char>(c);
    if (!is_iri_character(byte))
      return bad_iri(iri, fmt::format("{} may not stand in an IRI", describe_character(byte)));
  }
  if (!has_scheme(iri)) return bad_iri(iri, "not absolute, expected a scheme such as http:");
  return {};
}

IriComponents split_iri(std::string_view iri) noexcept {
  IriComponents parts;
  std::string_view rest = iri;
  if (const size_t end = find_scheme_end(rest); end != std::string_view::npos) {
    parts.scheme = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  if (rest.substr(0, 2) == "//") {
    rest.remove_prefix(2);
    parts.authority = take_until(rest, "/?#");
  }
  parts.path = take_until(rest, "?#");
  if (!rest.empty() && rest.front() == '?') {
    rest.remove_prefix(1);
    parts.query = take_until(rest, "#");
  }
  if (!rest.empty()) parts.fragment = rest.substr(1);
  return parts;
}

std::string remove_dot_segments(std::string_view path) {
  std::string out;
  const auto drop_last_segment = [&out] {
    const size_t slash = out.rfind('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./")) {
      path.remove_prefix(2);
    } else if (path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last_segment();
    } else if (path == "/..") {
      path = "/";
      drop_last_segment();
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const size_t end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

std::string resolve_iri(std::string_view base, std::string_view reference) {
  const IriComponents parts = split_iri(reference);
  if (parts.scheme) return std::string(reference);
  const IriComponents base_parts = split_iri(base);
  QUADRILLE_CHECK(base_parts.scheme, "a base IRI is absolute");

  IriComponents target = parts;
  target.scheme = base_parts.scheme;
  std::string path;
  if (parts.authority || parts.path.starts_with('/')) {
    if (!parts.authority) target.authority = base_parts.authority;
    path = remove_dot_segments(parts.path);
    target.path = path;
  } else {
    target.authority = base_parts.authority;
    if (parts.path.empty()) {
      target.path = base_parts.path;
      if (!parts.query) target.query = base_parts.query;
    } else {
      path = remove_dot_segments(merge_paths(base_parts, parts.path));
      target.path = path;
    }
  }
  return recompose(target);
}

}  // namespace quadrille::model
