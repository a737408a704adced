#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/trouble.h"

namespace quadrille::cli {
namespace {

using Json = nlohmann::ordered_json;

base::Result<std::string> fetch(const std::string& url, const char* path) {
  HttpCall call;
  call.url = join_url(url, path);
  QUADRILLE_ASSIGN(auto reply, send(call));
  return std::move(reply.body);
}

base::Error not_a_site(const std::string& url) {
  return {base::ErrorKind::Unavailable, fmt::format("{}: not the answer of a site", url), {}};
}

// Text of a member, whatever it is; empty if there is none.
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string joined(const Json& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : "?");
  return text;
}

void print_peer(const Json& peer) {
  const auto site = text_of(peer, "site");
  const auto address = text_of(peer, "address");
  fmt::print("  {:<28} {:<22} {:<12} lags by {}, sent {}, received {}{}\n", site.empty() ? "(not greeted)" : site,
             address.empty() ? "(dialed us)" : address, text_of(peer, "state"), text_of(peer, "lag"),
             text_of(peer, "changesets_sent"), text_of(peer, "changesets_received"),
             peer.contains("trouble") ? "; " + text_of(peer, "trouble") : "");
}

void print_status(const Json& status) {
  fmt::print("site       {} of cluster {} (members: {})\n", text_of(status, "incarnation"), text_of(status, "cluster"),
             joined(status.value("members", Json::array())));
  fmt::print("quads      {}\n", text_of(status, "quads"));
  fmt::print("log        {} changesets, {} cells with history\n", text_of(status, "log_entries"),
             text_of(status, "window_cells"));
  fmt::print("version    {}\n", text_of(status, "version"));
  fmt::print("folded     {}\n", text_of(status, "folded"));
  const auto waiting = joined(status.value("waiting_for", Json::array()));
  fmt::print("settling   {}\n", waiting.empty() ? "all is settled" : "waits for " + waiting);
  const auto peers = status.value("peers", Json::array());
  fmt::print("peers      {}\n", peers.empty() ? "none" : "");
  for (const auto& peer : peers) print_peer(peer);
}

std::string content_text(const Json& content) {
  std::string text;
  for (const auto& statement : content) text += (text.empty() ? "" : ", ") + text_of(statement, "object");
  return text.empty() ? "nothing" : text;
}

void print_conflict(const Json& record) {
  const auto cell = record.value("cell", Json::object());
  const auto graph = text_of(cell, "graph");
  fmt::print("{}  {} {} {}{}\n", text_of(record, "time"), text_of(cell, "subject"),
             text_of(cell, cell.contains("group") ? "group" : "property"), text_of(cell, "object"),
             graph.empty() ? "" : " in " + graph);
  for (const auto& candidate : record.value("candidates", Json::array())) {
    fmt::print("    {}:{} left {}\n", text_of(candidate, "origin"), text_of(candidate, "seq"),
               content_text(candidate.value("left", Json::array())));
  }
  fmt::print("    {} chose {}{}{}\n", text_of(record, "policy"), content_text(record.value("chosen", Json::array())),
             record.value("provisional", false) ? " (provisional)" : "",
             record.contains("failure") ? "; fallback because " + text_of(record, "failure") : "");
}

void print_conflicts(const Json& records) {
  if (records.empty()) fmt::print("no conflicts\n");
  for (const auto& record : records) print_conflict(record);
}

int show(const StatusCommandOptions& options, const char* path, Json::value_t expected, void (*print)(const Json&)) {
  const auto body = fetch(options.url, path);
  if (!body.ok()) return report(body.error());
  if (options.json) {
    fmt::print("{}", *body);
    return Done;
  }
  const auto json = Json::parse(*body, nullptr, false);
  if (json.type() != expected) return report(not_a_site(options.url));
  try {
    print(json);
  } catch (const Json::exception&) {  // a member of an unexpected type
    return report(not_a_site(options.url));
  }
  return Done;
}

}  // namespace

int run_status(const StatusCommandOptions& options) {
  return show(options, "/status", Json::value_t::object, print_status);
}

int run_conflicts(const StatusCommandOptions& options) {
  return show(options, "/conflicts", Json::value_t::array, print_conflicts);
}

}  // namespace quadrille::cli
