#include "replica/cli/joining.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_answer.h"
#include "replica/system_clocks.h"
#include "sync/address.h"

namespace quadrille::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

base::Result<Json> fetch_members(const std::string& url) {
  QUADRILLE_ASSIGN(const auto text, fetch(url, "/members"));
  auto json = Json::parse(text, nullptr, false);
  const bool is_list = json.is_object() && json.contains("members") && json["members"].is_array() &&
                       json.contains("pending_evictions") && json["pending_evictions"].is_array();
  if (!is_list) return not_a_site(url);
  return json;
}

base::Result<void> ask(const std::string& url, const Json& what) {
  HttpCall call;
  call.method = "POST";
  call.url = join_url(url, "/members");
  call.headers = {"Content-Type: application/json"};
  call.body = what.dump();
  const auto reply = send(call);
  return reply.ok() ? base::Result<void>() : reply.error();
}

bool has_member(const Json& list, const std::string& name) {
  const Json& members = list["members"];
  return std::find(members.begin(), members.end(), Json(name)) != members.end();
}

std::string host_of(std::string_view url) {
  url.remove_prefix(std::min(url.size(), url.find("://") + 3));
  url = url.substr(0, url.find('/'));
  if (url.starts_with('[')) return std::string(url.substr(0, url.find(']') + 1));
  return std::string(url.substr(0, url.find(':')));
}

}  // namespace

base::Result<NewSite> make_site_of_copy(const fs::path& directory, replica::SiteConfig config, reconcile::CopyUse use) {
  QUADRILLE_ASSIGN(const auto copied, reconcile::read_copied_identity(directory, {}));
  replica::SystemRandom random;
  if (config.name.empty()) config.name = copied.site.name;
  const log::SiteId site{config.name, random.next()};
  QUADRILLE_TRY(reconcile::adopt_copy(directory, site, use, {}));
  config.cluster = copied.cluster;
  config.members.clear();
  config.assignment = copied.assignment;
  const fs::path file = directory / "site.toml";
  std::ofstream out(file, std::ios::binary);
  out << replica::to_toml(config);
  out.close();
  if (!out) return base::Error{base::ErrorKind::IoFailure, fmt::format("{}: cannot be written", file.string()), {}};
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(directory));
  return NewSite{site, local->store().membership().names()};
}

base::Result<std::string> sync_address_of(const std::string& url) {
  QUADRILLE_ASSIGN(const auto list, fetch_members(url));
  QUADRILLE_ASSIGN(const auto address, sync::parse_host_port(text_of(list, "sync")));
  return fmt::format("{}:{}", host_of(url), address.port);
}

base::Result<void> ask_to_join(const std::string& url, const fs::path& directory) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(directory));
  const auto& site = local->store().identity().site;
  Json has = Json::object();
  const auto version = local->store().snapshot()->version_vector();
  for (const auto& [origin, seq] : version.entries()) {
    has[log::to_string(origin)] = seq;
  }
  const auto asked = ask(url, {{"join", log::to_string(site)}, {"has", has}});
  if (asked.ok() || asked.error().kind != base::ErrorKind::Unavailable) return asked;
  // The answer was lost on its way, perhaps.
  const auto list = fetch_members(url);
  return list.ok() && has_member(*list, site.name) ? base::Result<void>() : asked;
}

base::Result<void> evict_and_wait(const std::string& url, const std::string& name, uint32_t wait_s) {
  QUADRILLE_ASSIGN(auto list, fetch_members(url));
  if (!has_member(list, name)) return {};
  const Json& pending = list["pending_evictions"];
  const bool is_under_way = std::any_of(pending.begin(), pending.end(), [&](const Json& one) {
    return one.is_object() && text_of(one, "site").starts_with(name + ".");
  });
  if (!is_under_way) QUADRILLE_TRY(ask(url, {{"evict", name}}));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wait_s);
  while (true) {
    QUADRILLE_ASSIGN(list, fetch_members(url));
    if (!has_member(list, name)) return {};
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return base::Error{base::ErrorKind::Unavailable,
                     fmt::format("{}: the eviction of {} is not complete after {} s: {}; it goes on, try again later",
                                 url, name, wait_s, list["pending_evictions"].dump()),
                     {}};
}

}  // namespace quadrille::cli
