#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "policies/built_in.h"
#include "policies/check/bad_end.h"
#include "policies/check/policy_check.h"
#include "policies/check/report.h"
#include "policies/load_policy.h"
#include "policies/policy_file.h"
#include "replica/cli/commands.h"
#include "replica/cli/isolated_process.h"
#include "replica/cli/policy_processes.h"
#include "replica/cli/trouble.h"
#include "replica/thread_task_runner.h"

namespace quadrille::cli {
namespace {

namespace check = policies::check;

struct NamedPolicy {
  std::shared_ptr<const reconcile::Policy> policy;
  std::string text;      // a built-in's name, or an absolute path
  std::string argument;  // "sum(...)" has one
  bool is_file = false;
};

bool is_file_name(const std::string& name) {
  return name.ends_with(".so") || name.ends_with(".lua") || name.find('/') != std::string::npos;
}

base::Result<NamedPolicy> find_policy(const std::string& name) {
  if (is_file_name(name)) {
    const auto file = std::filesystem::absolute(name);
    QUADRILLE_ASSIGN(auto policy, policies::load_policy(file));
    return NamedPolicy{std::move(policy), file.string(), {}, true};
  }
  const reconcile::PolicyRegistry built_in = policies::built_in();
  reconcile::NamedPolicy named = built_in.find_named(name);
  if (!named.policy) {
    return base::Error{base::ErrorKind::NotFound,
                       fmt::format("there is no policy '{}'; expected a file (.so, .lua) or one of {}", name,
                                   fmt::join(built_in.names(), ", ")),
                       {}};
  }
  return NamedPolicy{std::move(named.policy), name.substr(0, name.find('(')), std::move(named.argument), false};
}

check::Imports imports_of(const NamedPolicy& named) {
  if (!named.is_file) return {};
  const auto bytes = policies::read_policy_file(named.text, size_t{1} << 30);
  return bytes ? check::classify_imports(check::imported_symbols(*bytes)) : check::Imports{};
}

std::string quoted(const std::string& word) {
  return word.find_first_of(" ()'\"*") == std::string::npos ? word : "'" + word + "'";
}

check::CheckOptions check_options(const PolicyCheckOptions& options, const std::string& argument) {
  check::CheckOptions checking;
  checking.property = options.property;
  checking.argument = options.argument.empty() ? argument : options.argument;
  checking.cases = options.cases;
  checking.seed = options.seed;
  checking.only_case = options.only_case;
  return checking;
}

std::string command_of(const PolicyCheckOptions& options) {
  std::string command = fmt::format("quadrille policy check {}", quoted(options.policy));
  if (!options.argument.empty()) command += " --argument " + quoted(options.argument);
  if (options.property != check::CheckOptions().property) command += " --property " + quoted(options.property);
  if (options.limit_s != PolicyCheckOptions().limit_s) command += fmt::format(" --limit {}", options.limit_s);
  return command;
}

std::string title_of(const PolicyCheckOptions& options, const NamedPolicy& named) {
  return fmt::format("'{}', version {}, {}", named.policy->name(), named.policy->version(),
                     named.is_file ? "of " + options.policy : "built in");
}

// What a process that checks hands back: the exit status, and what is printed by then.
std::string outcome(int status, const std::string& text) { return static_cast<char>(status) + text; }

int show(const std::string& outcome) {
  if (outcome.empty()) return Failed;
  fmt::print("{}", std::string_view(outcome).substr(1));
  return outcome.front();
}

// In a process of its own.
std::string check_here(const PolicyCheckOptions& options, check::Watcher& watcher,
                       const std::function<double()>& seconds) {
  watcher.on_call();
  const auto named = find_policy(options.policy);
  if (!named) {
    const bool is_usage = named.error().kind == base::ErrorKind::NotFound;
    return outcome(is_usage ? report_usage(named.error().message) : report(named.error()), {});
  }
  const check::CheckOptions checking = check_options(options, named->argument);
  const auto fits = named->policy->check_argument(checking.argument);
  watcher.on_return();
  if (!fits) return outcome(report_usage(fits.error().message), {});
  replica::ThreadTaskRunner runner(std::max<size_t>(options.jobs, 1));
  const PolicyProcesses processes(named->text, options.limit_s);
  const check::AnnouncedPolicy announced(*named->policy, watcher);
  const auto checked = check::check_policy({announced, imports_of(*named)}, checking, runner, &processes, &watcher);
  if (!checked) return outcome(report(checked.error()), {});
  const check::ReportHeading heading{title_of(options, *named), command_of(options), seconds()};
  return outcome(checked->findings.empty() ? Done : Failed, check::write_report(*checked, checking, heading));
}

std::string bad_end_outcome(const check::CheckOptions& checking, const check::Ending& ending, check::Finding finding,
                            const check::ReportHeading& heading) {
  check::CheckReport found;
  found.coverage.histories = ending.histories;
  found.findings.push_back(std::move(finding));
  return outcome(Failed, check::write_report(found, checking, heading));
}

// In a process of its own: why another one ended badly.
std::string explain_here(const PolicyCheckOptions& options, const check::Ending& ending,
                         const check::Isolation& isolation, const std::function<double()>& seconds) {
  const auto named = find_policy(options.policy);
  if (!named) return outcome(report(named.error()), {});
  const check::CheckOptions checking = check_options(options, named->argument);
  auto finding =
      check::explain_bad_end({*named->policy, {}}, checking, ending, isolation, int64_t{1000} * options.limit_s);
  if (!finding) return outcome(report(finding.error()), {});
  const check::ReportHeading heading{title_of(options, *named), command_of(options), seconds()};
  return bad_end_outcome(checking, ending, std::move(finding).value(), heading);
}

}  // namespace

int run_policy_check(const PolicyCheckOptions& options) {
  // Whatever calls the policy does so in a process that may crash, loading included.
  const ProcessIsolation isolation;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const int64_t call_ms_max = int64_t{1000} * options.limit_s;
  const auto first =
      isolation.run([&](check::Watcher& watcher) { return check_here(options, watcher, seconds); }, call_ms_max, false);
  if (!first) return report(first.error());
  if (first->kind == check::EndKind::Returned) return show(first->result);
  const auto second = isolation.run([&](check::Watcher&) { return explain_here(options, *first, isolation, seconds); },
                                    call_ms_max, false);
  if (second && second->kind == check::EndKind::Returned) return show(second->result);
  const check::ReportHeading heading{quoted(options.policy), command_of(options), seconds()};
  return show(bad_end_outcome(check_options(options, {}), *first, check::name_bad_end(*first), heading));
}

int run_policy_answer(const std::string& policy, uint32_t limit_s) {
  const auto named = find_policy(policy);
  if (!named) return report(named.error());
  const auto answered = answer_request(*named->policy, limit_s);
  return answered ? Done : report(answered.error());
}

}  // namespace quadrille::cli
