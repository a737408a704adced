#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "policies/built_in.h"
#include "policies/check/policy_check.h"
#include "policies/check/report.h"
#include "policies/load_policy.h"
#include "policies/policy_file.h"
#include "replica/cli/commands.h"
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

}  // namespace

int run_policy_check(const PolicyCheckOptions& options) {
  const auto named = find_policy(options.policy);
  if (!named) {
    const bool is_usage = named.error().kind == base::ErrorKind::NotFound;
    return is_usage ? report_usage(named.error().message) : report(named.error());
  }
  check::CheckOptions checking;
  checking.property = options.property;
  checking.argument = options.argument.empty() ? named->argument : options.argument;
  checking.cases = options.cases;
  checking.seed = options.seed;
  checking.only_case = options.only_case;
  if (auto fits = named->policy->check_argument(checking.argument); !fits) return report_usage(fits.error().message);
  const auto begin = std::chrono::steady_clock::now();
  replica::ThreadTaskRunner runner(std::max<size_t>(options.jobs, 1));
  const PolicyProcesses processes(named->text);
  const auto report_of_check = check::check_policy({*named->policy, imports_of(*named)}, checking, runner, &processes);
  if (!report_of_check) return report(report_of_check.error());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  check::ReportHeading heading;
  heading.policy = fmt::format("'{}', version {}, {}", named->policy->name(), named->policy->version(),
                               named->is_file ? "of " + options.policy : "built in");
  heading.command = fmt::format("quadrille policy check {}", quoted(options.policy));
  if (!options.argument.empty()) heading.command += " --argument " + quoted(options.argument);
  if (options.property != check::CheckOptions().property) heading.command += " --property " + quoted(options.property);
  heading.seconds = took.count();
  fmt::print("{}", check::write_report(*report_of_check, checking, heading));
  return report_of_check->findings.empty() ? Done : Failed;
}

int run_policy_answer(const std::string& policy) {
  const auto named = find_policy(policy);
  if (!named) return report(named.error());
  const auto answered = answer_request(*named->policy);
  return answered ? Done : report(answered.error());
}

}  // namespace quadrille::cli
