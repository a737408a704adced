#include "replica/http/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>

#include "engine/io/media_type.h"
#include "replica/http/replies.h"

namespace quadrille::http {
namespace {

Response who_is_it(const char* line) {
  auto response = plain_response(401, line);
  response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"quadrille\", Basic realm=\"quadrille\""});
  return response;
}

bool takes_prefix(std::string_view& text, std::string_view prefix) {
  if (!io::equals_ignoring_case(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const auto padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;  // decoded as zero bytes
  bytes.resize(static_cast<size_t>(size - padding));
  return bytes;
}

// The token of a request; nothing: the header is of another kind.
std::optional<std::string> token_of(std::string_view authorization) {
  if (takes_prefix(authorization, "Bearer ")) return std::string(authorization);
  if (!takes_prefix(authorization, "Basic ")) return std::nullopt;
  const auto decoded = decode_base64(authorization);
  if (!decoded) return std::nullopt;
  const auto colon = decoded->find(':');
  return colon == std::string::npos ? std::nullopt : std::optional(decoded->substr(colon + 1));
}

std::string_view host_of(std::string_view origin) {
  const auto slashes = origin.find("://");
  return slashes == std::string_view::npos ? std::string_view() : origin.substr(slashes + 3);
}

}  // namespace

std::variant<replica::Role, Response> AccessRules::role_of(const Request& request) const {
  const auto authorization = request.header("Authorization");
  if (config_.tokens.empty()) return replica::Role::Admin;
  if (authorization.empty()) {
    if (config_.anonymous != replica::Role::None) return config_.anonymous;
    return who_is_it("expected a token: Authorization: Bearer TOKEN");
  }
  const auto token = token_of(authorization);
  if (!token) return who_is_it("Authorization: expected Bearer TOKEN, or Basic with the token as the password");
  const auto hash = replica::hash_of_token(*token);
  std::optional<replica::Role> role;
  for (const auto& known : config_.tokens) {
    if (CRYPTO_memcmp(known.hash.data(), hash.data(), hash.size()) == 0) role = known.role;
  }
  if (!role) return who_is_it("there is no such token");
  return *role;
}

std::optional<Response> AccessRules::check_origin(const Request& request, std::vector<Header>& headers) const {
  const auto origin = request.header("Origin");
  if (origin.empty() || host_of(origin) == request.header("Host")) return std::nullopt;
  const auto& allowed = config_.allow_origins;
  const bool is_allowed =
      std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) { return one == "*" || one == origin; });
  if (!is_allowed) {
    return plain_response(403, fmt::format("Origin {}: pages of there may not use this site; expected one of "
                                           "allow_origins of [http]",
                                           origin));
  }
  headers.push_back({"Access-Control-Allow-Origin", std::string(origin)});
  headers.push_back({"Access-Control-Expose-Headers", "Quadrille-Version, Location"});
  headers.push_back({"Vary", "Origin"});
  return std::nullopt;
}

Response role_refusal(const Request& request, replica::Role wanted) {
  if (request.header("Authorization").empty()) return who_is_it("this needs a token: Authorization: Bearer TOKEN");
  return plain_response(403, fmt::format("the token does not allow this; expected one of the role {}, or higher",
                                         replica::name_of(wanted)));
}

}  // namespace quadrille::http
