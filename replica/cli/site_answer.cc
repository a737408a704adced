#include "replica/cli/site_answer.h"

#include <fmt/format.h>

#include "replica/cli/http_client.h"

namespace quadrille::cli {

base::Result<std::string> fetch(const std::string& url, const std::string& path) {
  HttpCall call;
  call.url = join_url(url, path);
  QUADRILLE_ASSIGN(auto reply, send(call));
  return std::move(reply.body);
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
