#include "replica/cli/site_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "replica/cli/http_client.h"
#include "replica/cli/site_answer.h"
#include "replica/http/version_request.h"
#include "replica/site/quad_rows.h"
#include "sync/set_sketch.h"

namespace quadrille::cli {
namespace {

using Json = nlohmann::ordered_json;
using replica::QuadOfTerms;

constexpr size_t symbols_at_first_max = 12'000;  // where nobody knows how many differences there are
constexpr size_t symbols_max = 200'000;          // beyond that lists of all hashes are asked for
constexpr size_t bytes_of_symbol = 13;
constexpr uint64_t items_per_part = 1'000'000;
constexpr size_t quads_per_repair = 2'000;
constexpr size_t items_per_question = 100'000;

std::string to_bytes(std::span<const uint64_t> items) {
  std::string bytes;
  bytes.reserve(items.size() * sizeof(uint64_t));
  for (const uint64_t item : items) replica::append_item(bytes, item);
  return bytes;
}

// What is no hexadecimal number reads as 0.
std::vector<uint8_t> from_hex(std::string_view text) {
  std::vector<uint8_t> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) std::from_chars(&text[2 * i], &text[2 * i] + 2, bytes[i], 16);
  return bytes;
}

std::optional<std::vector<uint64_t>> to_items(std::string_view bytes) {
  std::vector<uint64_t> items;
  for (uint64_t item = 0; replica::take_item(bytes, item);) items.push_back(item);
  if (!bytes.empty() || !std::is_sorted(items.begin(), items.end())) return std::nullopt;
  return items;
}

}  // namespace

SiteComparison::~SiteComparison() {
  for (const SiteLook& site : sites_) static_cast<void>(ask(site, "DELETE", "", {}));
}

base::Result<std::string> SiteComparison::ask(const SiteLook& site, const char* method, const std::string& query,
                                              std::string body, std::vector<std::string> headers) {
  HttpCall call;
  call.method = method;
  call.url = join_url(site.url, "/comparisons?comparison=" + site.comparison + query);
  call.headers = std::move(headers);
  if (!body.empty()) call.headers.push_back("Content-Type: application/octet-stream");
  call.body = std::move(body);
  cost_.bytes += query.size() + call.body.size();
  QUADRILLE_ASSIGN(auto reply, send(call));
  cost_.bytes += reply.body.size();
  return std::move(reply.body);
}

base::Result<void> SiteComparison::open(const std::string& url) {
  HttpCall call;
  call.method = "POST";
  call.url = join_url(url, "/comparisons");
  QUADRILLE_ASSIGN(const auto reply, send(call));
  cost_.bytes += reply.body.size();
  const auto json = Json::parse(reply.body, nullptr, false);
  if (!json.is_object()) return not_a_site(call.url);
  SiteLook site;
  site.url = url;
  site.comparison = text_of(json, "comparison");
  site.site = text_of(json, "site");
  site.version = text_of(json, "version");
  if (site.comparison.empty() || site.site.empty()) return not_a_site(call.url);
  sites_.push_back(std::move(site));
  return {};
}

base::Result<void> SiteComparison::look(const std::vector<std::string>& urls, uint32_t wait_s) {
  ++cost_.rounds;
  for (const auto& url : urls) QUADRILLE_TRY(open(url));
  std::string cut;
  for (const SiteLook& site : sites_) {
    if (!site.version.empty()) cut += (cut.empty() ? "" : ",") + site.version;
  }
  ++cost_.rounds;
  for (SiteLook& site : sites_) QUADRILLE_TRY(look_at(site, cut, wait_s));
  return {};
}

base::Result<void> SiteComparison::look_at(SiteLook& site, const std::string& cut, uint32_t wait_s) {
  std::vector<std::string> headers;
  if (!cut.empty()) {
    headers = {fmt::format("{}: {}", http::version_field, cut),
               fmt::format("{}: {}", http::wait_field, uint64_t{wait_s} * 1000)};
  }
  QUADRILLE_ASSIGN(const auto body, ask(site, "GET", "&cut=" + cut, {}, std::move(headers)));
  const auto json = Json::parse(body, nullptr, false);
  try {
    site.quads = json.at("quads").get<uint64_t>();
    site.digest = json.at("digest").get<std::string>();
    site.undecided_cells = json.at("undecided_cells").get<uint64_t>();
    site.estimate = from_hex(json.at("estimate").get<std::string>());
    const Json& kept = json.at("kept");
    site.has_sound_totals =
        kept.at("quads").get<uint64_t>() == site.quads && kept.at("digest").get<std::string>() == site.digest;
  } catch (const Json::exception&) {
    return not_a_site(site.url);
  }
  if (site.estimate.size() != sync::DifferenceEstimator::classes) return not_a_site(site.url);
  return {};
}

base::Result<FoundDifference> SiteComparison::difference(const SiteLook& left, const SiteLook& right) {
  const auto estimate = sync::DifferenceEstimator::estimate(left.estimate, right.estimate);
  QUADRILLE_ASSIGN(auto items,
                   items_by_sketch(left, right, estimate ? *estimate + *estimate / 2 + 32 : symbols_at_first_max));
  if (!items) {
    QUADRILLE_ASSIGN(items, items_by_lists(left, right));
  }
  FoundDifference found;
  ++cost_.rounds;
  QUADRILLE_ASSIGN(found.only_left, quads_of(left, items->only_left));
  QUADRILLE_ASSIGN(found.only_right, quads_of(right, items->only_right));
  return found;
}

