#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/trouble.h"
#include "replica/http/parameters.h"
#include "replica/site/conflict_list.h"
#include "replica/site/status.h"

namespace quadrille::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of a record cell each value with its property.
std::string content_text(const Json& content, bool is_record) {
  std::string text;
  for (const auto& statement : content) {
    text += text.empty() ? "" : ", ";
    if (is_record) text += text_of(statement, "property") + " ";
    text += text_of(statement, "object");
  }
  return text.empty() ? "nothing" : text;
}

std::string standing(const Json& record) {
  std::string text;
  if (record.value("open", false)) text += " (open: somebody is to write one)";
  if (record.value("provisional", false)) text += " (provisional)";
  if (record.contains("failure")) text += "; fallback because " + text_of(record, "failure");
  return text;
}

void print_conflict(const Json& record) {
  const auto cell = record.value("cell", Json::object());
  const bool is_record = cell.contains("group");
  const auto object = text_of(cell, "object");
  const auto graph = text_of(cell, "graph");
  fmt::print("{}  {} {}{}{}\n", text_of(record, "time"), text_of(cell, "subject"),
             text_of(cell, is_record ? "group" : "property"), object.empty() ? "" : " " + object,
             graph.empty() ? "" : " in " + graph);
  for (const auto& candidate : record.value("candidates", Json::array())) {
    fmt::print("    {}:{} left {}\n", text_of(candidate, "origin"), text_of(candidate, "seq"),
               content_text(candidate.value("left", Json::array()), is_record));
  }
  fmt::print("    {} chose {}{}\n", text_of(record, "policy"),
             content_text(record.value("chosen", Json::array()), is_record), standing(record));
}

void print_conflicts(const Json& records) {
  if (records.empty()) fmt::print("no conflicts\n");
  for (const auto& record : records) print_conflict(record);
}

std::string path_of(const ConflictsCommandOptions& options) {
  std::string path = "/conflicts";
  for (const auto& [name, value] : options.filters) {
    path += (path.find('?') == std::string::npos ? "?" : "&") + name + "=" + http::percent_encode(value);
  }
  return path;
}

base::Result<Json> read_directory(const ConflictsCommandOptions& options, const replica::ConflictFilter& filter) {
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(options.target));
  return base::catch_storage_error([&]() -> base::Result<Json> {
    return replica::to_json(replica::list_conflicts(*local->store().snapshot(), filter));
  });
}

base::Result<Json> read(const ConflictsCommandOptions& options, const replica::ConflictFilter& filter) {
  if (!is_url(options.target)) return read_directory(options, filter);
  QUADRILLE_ASSIGN(const auto body, fetch(options.target, path_of(options)));
  auto json = Json::parse(body, nullptr, false);
  if (!json.is_array()) return not_a_site(options.target);
  return json;
}

}  // namespace

int run_conflicts(const ConflictsCommandOptions& options) {
  if (options.results != "table" && options.results != "json") {
    return report_usage(fmt::format("--results {}: no such format; expected table or json", options.results));
  }
  replica::ConflictFilter filter;
  for (const auto& [name, value] : options.filters) {
    if (const auto set = filter.set(name, value); !set.ok()) return report_usage("--" + set.error().message);
  }
  const auto records = read(options, filter);
  if (!records.ok()) return report(records.error());
  if (options.results == "json") {
    fmt::print("{}\n", records->dump(2, ' ', false, Json::error_handler_t::replace));
    return Done;
  }
  try {
    print_conflicts(*records);
  } catch (const Json::exception&) {  // a member of an unexpected type
    return report(not_a_site(options.target));
  }
  return Done;
}

}  // namespace quadrille::cli
