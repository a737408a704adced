#include "replica/http/version_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/io/media_type.h"
#include "engine/model/utf8.h"

namespace quadrille::http {
namespace {

base::Result<int64_t> read_patience(std::string_view text) {
  int64_t ms = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error == std::errc{} && stop == text.data() + text.size() && ms >= 0) return ms;
  return base::Error{
      base::ErrorKind::InvalidInput,
      fmt::format("{}: {}; expected a number of milliseconds", wait_field, model::describe_text(text.substr(0, 40))),
      {}};
}

}  // namespace

base::Result<std::optional<VersionRequest>> read_version_request(const Request& request,
                                                                 const replica::SiteLimits& limits) {
  VersionRequest wanted{{}, limits.version_wait_ms};
  std::string tokens;
  for (const auto& header : request.headers) {
    if (io::equals_ignoring_case(header.name, version_field)) tokens += (tokens.empty() ? "" : ",") + header.value;
    if (io::equals_ignoring_case(header.name, wait_field)) {
      QUADRILLE_ASSIGN(wanted.patience_ms, read_patience(header.value));
    }
  }
  wanted.patience_ms = std::min(wanted.patience_ms, limits.version_wait_ms_max);
  QUADRILLE_ASSIGN(wanted.token, replica::parse_version_token(tokens));
  if (wanted.token.entries.empty()) return std::optional<VersionRequest>();
  return std::optional(std::move(wanted));
}

}  // namespace quadrille::http
