#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "replica/cli/commands.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/trouble.h"

namespace quadrille::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const Json& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : "?");
  return text;
}

std::string compared_with(const Json& peer) {
  const auto compared = peer.value("compared", Json());
  if (!compared.is_object()) return "; not compared yet";
  const auto is_equal = compared.value("is_equal", Json());
  if (!is_equal.is_boolean()) return "; not compared: " + text_of(compared, "last_attempt");
  const auto when = text_of(compared, "seconds_ago") + " s ago";
  if (is_equal.get<bool>()) return "; equal " + when;
  const auto graphs = joined(compared.value("differing_graphs", Json::array()));
  return "; HELD OTHER QUADS " + when + (graphs.empty() ? "" : ": " + graphs);
}

std::string clock_of(const Json& peer) {
  const auto skew = peer.value("clock_skew_ms", Json());
  return skew.is_number_integer() ? fmt::format(", clock {:+} ms", skew.get<int64_t>()) : "";
}

void print_clock(const Json& clock) {
  const auto state = text_of(clock, "state");
  fmt::print("clock      {}\n", state == "agreed" ? "agrees with others, as far as they are known"
                                                  : state + ": " + text_of(clock, "text"));
  for (const auto& held : clock.value("held_back", Json::array())) {
    fmt::print("  holds back what {} has stamped too far ahead, up to {}, until {}\n", text_of(held, "site"),
               text_of(held, "stamp"), text_of(held, "until"));
  }
}

void print_peer(const Json& peer) {
  const auto site = text_of(peer, "site");
  const auto address = text_of(peer, "address");
  fmt::print("  {:<28} {:<22} {:<12} lags by {}, sent {}, received {}{}{}{}\n", site.empty() ? "(not greeted)" : site,
             address.empty() ? "(dialed us)" : address, text_of(peer, "state"), text_of(peer, "lag"),
             text_of(peer, "changesets_sent"), text_of(peer, "changesets_received"), clock_of(peer),
             compared_with(peer), peer.contains("trouble") ? "; " + text_of(peer, "trouble") : "");
}

std::string last_of(const Json& policy, const char* member) {
  return policy.contains(member) ? " (last " + text_of(policy.at(member), "time") + ")" : "";
}

void print_policy(const Json& policy) {
  fmt::print("  {:<28} failed {} times{}, took too long {} times{}{}\n", text_of(policy, "policy"),
             text_of(policy, "failures"), last_of(policy, "last_failure"), text_of(policy, "overruns"),
             last_of(policy, "last_overrun"),
             policy.contains("last_failure") ? "; " + text_of(policy.at("last_failure"), "why") : "");
}

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

void print_disk(const Json& disk) {
  if (!disk.is_object()) return;
  std::string growth;
  if (const auto rate = disk.value("growth_bytes_per_hour", Json()); rate.is_number()) {
    growth = fmt::format(", {} {} an hour", rate.get<double>() < 0 ? "shrinks by" : "grows by",
                         bytes_text(std::abs(rate.get<double>())));
  }
  if (const auto full = disk.value("full_in_s", Json()); full.is_number()) {
    growth += fmt::format(": full in {:.1f} hours", full.get<double>() / 3600);
  }
  fmt::print("disk       {}, {} free{}\n", bytes_text(disk.value("store_bytes", 0.0)),
             bytes_text(disk.value("free_bytes", 0.0)), growth);
}

void print_status(const Json& status) {
  fmt::print("site       {} of cluster {} (members: {})\n", text_of(status, "incarnation"), text_of(status, "cluster"),
             joined(status.value("members", Json::array())));
  if (const auto state = text_of(status, "state"); state != "member") {
    fmt::print("state      {}: it takes no updates\n", state);
  }
  for (const auto& pending : status.value("pending_evictions", Json::array())) {
    const auto waits_for = joined(pending.value("waits_for", Json::array()));
    fmt::print("evicting   {}{}\n", text_of(pending, "site"), waits_for.empty() ? "" : ", waits for " + waits_for);
  }
  fmt::print("quads      {}\n", text_of(status, "quads"));
  fmt::print("log        {} changesets, {} cells with history\n", text_of(status, "log_entries"),
             text_of(status, "window_cells"));
  print_disk(status.value("disk", Json()));
  fmt::print("version    {}\n", text_of(status, "version"));
  fmt::print("folded     {}\n", text_of(status, "folded"));
  const auto waiting = joined(status.value("waiting_for", Json::array()));
  fmt::print("settling   {}\n", waiting.empty() ? "all is settled" : "waits for " + waiting);
  const auto provisional = status.value("provisional_outcomes", uint64_t{0});
  if (provisional > 0) {
    fmt::print("outcomes   {} cells are decided provisionally, until {} has told that nothing older comes\n",
               provisional, text_of(status, "outcomes_wait_for"));
  }
  const auto peers = status.value("peers", Json::array());
  fmt::print("peers      {}\n", peers.empty() ? "none" : "");
  for (const auto& peer : peers) print_peer(peer);
  if (const auto clock = status.value("clock", Json()); clock.is_object()) print_clock(clock);
  const auto policies = status.value("policies", Json::array());
  if (!policies.empty()) fmt::print("policies   loaded from files, since the start:\n");
  for (const auto& policy : policies) print_policy(policy);
  const auto tls = status.value("tls", Json());
  fmt::print("tls        {}\n", tls.is_object() ? "this site's certificate ends " + text_of(tls, "certificate_end")
                                                : "none: what sites tell each other is not encrypted");
  const auto trouble = status.value("trouble", Json::array());
  fmt::print("trouble    {}\n", trouble.empty() ? "none" : "");
  for (const auto& line : trouble) {
    fmt::print("  {} {} (times: {})\n", text_of(line, "time"), text_of(line, "text"), text_of(line, "count"));
  }
}

}  // namespace

int run_status(const StatusCommandOptions& options) {
  const auto body = fetch(options.url, "/status");
  if (!body.ok()) return report(body.error());
  if (options.json) {
    fmt::print("{}", *body);
    return Done;
  }
  const auto json = Json::parse(*body, nullptr, false);
  if (!json.is_object()) return report(not_a_site(options.url));
  try {
    print_status(json);
  } catch (const Json::exception&) {  // a member of an unexpected type
    return report(not_a_site(options.url));
  }
  return Done;
}

}  // namespace quadrille::cli
