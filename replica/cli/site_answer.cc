#include "replica/cli/site_answer.h"

#include <fmt/format.h>

#include "replica/cli/http_client.h"
#include "replica/http/version_request.h"

namespace quadrille::cli {

base::Result<std::string> fetch(const std::string& url, const std::string& path) {
  HttpCall call;
  call.url = join_url(url, path);
  QUADRILLE_ASSIGN(auto reply, send(call));
  return std::move(reply.body);
}

void ask_for_version(const VersionOptions& version, std::vector<std::string>& headers) {
  if (version.after.empty()) return;
  headers.push_back(fmt::format("{}: {}", http::version_field, version.after));
  if (version.wait_ms) headers.push_back(fmt::format("{}: {}", http::wait_field, *version.wait_ms));
}

std::optional<std::string> check_version_options(const VersionOptions& version, const std::string& target) {
  if (version.after.empty()) return std::nullopt;
  if (!is_url(target)) return fmt::format("--after with {}; expected the URL of a running site", target);
  const auto parsed = replica::parse_version_token(version.after);
  return parsed.ok() ? std::nullopt : std::optional("--after: " + parsed.error().message);
}

std::string text_of(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

base::Error not_a_site(const std::string& url) {
  return {base::ErrorKind::Unavailable, fmt::format("{}: not the answer of a site", url), {}};
}

}  // namespace quadrille::cli
