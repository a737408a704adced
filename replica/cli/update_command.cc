#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/sparql/parse.h"
#include "replica/cli/commands.h"
#include "replica/cli/http_client.h"
#include "replica/cli/local_store.h"
#include "replica/cli/site_answer.h"
#include "replica/cli/text_argument.h"
#include "replica/cli/trouble.h"
#include "replica/site/update_inputs.h"

namespace quadrille::cli {
namespace {

void print_updated(uint64_t inserted, uint64_t deleted, const std::string& version) {
  fmt::print("inserted {}, deleted {}, version {}\n", inserted, deleted, version);
}

base::Result<void> update_directory(const std::string& directory, const TextArgument& argument) {
  const auto update = sparql::parse_update(argument.text);
  if (!update.ok()) return error_in_text(argument.where, update.error());
  QUADRILLE_ASSIGN(const auto local, LocalStore::open(directory));
  std::shared_ptr<replica::UpdateInputs> inputs;
  if (replica::needs_inputs(*update)) {
    QUADRILLE_TRY(local->read_federation());
    QUADRILLE_ASSIGN(inputs, replica::UpdateInputs::fetch(*update, {}, local->run_parts()));
  }
  QUADRILLE_ASSIGN(const auto outcome, local->write([&](model::QuadTarget& target) {
    return replica::run_update(*update, {}, target, local->run_parts(), inputs.get());
  }));
  QUADRILLE_ASSIGN(const auto version, local->token_text(outcome));
  print_updated(outcome.quads_inserted, outcome.quads_erased, version);
  return {};
}

base::Result<void> update_site(const std::string& url, const TextArgument& argument, const VersionOptions& version) {
  HttpCall call;
  call.method = "POST";
  call.url = join_url(url, "/sparql");
  call.headers = {"Content-Type: application/sparql-update"};
  ask_for_version(version, call.headers);
  call.body = argument.text;
  QUADRILLE_ASSIGN(const auto reply, send(call));
  const auto json = nlohmann::json::parse(reply.body, nullptr, false);
  if (!json.is_object()) {
    return not_a_site(call.url);
  }
  print_updated(json.value("inserted", uint64_t{0}), json.value("deleted", uint64_t{0}), json.value("version", ""));
  return {};
}

}  // namespace

int run_update_command(const UpdateCommandOptions& options) {
  if (const auto wrong = check_text_argument(options.text, options.file, "update")) return report_usage(*wrong);
  if (const auto wrong = check_version_options(options.version, options.target)) return report_usage(*wrong);
  const auto argument = read_text_argument(options.text, options.file, "update");
  if (!argument.ok()) return report(argument.error());
  const auto done = is_url(options.target) ? update_site(options.target, *argument, options.version)
                                           : update_directory(options.target, *argument);
  return done.ok() ? Done : report(done.error());
}

}  // namespace quadrille::cli