// More and more symbols, as long as they are cheaper than the lists.
base::Result<std::optional<SiteComparison::Items>> SiteComparison::items_by_sketch(const SiteLook& left,
                                                                                   const SiteLook& right,
                                                                                   size_t symbols) {
  const uint64_t list_bytes = std::max(left.quads, right.quads) * sizeof(uint64_t);
  std::vector<sync::SketchSymbol> left_symbols, right_symbols;
  while (symbols <= symbols_max && symbols * bytes_of_symbol <= std::max<uint64_t>(list_bytes, 4096)) {
    ++cost_.rounds;
    const size_t first = left_symbols.size();
    const size_t count = symbols - first;
    for (auto [site, have] : {std::pair(&left, &left_symbols), std::pair(&right, &right_symbols)}) {
      QUADRILLE_ASSIGN(const auto bytes, ask(*site, "GET", fmt::format("&sketch={}&count={}", first, count), {}));
      const auto more = sync::decode_symbols(bytes, first, count, site->quads);
      if (!more) return not_a_site(site->url);
      have->insert(have->end(), more->begin(), more->end());
    }
    if (auto difference = sync::decode_difference(left_symbols, right_symbols)) {
      return std::optional(Items{std::move(difference->only_left), std::move(difference->only_right)});
    }
    symbols *= 2;
  }
  return std::optional<Items>();
}

base::Result<SiteComparison::Items> SiteComparison::items_by_lists(const SiteLook& left, const SiteLook& right) {
  Items items;
  const uint64_t parts = std::max(left.quads, right.quads) / items_per_part + 1;
  for (uint64_t part = 0; part < parts; ++part) {
    ++cost_.rounds;
    std::vector<uint64_t> lists[2];
    for (auto [site, list] : {std::pair(&left, &lists[0]), std::pair(&right, &lists[1])}) {
      QUADRILLE_ASSIGN(const auto bytes, ask(*site, "GET", fmt::format("&part={}&parts={}", part, parts), {}));
      auto read = to_items(bytes);
      if (!read) return not_a_site(site->url);
      *list = *std::move(read);
    }
    std::set_difference(lists[0].begin(), lists[0].end(), lists[1].begin(), lists[1].end(),
                        std::back_inserter(items.only_left));
    std::set_difference(lists[1].begin(), lists[1].end(), lists[0].begin(), lists[0].end(),
                        std::back_inserter(items.only_right));
  }
  return items;
}

base::Result<std::vector<QuadOfTerms>> SiteComparison::quads_of(const SiteLook& site,
                                                                const std::vector<uint64_t>& items) {
  std::vector<QuadOfTerms> quads;
  for (size_t from = 0; from < items.size(); from += items_per_question) {
    const auto some = std::span(items).subspan(from, std::min(items_per_question, items.size() - from));
    QUADRILLE_ASSIGN(const auto bytes, ask(site, "POST", "&quads=", to_bytes(some)));
    cost_.bytes -= bytes.size();
    cost_.quad_bytes += bytes.size();
    uint64_t item = 0;
    for (std::string_view rest = bytes; !rest.empty();) {
      if (!replica::take_item(rest, item)) return not_a_site(site.url);
      auto quad = replica::take_quad(rest);
      if (!quad.ok()) return not_a_site(site.url);
      quads.push_back(std::move(quad).value());
    }
  }
  return quads;
}

base::Result<reconcile::RepairReport> SiteComparison::repair(const SiteLook& site, const FoundDifference& difference,
                                                             bool is_left) {
  std::string signs;
  std::vector<const QuadOfTerms*> quads;
  const auto take = [&](const std::vector<QuadOfTerms>& from, char sign) {
    for (const QuadOfTerms& quad : from) {
      quads.push_back(&quad);
      signs.push_back(sign);
    }
  };
  take(difference.only_left, is_left ? '-' : '+');
  take(difference.only_right, is_left ? '+' : '-');
  reconcile::RepairReport report;
  for (size_t from = 0; from < quads.size(); from += quads_per_repair) {
    std::string body;
    for (size_t i = from; i < std::min(quads.size(), from + quads_per_repair); ++i) {
      body.push_back(signs[i]);
      replica::append_quad(body, *quads[i]);
    }
    QUADRILLE_ASSIGN(const auto answer, ask(site, "POST", "&repair=", std::move(body)));
    const auto json = Json::parse(answer, nullptr, false);
    if (!json.is_object()) return not_a_site(site.url);
    report.inserted += json.value("inserted", uint64_t{0});
    report.erased += json.value("erased", uint64_t{0});
    report.left += json.value("left", uint64_t{0});
  }
  return report;
}

base::Result<void> SiteComparison::correct_totals(const SiteLook& site) {
  QUADRILLE_TRY(ask(site, "POST", "&totals=", {}));
  return {};
}

}  // namespace quadrille::cli
