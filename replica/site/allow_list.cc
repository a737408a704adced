#include "replica/site/allow_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/io/media_type.h"
#include "engine/model/iri.h"

namespace quadrille::replica {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = io::ascii_lower(c);
  return made;
}

bool is_host(std::string_view host) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const auto holds_only = [](std::string_view text, std::string_view allowed) {
    return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
  };
  if (host.starts_with('[')) {
    return host.size() > 2 && host.ends_with(']') && holds_only(host.substr(1, host.size() - 2), "0123456789abcdef:.");
  }
  return holds_only(host, std::string(letters) + "-._");
}

std::optional<UrlParts> parse_entry(std::string_view entry) {
  if (!model::check_iri(entry).ok()) return std::nullopt;
  const auto components = model::split_iri(entry);
  if (!components.authority || components.query || components.fragment) return std::nullopt;
  UrlParts parts;
  parts.scheme = lower(*components.scheme);
  if (parts.scheme != "http" && parts.scheme != "https") return std::nullopt;
  parts.port = parts.scheme == "http" ? 80 : 443;
  std::string_view host = *components.authority;
  const size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    const auto digits = host.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.port);
    if (error != std::errc() || end != digits.data() + digits.size() || parts.port == 0) return std::nullopt;
    host = host.substr(0, colon);
  }
  parts.host = lower(host);
  if (!is_host(parts.host)) return std::nullopt;
  parts.path = components.path;
  if (model::remove_dot_segments(parts.path) != parts.path) return std::nullopt;
  return parts;
}

bool is_below(std::string_view path, std::string_view allowed) {
  if (!path.starts_with(allowed)) return false;
  return allowed.empty() || allowed.ends_with('/') || path.size() == allowed.size() || path[allowed.size()] == '/';
}

// A server may read such a path as a way up and out of what was allowed.
bool has_hidden_dots(std::string_view path) { return lower(path).find("%2e") != std::string::npos; }

}  // namespace

base::Result<AllowList> AllowList::parse(const std::vector<std::string>& entries) {
  AllowList made;
  made.texts_ = entries;
  for (const std::string& entry : entries) {
    if (entry == "*") {
      made.allows_public_ = true;
      continue;
    }
    auto parts = parse_entry(entry);
    if (!parts) {
      return base::Error{
          base::ErrorKind::InvalidInput,
          fmt::format("\"{}\"; expected http://HOST, https://HOST:PORT/PATH or the like, or \"*\"", entry),
          {}};
    }
    made.entries_.push_back(std::move(*parts));
  }
  return made;
}

Reach AllowList::reach(const UrlParts& url) const {
  const bool is_listed = std::any_of(entries_.begin(), entries_.end(), [&](const UrlParts& entry) {
    const bool is_same_origin = entry.scheme == url.scheme && entry.host == url.host && entry.port == url.port;
    if (!is_same_origin || !is_below(url.path, entry.path)) return false;
    return entry.path.empty() || entry.path == "/" || !has_hidden_dots(url.path);
  });
  if (is_listed) return Reach::AnyAddress;
  return allows_public_ ? Reach::PublicAddresses : Reach::Nowhere;
}

}  // namespace quadrille::replica
