#include "log/site_id.h"

#include <fmt/format.h>

#include <charconv>

namespace quadrille::log {

base::Result<void> check_site_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool is_good = !name.empty() && name.size() <= 63 && is_letter(name.front()) && is_letter(name.back());
  for (const char c : name) is_good = is_good && (is_letter(c) || c == '-');
  if (is_good) return {};
  return base::Error{
      base::ErrorKind::InvalidInput,
      fmt::format("'{}' is no site name: expected 1 to 63 of a-z, 0-9 and '-', first and last not '-'", name),
      {}};
}

std::string to_string(const SiteId& site) { return fmt::format("{}.{:016x}", site.name, site.incarnation); }

base::Result<SiteId> parse_site_id(std::string_view text) {
  const base::Error bad{base::ErrorKind::InvalidInput,
                        fmt::format("'{}' is no site id: expected a name, '.', and 16 hexadecimal digits", text),
                        {}};
  const size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || text.size() - dot != 17) return bad;
  SiteId site{std::string(text.substr(0, dot)), 0};
  if (!check_site_name(site.name)) return bad;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + dot + 1, end, site.incarnation, 16);
  if (error != std::errc{} || stop != end) return bad;
  return site;
}

}  // namespace quadrille::log
