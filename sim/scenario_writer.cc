// A scenario as the text of a file, so that what a seed made by chance, or what shrinking left, can be kept and run
// again.
#include <fmt/format.h>

#include "replica/site/assignment_tables.h"
#include "sim/scenario_parts.h"

namespace quadrille::sim {
namespace {

using replica::toml_quoted;

std::string seconds(int64_t us) { return fmt::format("{}.{:06}", us / 1'000'000, us % 1'000'000); }
std::string milliseconds(int64_t us) { return fmt::format("{}.{:03}", us / 1000, us % 1000); }

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ", ") + toml_quoted(text);
  return "[" + list + "]";
}

std::string top_as_toml(const Scenario& scenario) {
  std::string text = fmt::format("name = {}\nrun_s = {}\nquiet_s = {}\ncommit_ms_min = {}\ncommit_ms_max = {}\n",
                                 toml_quoted(scenario.name), seconds(scenario.run_us), seconds(scenario.quiet_us),
                                 milliseconds(scenario.commit_us_min), milliseconds(scenario.commit_us_max));
  text += fmt::format("batch_kib = {}\ndefault_policy = {}\n", static_cast<double>(scenario.batch_bytes) / 1024,
                      toml_quoted(scenario.assignment.default_policy));
  if (!scenario.data.empty()) text += fmt::format("data = {}\n", toml_quoted(scenario.data));
  return text;
}

std::string places_as_toml(const Scenario& scenario) {
  std::string text;
  for (const auto& site : scenario.sites) {
    text += fmt::format("\n[[site]]\nname = \"{}\"\n", site.name);
    if (site.clock_skew_ms != 0) text += fmt::format("clock_skew_ms = {}\n", site.clock_skew_ms);
  }
  for (const auto& link : scenario.links) {
    const auto& options = link.options;
    text += fmt::format("\n[[link]]\nbetween = [\"{}\", \"{}\"]\nlatency_ms = {}\njitter_ms = {}\n", link.one,
                        link.another, milliseconds(options.latency_us), milliseconds(options.jitter_us));
    if (options.jitter == LinkOptions::Jitter::LongTailed) text += "jitter = \"long-tailed\"\n";
    text += fmt::format("kib_per_s = {}\nwindow_kib = {}\ngive_up_s = {}\n",
                        static_cast<double>(options.bytes_per_second) / 1024,
                        static_cast<double>(options.window_bytes) / 1024, seconds(options.give_up_us));
    if (link.losses_per_minute > 0) text += fmt::format("losses_per_minute = {}\n", link.losses_per_minute);
  }
  return text;
}

std::string faults_as_toml(const Scenario& scenario) {
  std::string text;
  for (const auto& fault : scenario.timeline) {
    text += fmt::format("\n[[fault]]\nkind = \"{}\"\nsites = {}\n", name_of(fault.kind), list_of(fault.sites));
    if (fault.at_us_max > fault.at_us) {
      text += fmt::format("between_s = [{}, {}]\n", seconds(fault.at_us), seconds(fault.at_us_max));
    } else {
      text += fmt::format("at_s = {}\n", seconds(fault.at_us));
    }
    if (has_duration(fault.kind)) text += fmt::format("for_s = {}\n", seconds(fault.duration_us));
    if (fault.kind == FaultKind::ClockJump) text += fmt::format("jump_ms = {}\n", fault.jump_ms);
    if (fault.kind == FaultKind::Restore) text += fmt::format("backup_at_s = {}\n", seconds(fault.backup_at_us));
  }
  for (const auto& rate : scenario.fault_rates) {
    text += fmt::format("\n[random_faults.{}]\nper_minute = {}\n", name_of(rate.kind), rate.per_minute);
    if (has_duration(rate.kind)) {
      text +=
          fmt::format("for_s_min = {}\nfor_s_max = {}\n", seconds(rate.duration_us_min), seconds(rate.duration_us_max));
    }
    if (rate.kind == FaultKind::ClockJump) text += fmt::format("jump_ms = {}\n", rate.jump_ms_max);
  }
  return text;
}

std::string workload_as_toml(const WorkloadSetup& setup) {
  const auto& mix = setup.mix;
  return fmt::format(
      "\n[workload]\nupdates_per_second = {}\nreads_per_second = {}\nkeys = {}\nbulk_quads = {}\nsessions = {}\n"
      "opens_accounts = {}\n\n[workload.mix]\ninsert = {}\nerase = {}\npair = {}\nset_value = {}\nincrement = {}\n"
      "bulk = {}\n",
      setup.updates_per_second, setup.reads_per_second, setup.keys, setup.bulk_quads, setup.sessions,
      setup.opens_accounts, mix.insert, mix.erase, mix.pair, mix.set_value, mix.increment, mix.bulk);
}

std::string parameter_as_toml(const std::string& name, const Parameter& parameter) {
  std::string text = fmt::format("\n[[clients.parameter]]\nname = \"{}\"\n", name);
  switch (parameter.kind) {
    case Parameter::Kind::Uniform:
      return text + fmt::format("kind = \"uniform\"\nfrom = {}\nto = {}\n", parameter.first, parameter.last);
    case Parameter::Kind::Zipf:
      return text + fmt::format("kind = \"zipf\"\nkeys = {}\nexponent = {}\n", parameter.last + 1, parameter.exponent);
    case Parameter::Kind::Counter: return text + "kind = \"counter\"\n";
    case Parameter::Kind::OneOf:
      return text + fmt::format("kind = \"one-of\"\nvalues = {}\n", list_of(parameter.texts));
  }
  return text;
}

std::string clients_as_toml(const Scenario& scenario) {
  std::string text;
  for (const auto& clients : scenario.clients) {
    text += fmt::format("\n[[clients]]\nupdates_per_second = {}\nfrom_s = {}\n", clients.updates_per_second,
                        seconds(clients.from_us));
    if (clients.until_us > 0) text += fmt::format("until_s = {}\n", seconds(clients.until_us));
    if (!clients.sites.empty()) text += fmt::format("sites = {}\n", list_of(clients.sites));
    for (const auto& [name, parameter] : clients.parameters) text += parameter_as_toml(name, parameter);
    for (const auto& update : clients.updates) {
      text += fmt::format("\n[[clients.update]]\nweight = {}\ntext = {}\n", update.weight, toml_quoted(update.text));
    }
  }
  for (const auto& update : scenario.updates) {
    text += fmt::format("\n[[update]]\nsite = \"{}\"\nat_s = {}\ntext = {}\n", update.site, seconds(update.at_us),
                        toml_quoted(update.text));
  }
  return text;
}

std::string checks_as_toml(const Scenario& scenario) {
  std::string text;
  for (const auto& invariant : scenario.invariants) {
    text += fmt::format("\n[[invariant]]\nname = {}\nwhen = \"{}\"\nask = {}\n", toml_quoted(invariant.name),
                        name_of(invariant.when), toml_quoted(invariant.ask));
  }
  constexpr double mib = 1024 * 1024;
  return text + fmt::format("\n[limits]\ndisk_mib = {}\nmemory_mib = {}\n",
                            static_cast<double>(scenario.limits.disk_bytes) / mib,
                            static_cast<double>(scenario.limits.memory_bytes) / mib);
}

}  // namespace

std::string scenario_as_toml(const Scenario& scenario) {
  return top_as_toml(scenario) + places_as_toml(scenario) + faults_as_toml(scenario) +
         workload_as_toml(scenario.workload) + clients_as_toml(scenario) + checks_as_toml(scenario) + "\n" +
         replica::assignment_as_toml(scenario.assignment);
}

}  // namespace quadrille::sim
