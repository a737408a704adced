#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/trouble.h"

namespace quadrille::cli {
namespace {

int verify_directory(const std::string& directory) {
  const auto local = LocalStore::open(directory);
  if (!local.ok()) return report(local.error());
  const auto findings = (*local)->store().verify();
  for (const auto& finding : findings) fmt::print("{}\n", finding);
  if (!findings.empty()) {
    return report({base::ErrorKind::Corruption, fmt::format("{}: {} findings", directory, findings.size()), {}});
  }
  fmt::print("{}: sound, {} quads\n", directory, (*local)->store().snapshot()->quad_count());
  return Done;
}

struct SiteDigest {
  std::string url;
  std::string site;
  std::string digest;
  uint64_t quads = 0;
};

base::Result<SiteDigest> fetch_digest(const std::string& url) {
  HttpCall call;
  call.url = join_url(url, "/digest");
  QUADRILLE_ASSIGN(const auto reply, send(call));
  const auto json = nlohmann::json::parse(reply.body, nullptr, false);
  if (!json.is_object() || !json.contains("digest") || !json["digest"].is_string() ||
      !json.value("quads", nlohmann::json()).is_number_unsigned()) {
    return not_a_site(call.url);
  }
  return SiteDigest{url, json.value("site", ""), json["digest"].get<std::string>(), json["quads"].get<uint64_t>()};
}

int compare_sites(const std::vector<std::string>& urls) {
  std::vector<SiteDigest> digests;
  for (const auto& url : urls) {
    auto digest = fetch_digest(url);
    if (!digest.ok()) return report(digest.error());
    fmt::print("{}  {:>12} quads  {} ({})\n", digest->digest, digest->quads, digest->site, digest->url);
    digests.push_back(std::move(digest).value());
  }
  const auto& first = digests.front();
  std::string others;
  for (const auto& other : digests) {
    if (other.digest != first.digest) others += (others.empty() ? "" : ", ") + other.site;
  }
  if (!others.empty()) {
    return report({base::ErrorKind::Mismatch,
                   fmt::format("sites hold different quads: {} differs from {}", others, first.site),
                   {}});
  }
  fmt::print("equal: {} sites hold the same {} quads\n", digests.size(), first.quads);
  return Done;
}

}  // namespace

int run_verify(const std::vector<std::string>& targets) {
  const bool all_urls = std::all_of(targets.begin(), targets.end(), is_url);
  if (all_urls && targets.size() >= 2) return compare_sites(targets);
  if (!all_urls && targets.size() == 1) return verify_directory(targets[0]);
  return report_usage("verify of these makes no sense; expected one directory, or two and more URLs");
}

}  // namespace quadrille::cli
