#include "replica/site/http_config.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <utility>

#include "engine/model/hex.h"
#include "replica/site/assignment_tables.h"
#include "replica/site/toml_reader.h"

namespace quadrille::replica {
namespace {

constexpr std::array role_names = {"none", "read", "write", "admin"};
constexpr std::string_view hash_prefix = "sha256:";

std::optional<TokenHash> parse_hash(std::string_view text) {
  TokenHash hash{};
  if (!text.starts_with(hash_prefix) || text.size() != hash_prefix.size() + 2 * hash.size()) return std::nullopt;
  text.remove_prefix(hash_prefix.size());
  for (size_t i = 0; i < hash.size(); ++i) {
    const int high = model::hex_digit(text[2 * i]);
    const int low = model::hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    hash[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return hash;
}

base::Result<Role> read_role(TomlReader& table, std::string_view key, Role lowest) {
  QUADRILLE_ASSIGN(const auto name, table.text(key));
  const auto role = role_by_name(name.value_or(std::string()));
  if (role && *role >= lowest) return *role;
  const char* expected = lowest == Role::None ? "none, read or write" : "read, write or admin";
  return table.error(key, fmt::format("\"{}\"; expected {}", name.value_or(std::string()), expected));
}

base::Result<HttpToken> read_token(TomlReader& table) {
  HttpToken token;
  QUADRILLE_ASSIGN(auto name, table.text("name"));
  if (!name || name->empty()) return table.error("name", "not there; expected whose token it is");
  token.name = std::move(*name);
  QUADRILLE_ASSIGN(token.role, read_role(table, "role", Role::Read));
  QUADRILLE_ASSIGN(const auto text, table.text("hash"));
  const auto hash = parse_hash(text.value_or(std::string()));
  if (!hash) return table.error("hash", "expected sha256: and 64 hex digits, as `quadrille token` prints them");
  token.hash = *hash;
  QUADRILLE_TRY(table.check_all_known());
  return token;
}

base::Result<std::filesystem::path> read_file_name(TomlReader& table, std::string_view key) {
  QUADRILLE_ASSIGN(auto text, table.text(key));
  if (!text || text->empty()) return table.error(key, "not there; expected the name of a PEM file");
  return std::filesystem::absolute(std::filesystem::path(table.file()).parent_path() / *text).lexically_normal();
}

base::Result<void> check_origins(const TomlReader& table, const std::vector<std::string>& origins) {
  for (const auto& origin : origins) {
    if (origin == "*" || origin == "null") continue;
    const bool has_scheme = origin.starts_with("http://") || origin.starts_with("https://");
    if (has_scheme && origin.find('/', origin.find("://") + 3) == std::string::npos) continue;
    return table.error("allow_origins", fmt::format("\"{}\"; expected \"https://HOST\", with :PORT if it is not the "
                                                    "scheme's own, or \"*\"",
                                                    origin));
  }
  return {};
}

}  // namespace

const char* name_of(Role role) noexcept { return role_names[static_cast<size_t>(role)]; }

std::optional<Role> role_by_name(std::string_view name) noexcept {
  const auto found = std::find(role_names.begin(), role_names.end(), name);
  if (found == role_names.end()) return std::nullopt;
  return static_cast<Role>(found - role_names.begin());
}

TokenHash hash_of_token(std::string_view token) {
  TokenHash hash{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), hash.data());
  return hash;
}

std::string to_text(const TokenHash& hash) {
  std::string text(hash_prefix);
  for (const uint8_t byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

base::Result<HttpConfig> read_http_config(TomlReader& table) {
  HttpConfig config;
  QUADRILLE_ASSIGN(auto origins, table.texts("allow_origins"));
  if (origins) config.allow_origins = std::move(*origins);
  QUADRILLE_TRY(check_origins(table, config.allow_origins));
  if (table.has("anonymous")) {
    QUADRILLE_ASSIGN(config.anonymous, read_role(table, "anonymous", Role::None));
    if (config.anonymous == Role::Admin) return table.error("anonymous", "\"admin\"; expected none, read or write");
  }
  QUADRILLE_ASSIGN(auto tls, table.table("tls"));
  if (tls) {
    HttpTlsConfig files;
    QUADRILLE_ASSIGN(files.certificate, read_file_name(*tls, "certificate"));
    QUADRILLE_ASSIGN(files.key, read_file_name(*tls, "key"));
    QUADRILLE_TRY(tls->check_all_known());
    config.tls = std::move(files);
  }
  QUADRILLE_ASSIGN(auto tokens, table.tables("token"));
  for (auto& one : tokens) {
    QUADRILLE_ASSIGN(auto token, read_token(one));
    config.tokens.push_back(std::move(token));
  }
  QUADRILLE_TRY(table.check_all_known());
  return config;
}

std::string to_toml(const HttpConfig& config) {
  std::string text = fmt::format("[http]\nallow_origins = {}\nanonymous = \"{}\"\n\n",
                                 quoted_list(config.allow_origins), name_of(config.anonymous));
  if (config.tls) {
    text += fmt::format("[http.tls]\ncertificate = {}\nkey = {}\n\n", toml_quoted(config.tls->certificate.string()),
                        toml_quoted(config.tls->key.string()));
  }
  for (const auto& token : config.tokens) {
    text += fmt::format("[[http.token]]\nname = {}\nrole = \"{}\"\nhash = \"{}\"\n\n", toml_quoted(token.name),
                        name_of(token.role), to_text(token.hash));
  }
  return text;
}

}  // namespace quadrille::replica
