#include "replica/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>

#include "replica/cli/commands.h"
#include "replica/cli/trouble.h"

namespace quadrille::cli {
namespace {

// Which command was chosen; set while the arguments are parsed, run afterwards.
using Chosen = std::function<int()>;

void add_init(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("init", "Make a new site in an empty directory");
  auto options = std::make_shared<InitOptions>();
  command->add_option("DIR", options->directory, "the directory; must be empty or not exist")->required();
  command->add_option("--site", options->site, "the site's name: 1 to 63 of a-z, 0-9 and '-'");
  command->add_option("--cluster", options->cluster, "the cluster's name (default quadrille)");
  command->add_option("--members", options->members, "names of all founding sites, as in ams,nyc,sgp")->delimiter(',');
  command->add_option("--config", options->config, "a TOML file with policies and all else that site.toml may say");
  auto* from =
      command->add_option("--from", options->from, "URL of a member: join its cluster, with a copy of its store");
  from->excludes("--members")->excludes("--cluster");
  command->add_option("--peer", options->peers, "HOST:PORT of a site to connect to (default: that member)")
      ->needs(from);
  command->callback([options, &chosen] { chosen = [options] { return run_init(*options); }; });
}

void add_serve(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("serve", "Serve a site until SIGTERM or Ctrl-C");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("DIR", options->directory, "the site's directory")->required();
  command->add_option("--config", options->config, "instead of DIR/site.toml");
  command->add_option("--http", options->http, "HOST:PORT for HTTP (default 127.0.0.1:7878); port 0: any free one");
  command->add_option("--sync", options->sync, "HOST:PORT for other sites (default 127.0.0.1:7879)");
  command->add_option("--peer", options->peers, "HOST:PORT of a site to connect to; may be repeated");
  command->add_flag("--check-config", options->check_config,
                    "read the configuration, say what is wrong in it, and end");
  command->callback([options, &chosen] { chosen = [options] { return run_serve(*options); }; });
}

void add_token(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("token", "Make a token for HTTP, and the lines of site.toml that allow it");
  auto options = std::make_shared<TokenOptions>();
  command->add_option("NAME", options->name, "whose it is to be")->required();
  command->add_option("--role", options->role, "read (default), write or admin");
  command->callback([options, &chosen] { chosen = [options] { return run_token(*options); }; });
}

void add_load(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("load", "Load RDF files as one transaction: all of them, or nothing");
  auto options = std::make_shared<LoadCommandOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_option("FILE", options->files, ".nt .nq .ttl .trig .rdf, also with .gz or .zst; - is standard input")
      ->required();
  command->add_option("--graph", options->graph, "the graph of statements that name none (default: default graph)");
  command->add_option("--format", options->format, "nt, nq, ttl, trig or rdf, where the name does not tell");
  command->add_option("--memory", options->memory,
                      "memory for a load into a directory, as 512M or 4G (default 2G); what does not fit goes through "
                      "temporary files there");
  command->callback([options, &chosen] { chosen = [options] { return run_load(*options); }; });
}

void add_version(CLI::App& command, VersionOptions& version) {
  auto* after = command.add_option("--after", version.after,
                                   "a version, as an update printed it: answered by a state that includes it");
  command.add_option("--wait", version.wait_ms, "milliseconds to wait for that version (default: the site's)")
      ->needs(after);
}

void add_query(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("query", "Run a SPARQL query");
  auto options = std::make_shared<QueryCommandOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_option("SPARQL", options->text, "the query");
  command->add_option("-f,--file", options->file, "read the query from a file; - is standard input");
  command->add_option("--results", options->results, "table (default), json, xml, csv or tsv");
  auto* explain = command->add_flag("--explain", options->explain, "show the plan instead of the answer");
  command->add_flag("--profile", options->profile, "run the query, and show the plan with what each operator did")
      ->excludes(explain);
  add_version(*command, options->version);
  command->callback([options, &chosen] { chosen = [options] { return run_query_command(*options); }; });
}

void add_update(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("update", "Run a SPARQL update as one transaction");
  auto options = std::make_shared<UpdateCommandOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_option("SPARQL", options->text, "the update");
  command->add_option("-f,--file", options->file, "read the update from a file; - is standard input");
  add_version(*command, options->version);
  command->callback([options, &chosen] { chosen = [options] { return run_update_command(*options); }; });
}

void add_dump(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("dump", "Write all quads to standard output");
  auto options = std::make_shared<DumpCommandOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_option("--format", options->format, "nq (default), trig, nt or ttl");
  command->callback([options, &chosen] { chosen = [options] { return run_dump(*options); }; });
}

void add_status(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("status", "Show what a running site says of itself");
  auto options = std::make_shared<StatusCommandOptions>();
  command->add_option("URL", options->url, "as in http://127.0.0.1:7878")->required();
  command->add_flag("--json", options->json, "as the site sends it");
  command->callback([options, &chosen] { chosen = [options] { return run_status(*options); }; });
}

void add_conflicts(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("conflicts", "List where sites wrote against each other, and what was decided");
  auto options = std::make_shared<ConflictsCommandOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_option("--results", options->results, "table (default) or json");
  const auto filter = [&](const std::string& name, const std::string& help) {
    return command->add_option_function<std::string>(
        "--" + name, [options, name](const std::string& value) { options->filters.emplace_back(name, value); }, help);
  };
  filter("since", "at this time or later, as 2026-12-01T09:30:00Z or 2026-12-01");
  filter("until", "before this time");
  filter("property", "about this property: an IRI");
  filter("policy", "decided by this policy");
  filter("limit", "the newest so many");
  const auto flag = [&](const std::string& text, const std::string& name, const std::string& value,
                        const std::string& help) {
    return command->add_flag_callback(
        text, [options, name, value] { options->filters.emplace_back(name, value); }, help);
  };
  auto* provisional = flag("--provisional", "provisional", "true", "only those that may still change");
  flag("--final", "provisional", "false", "only those that are the same at every site")->excludes(provisional);
  flag("--open", "open", "true", "only those of keep-all that wait for somebody to write one value");
  command->callback([options, &chosen] { chosen = [options] { return run_conflicts(*options); }; });
}

void add_verify(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("verify", "Check a store from end to end, or compare running sites");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("DIR|URL", options->targets, "one directory (not being served), or two and more URLs")
      ->required();
  auto* repair = command->add_flag("--repair", options->repair,
                                   "put right what differs from the site given by --from: no change, and not logged");
  auto* from = command->add_option("--from", options->from, "the URL, one of those, whose quads are right");
  repair->needs(from);
  from->needs(repair);
  command->add_option("--wait", options->wait_s, "how long the sites may take to have all that each of them has")
      ->capture_default_str();
  command->callback([options, &chosen] { chosen = [options] { return run_verify(*options); }; });
}

void add_policy_list(CLI::App& policy, Chosen& chosen) {
  auto* command = policy.add_subcommand("list", "Show which policies decide what, and which there are");
  auto options = std::make_shared<PolicyListOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_flag("--json", options->json, "as the site sends it");
  command->callback([options, &chosen] { chosen = [options] { return run_policy_list(*options); }; });
}

void add_policy_assign(CLI::App& policy, Chosen& chosen) {
  auto* command = policy.add_subcommand("assign", "Bring a whole policy assignment into force, at all sites");
  auto options = std::make_shared<PolicyAssignOptions>();
  command->add_option("DIR|URL", options->target, "a site's directory (not being served), or its URL")->required();
  command->add_option("FILE", options->file, "TOML with default_policy and [[policy]] tables; - is standard input")
      ->required();
  command->callback([options, &chosen] { chosen = [options] { return run_policy_assign(*options); }; });
}

void add_policy_check(CLI::App& policy, Chosen& chosen) {
  auto* command = policy.add_subcommand("check", "Look for what is wrong with a policy, over generated histories");
  auto options = std::make_shared<PolicyCheckOptions>();
  command->add_option("POLICY", options->policy, "a file (.so, .lua), or the name of a built-in policy")->required();
  command->add_option("--property", options->property, "the property of the cells (default http://example.org/value)");
  command->add_option("--argument", options->argument,
                      "what the policy is given, as in an assignment: policy(argument)");
  command->add_option("--cases", options->cases, "how many histories (default 20000)")->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "other histories for another number (default 1)");
  command->add_option("--case", options->only_case, "this history alone, as a report names it");
  command->add_option("--jobs", options->jobs, "threads (default 2)")->check(CLI::Range(1, 64));
  command
      ->add_option("--limit", options->limit_s,
                   "seconds after which a call is taken for one that does not come to an end (default 10)")
      ->check(CLI::Range(1, 3600));
  command->callback([options, &chosen] { chosen = [options] { return run_policy_check(*options); }; });
}

void add_member(CLI::App& app, Chosen& chosen) {
  auto* member = app.add_subcommand("member", "Who belongs to the cluster");
  member->require_subcommand(1);
  const auto add = [&](const char* name, const char* says, int (*run)(const MemberOptions&)) {
    auto options = std::make_shared<MemberOptions>();
    auto* command = member->add_subcommand(name, says);
    command->add_option("URL", options->url, "a running member")->required();
    command->callback([options, run, &chosen] { chosen = [options, run] { return run(*options); }; });
    return std::pair(command, options);
  };
  const auto [list, list_options] = add("list", "Who does, as that member knows it", run_member_list);
  list->add_flag("--json", list_options->json, "as JSON");
  const auto [join, join_options] = add("add", "Let a site join that init --from or restore has made", run_member_add);
  join->add_option("DIR", join_options->name, "its directory; not being served")->required();
  const auto [evict, evict_options] =
      add("evict", "Evict a member: nothing that it writes from then on is taken", run_member_evict);
  evict->add_option("NAME", evict_options->name, "its name")->required();
  evict->add_option("--wait", evict_options->wait_s, "seconds to wait for the other members' answers (default 60)");
}

void add_backup(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("backup", "Write a running site's store to a file, as of one moment");
  auto options = std::make_shared<BackupOptions>();
  command->add_option("URL", options->url, "the site")->required();
  command->add_option("FILE", options->file, "a new file")->required();
  command->callback([options, &chosen] { chosen = [options] { return run_backup(*options); }; });
}

void add_restore(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("restore", "Make a site of a backup, in an empty directory");
  auto options = std::make_shared<RestoreOptions>();
  command->add_option("FILE", options->file, "what `quadrille backup` wrote")->required();
  command->add_option("DIR", options->directory, "the directory; must be empty or not exist")->required();
  command->add_option("--site", options->site, "another name for it (default: the one that it had)");
  auto* config = command->add_option("--config", options->config, "a TOML file with all else that site.toml may say");
  config->check(CLI::ExistingFile);
  auto* join = command->add_option("--join", options->join,
                                   "URL of a member: its old life is evicted, and the restored site joins");
  command->add_flag("--alone", options->alone, "no other member is left: it begins a cluster of its own")
      ->excludes(join);
  command->add_option("--wait", options->wait_s, "seconds to wait for the other members' answers (default 60)")
      ->needs(join);
  command->callback([options, &chosen] { chosen = [options] { return run_restore(*options); }; });
}

void add_reissue(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("reissue", "Write again what an evicted site wrote that no member has");
  auto options = std::make_shared<ReissueOptions>();
  command->add_option("EARLIER", options->earlier, "directory of the evicted site, which is not served")->required();
  command->add_option("DIR", options->directory, "directory of the member that writes it; not served meanwhile")
      ->required();
  command->callback([options, &chosen] { chosen = [options] { return run_reissue(*options); }; });
}

void add_policy(CLI::App& app, Chosen& chosen) {
  auto* policy = app.add_subcommand("policy", "What decides where sites write against each other");
  policy->require_subcommand(1);
  add_policy_list(*policy, chosen);
  add_policy_assign(*policy, chosen);
  add_policy_check(*policy, chosen);
  auto* answer =
      policy->add_subcommand("answer", "Answer questions from standard input, for `policy check`")->group("");
  auto name = std::make_shared<std::string>();
  auto limit_s = std::make_shared<uint32_t>(10);
  answer->add_option("POLICY", *name)->required();
  answer->add_option("--limit", *limit_s);
  answer->callback(
      [name, limit_s, &chosen] { chosen = [name, limit_s] { return run_policy_answer(*name, *limit_s); }; });
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("Quadrille: an eventually-consistent, geo-replicated RDF quad store.", "quadrille");
  app.footer("`quadrille COMMAND --help` says more. Exit status: 0 done, 1 failed, 2 used wrongly.");
  app.require_subcommand(1);
  Chosen chosen;
  add_init(app, chosen);
  add_load(app, chosen);
  add_serve(app, chosen);
  add_token(app, chosen);
  add_query(app, chosen);
  add_update(app, chosen);
  add_dump(app, chosen);
  add_status(app, chosen);
  add_conflicts(app, chosen);
  add_policy(app, chosen);
  add_member(app, chosen);
  add_backup(app, chosen);
  add_restore(app, chosen);
  add_reissue(app, chosen);
  add_verify(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report_usage(fmt::format("{}; see quadrille --help", error.what()));
  }
  return chosen();
}

}  // namespace quadrille::cli
