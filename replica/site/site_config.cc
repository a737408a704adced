#include "replica/site/site_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "log/site_id.h"
#include "replica/site/assignment_tables.h"
#include "replica/site/conflict_bounds.h"
#include "replica/site/site_policies.h"
#include "replica/site/toml_reader.h"
#include "sync/address.h"

namespace quadrille::replica {
namespace {

base::Result<void> read_address(TomlReader& table, std::string_view key, std::string& into) {
  QUADRILLE_ASSIGN(auto text, table.text(key));
  if (!text) return {};
  if (auto parsed = sync::parse_host_port(*text); !parsed.ok()) return table.error(key, parsed.error().message);
  into = std::move(*text);
  return {};
}

base::Result<void> read_site(TomlReader& table, SiteConfig& config) {
  QUADRILLE_ASSIGN(auto name, table.text("name"));
  if (name) {
    if (auto checked = log::check_site_name(*name); !checked.ok()) return table.error("name", checked.error().message);
    config.name = std::move(*name);
  }
  QUADRILLE_TRY(read_address(table, "http", config.http));
  QUADRILLE_TRY(read_address(table, "sync", config.sync));
  QUADRILLE_ASSIGN(auto peers, table.texts("peers"));
  if (peers) config.peers = std::move(*peers);
  for (const auto& peer : config.peers) {
    if (auto parsed = sync::parse_host_port(peer); !parsed.ok()) return table.error("peers", parsed.error().message);
  }
  QUADRILLE_ASSIGN(const auto durability, table.text("durability"));
  if (durability && *durability != "full" && *durability != "relaxed") {
    return table.error("durability", fmt::format("\"{}\"; expected \"full\" or \"relaxed\"", *durability));
  }
  if (durability) config.durability = *durability == "relaxed" ? Durability::Relaxed : Durability::Full;
  return table.check_all_known();
}

base::Result<std::filesystem::path> read_file_name(TomlReader& table, std::string_view key) {
  QUADRILLE_ASSIGN(auto text, table.text(key));
  if (!text || text->empty()) return table.error(key, "not there; expected the name of a PEM file");
  return std::filesystem::absolute(std::filesystem::path(table.file()).parent_path() / *text).lexically_normal();
}

base::Result<void> read_limit(TomlReader& table, std::string_view key, int64_t min, int64_t max, int64_t& into) {
  QUADRILLE_ASSIGN(const auto value, table.integer(key, min, max));
  if (value) into = *value;
  return {};
}

base::Result<void> read_sync(TomlReader& table, SiteConfig& config) {
  QUADRILLE_ASSIGN(const auto allow_plain, table.boolean("allow_plain"));
  config.allow_plain_sync = allow_plain.value_or(false);
  QUADRILLE_ASSIGN(const auto compare_every_s, table.integer("compare_every_s", 0, 4'000'000));
  config.compare_every_s = compare_every_s.value_or(config.compare_every_s);
  QUADRILLE_TRY(read_limit(table, "max_clock_skew_ms", 15'000, int64_t{1} << 40, config.max_clock_skew_ms));
  QUADRILLE_ASSIGN(auto tls, table.table("tls"));
  if (tls) {
    SyncTlsConfig files;
    QUADRILLE_ASSIGN(files.certificate, read_file_name(*tls, "certificate"));
    QUADRILLE_ASSIGN(files.key, read_file_name(*tls, "key"));
    QUADRILLE_ASSIGN(files.ca, read_file_name(*tls, "ca"));
    QUADRILLE_TRY(tls->check_all_known());
    config.sync_tls = std::move(files);
  }
  return table.check_all_known();
}

base::Result<void> read_cluster(TomlReader& table, SiteConfig& config) {
  QUADRILLE_ASSIGN(auto name, table.text("name"));
  if (name) {
    if (name->empty()) return table.error("name", "empty; expected the name of the cluster");
    config.cluster = std::move(*name);
  }
  QUADRILLE_ASSIGN(auto members, table.texts("members"));
  if (members) {
    auto checked = check_members(std::move(*members), config.name);
    if (!checked.ok()) return table.error("members", checked.error().message);
    config.members = std::move(checked).value();
  }
  return table.check_all_known();
}

base::Result<void> read_limits(TomlReader& table, SiteLimits& limits) {
  QUADRILLE_TRY(read_limit(table, "query_time_ms", 0, int64_t{1} << 40, limits.query_time_ms));
  QUADRILLE_TRY(read_limit(table, "query_memory_mb", 1, int64_t{1} << 24, limits.query_memory_mb));
  QUADRILLE_TRY(read_limit(table, "query_spill_mb", 0, int64_t{1} << 24, limits.query_spill_mb));
  QUADRILLE_TRY(read_limit(table, "reader_age_ms", 1, int64_t{1} << 40, limits.reader_age_ms));
  QUADRILLE_TRY(read_limit(table, "request_mb", 1, 4095, limits.request_mb));
  QUADRILLE_TRY(read_limit(table, "upload_mb", 0, int64_t{1} << 30, limits.upload_mb));
  QUADRILLE_TRY(read_limit(table, "answer_mb", 0, int64_t{1} << 30, limits.answer_mb));
  QUADRILLE_TRY(read_limit(table, "header_kb", 4, 1024, limits.header_kb));
  QUADRILLE_TRY(read_limit(table, "connections", 8, 1'000'000, limits.connections));
  QUADRILLE_TRY(read_limit(table, "query_threads", 1, 1024, limits.query_threads));
  QUADRILLE_TRY(read_limit(table, "load_memory_mb", 16, int64_t{1} << 24, limits.load_memory_mb));
  QUADRILLE_TRY(read_limit(table, "version_wait_ms", 0, 3'600'000, limits.version_wait_ms));
  QUADRILLE_TRY(read_limit(table, "version_wait_ms_max", 0, 3'600'000, limits.version_wait_ms_max));
  return table.check_all_known();
}

base::Result<void> read_federation(TomlReader& table, FederationConfig& federation) {
  QUADRILLE_ASSIGN(const auto entries, table.texts("allow"));
  if (entries) {
    auto allow = AllowList::parse(*entries);
    if (!allow.ok()) return table.error("allow", allow.error().message);
    federation.allow = std::move(allow).value();
  }
  QUADRILLE_TRY(read_limit(table, "answer_mb", 1, 4095, federation.answer_mb));
  QUADRILLE_TRY(read_limit(table, "document_mb", 1, 4095, federation.document_mb));
  return table.check_all_known();
}

std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(file.string());
  return texts;
}

base::Result<SiteConfig> read_config(const toml::table& root, const std::string& file,
                                     const reconcile::PolicyRegistry& policies) {
  SiteConfig config;
  TomlReader top(root, file, "");
  QUADRILLE_ASSIGN(auto site, top.table("site"));
  if (site) QUADRILLE_TRY(read_site(*site, config));
  QUADRILLE_ASSIGN(auto http, top.table("http"));
  if (http) {
    QUADRILLE_ASSIGN(config.http_access, read_http_config(*http));
  }
  QUADRILLE_ASSIGN(auto sync, top.table("sync"));
  if (sync) QUADRILLE_TRY(read_sync(*sync, config));
  QUADRILLE_ASSIGN(auto cluster, top.table("cluster"));
  if (cluster) QUADRILLE_TRY(read_cluster(*cluster, config));
  QUADRILLE_ASSIGN(auto limits, top.table("limits"));
  if (limits) QUADRILLE_TRY(read_limits(*limits, config.limits));
  QUADRILLE_ASSIGN(auto federation, top.table("federation"));
  if (federation) QUADRILLE_TRY(read_federation(*federation, config.federation));
  QUADRILLE_ASSIGN(config.conflicts, read_conflict_bounds(top));
  QUADRILLE_ASSIGN(config.policy_files, read_policy_files(top));
  QUADRILLE_ASSIGN(config.assignment, read_assignment(top, policies));
  QUADRILLE_TRY(top.check_all_known());
  return config;
}

std::string sync_as_toml(const SiteConfig& config) {
  std::string text = fmt::format("[sync]\nallow_plain = {}\ncompare_every_s = {}\nmax_clock_skew_ms = {}\n\n",
                                 config.allow_plain_sync, config.compare_every_s, config.max_clock_skew_ms);
  if (config.sync_tls) {
    text += fmt::format("[sync.tls]\ncertificate = {}\nkey = {}\nca = {}\n\n",
                        toml_quoted(config.sync_tls->certificate.string()), toml_quoted(config.sync_tls->key.string()),
                        toml_quoted(config.sync_tls->ca.string()));
  }
  return text;
}

}  // namespace

base::Result<SiteConfig> read_site_config(const std::filesystem::path& file,
                                          const reconcile::PolicyRegistry& policies) {
  QUADRILLE_ASSIGN(const auto root, read_toml_file(file));
  return read_config(root, file.string(), policies);
}

base::Result<SiteConfig> parse_site_config(std::string_view text, const std::string& file,
                                           const reconcile::PolicyRegistry& policies) {
  QUADRILLE_ASSIGN(const auto root, parse_toml(text, file));
  return read_config(root, file, policies);
}

std::string to_toml(const SiteConfig& config) {
  const auto& limits = config.limits;
  return fmt::format(
      "# A Quadrille site. Name, cluster, members and policies are what the store was made with: they count from "
      "then.\n"
      "default_policy = {}\n\n"
      "[site]\nname = {}\nhttp = {}\nsync = {}\npeers = {}\ndurability = {}\n\n{}{}"
      "[cluster]\nname = {}\n{}\n"
      "[limits]\nquery_time_ms = {}\nquery_memory_mb = {}\nquery_spill_mb = {}\nreader_age_ms = {}\nrequest_mb = "
      "{}\nupload_mb = {}\nanswer_mb = {}\nheader_kb = {}\nconnections = {}\nquery_threads = "
      "{}\nload_memory_mb = {}\nversion_wait_ms = {}\nversion_wait_ms_max = {}\n\n"
      "[federation]\nallow = {}\nanswer_mb = {}\ndocument_mb = {}\n\n"
      "[conflicts]\nkeep_max = {}\nkeep_days = {}\n\n"
      "[policies]\nload = {}\n\n{}",
      toml_quoted(config.assignment.default_policy), toml_quoted(config.name), toml_quoted(config.http),
      toml_quoted(config.sync), quoted_list(config.peers),
      toml_quoted(config.durability == Durability::Relaxed ? "relaxed" : "full"), to_toml(config.http_access),
      sync_as_toml(config), toml_quoted(config.cluster),
      config.members.empty() ? std::string() : fmt::format("members = {}\n", quoted_list(config.members)),
      limits.query_time_ms, limits.query_memory_mb, limits.query_spill_mb, limits.reader_age_ms, limits.request_mb,
      limits.upload_mb, limits.answer_mb, limits.header_kb, limits.connections, limits.query_threads,
      limits.load_memory_mb, limits.version_wait_ms, limits.version_wait_ms_max,
      quoted_list(config.federation.allow.texts()), config.federation.answer_mb, config.federation.document_mb,
      config.conflicts.count_max, days_kept(config.conflicts), quoted_list(texts_of(config.policy_files)),
      assignment_as_toml(config.assignment));
}

base::Result<std::vector<std::string>> check_members(std::vector<std::string> members, const std::string& self) {
  std::sort(members.begin(), members.end());
  for (const auto& member : members) QUADRILLE_TRY(log::check_site_name(member));
  if (const auto twice = std::adjacent_find(members.begin(), members.end()); twice != members.end()) {
    return base::Error{base::ErrorKind::InvalidInput, fmt::format("{} stands twice among the members", *twice), {}};
  }
  if (!self.empty() && !std::binary_search(members.begin(), members.end(), self)) {
    return base::Error{base::ErrorKind::InvalidInput, fmt::format("this site, {}, is not among the members", self), {}};
  }
  return members;
}

}  // namespace quadrille::replica
