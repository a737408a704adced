// `quadrille member list|add|evict`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/joining.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/trouble.h"

namespace quadrille::cli {
namespace {

using Json = nlohmann::ordered_json;

void print(const Json& list) {
  fmt::print("as {} knows it\n", text_of(list, "site"));
  for (const Json& name : list["members"]) fmt::print("member    {}\n", name.get<std::string>());
  for (const Json& pending : list["pending_evictions"]) {
    std::string waits_for;
    for (const Json& name : pending["waits_for"]) {
      waits_for += (waits_for.empty() ? "" : ", ") + name.get<std::string>();
    }
    fmt::print("evicted   {}, waits for {}\n", text_of(pending, "site"), waits_for.empty() ? "others" : waits_for);
  }
}

}  // namespace

int run_member_list(const MemberOptions& options) {
  const auto text = fetch(options.url, "/members");
  if (!text.ok()) return report(text.error());
  if (options.json) {
    fmt::print("{}", *text);
    return Done;
  }
  try {
    print(Json::parse(*text));
  } catch (const Json::exception&) {  // no JSON, or a member of an unexpected type
    return report(not_a_site(options.url));
  }
  return Done;
}

int run_member_add(const MemberOptions& options) {
  const auto asked = ask_to_join(options.url, options.name);
  if (!asked.ok()) return report(asked.error());
  fmt::print("{} has joined; it takes updates once it is served and has what {} had\n", options.name, options.url);
  return Done;
}

int run_member_evict(const MemberOptions& options) {
  const auto evicted = evict_and_wait(options.url, options.name, options.wait_s);
  if (!evicted.ok()) return report(evicted.error());
  fmt::print("{} is no member any more\n", options.name);
  return Done;
}

}  // namespace quadrille::cli
