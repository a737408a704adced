// What a site's file says of HTTP: [http] of site.toml (site_config.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::replica {

class TomlReader;

// Each may do what those before may. Read: queries, data, status. Write: updates, data. Admin: policies, members, and
// copies of the store.
enum class Role : uint8_t { None, Read, Write, Admin };
const char* name_of(Role role) noexcept;
std::optional<Role> role_by_name(std::string_view name) noexcept;

using TokenHash = std::array<uint8_t, 32>;
// SHA-256: tokens are random and long, so there is nothing to guess that a slow hash would protect.
TokenHash hash_of_token(std::string_view token);
std::string to_text(const TokenHash& hash);  // "sha256:…"

struct HttpToken {
  std::string name;  // whose it is
  Role role = Role::Read;
  TokenHash hash{};
};

struct HttpTlsConfig {  // absolute
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct HttpConfig {
  std::vector<std::string> allow_origins;
  std::vector<HttpToken> tokens;  // none: everybody is admin
  Role anonymous = Role::None;    // who has no token, where there are tokens
  std::optional<HttpTlsConfig> tls;
};

base::Result<HttpConfig> read_http_config(TomlReader& table);
// The tables [http] and [http.tls], and the [[http.token]].
std::string to_toml(const HttpConfig& config);

}  // namespace quadrille::replica
