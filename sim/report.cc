#include "sim/report.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <span>

namespace quadrille::sim {
namespace {

constexpr size_t rows_max = 20;

// Several seeds as one row. A row of one seed has that seed's hash; of more, a hash of their hashes.
std::string row(std::span<const SeedResult> results, const std::string& name) {
  SeedResult sum;
  std::vector<uint64_t> hashes;
  size_t failed = 0;
  for (const auto& each : results) {
    sum.simulated_s += each.simulated_s;
    sum.real_s += each.real_s;
    sum.updates += each.updates;
    sum.conflicts += each.conflicts;
    sum.faults += each.faults;
    sum.messages += each.messages;
    hashes.push_back(each.trace_hash);
    failed += !each.violations.empty();
  }
  const uint64_t hash = hashes.size() == 1 ? hashes[0] : XXH3_64bits(hashes.data(), hashes.size() * sizeof(uint64_t));
  const auto verdict = failed == 0 ? "passed" : results.size() == 1 ? "FAILED" : fmt::format("{} FAILED", failed);
  return fmt::format("{:<14} {:>11.0f} {:>8.2f} {:>9} {:>10} {:>8} {:>10}  {:016x}  {}\n", name, sum.simulated_s,
                     sum.real_s, sum.updates, sum.conflicts, sum.faults, sum.messages, hash, verdict);
}

std::string name_of(std::span<const SeedResult> results) {
  const auto first = results.front().seed;
  const auto last = results.back().seed;
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

// The last lines of a text.
std::string last_lines(const std::string& text, size_t count) {
  size_t from = text.size();
  while (from > 0 && count > 0) {
    from = text.rfind('\n', from - 1);
    if (from == std::string::npos) return text;
    --count;
  }
  return text.substr(from == 0 ? 0 : text.find('\n', from) + 1);
}

}  // namespace

nlohmann::json as_json(const SeedResult& result) {
  nlohmann::json violations = nlohmann::json::array();
  for (const auto& each : result.violations) violations.push_back({{"check", each.check}, {"story", each.story}});
  nlohmann::json sent = nlohmann::json::array();
  for (const auto& each : result.sent_updates) {
    sent.push_back({{"site", each.site}, {"at_us", each.at_us}, {"text", each.text}});
  }
  nlohmann::json json = {{"seed", result.seed},
                         {"simulated_s", result.simulated_s},
                         {"real_s", result.real_s},
                         {"updates", result.updates},
                         {"reads", result.reads},
                         {"changesets", result.changesets},
                         {"conflicts", result.conflicts},
                         {"faults", result.faults},
                         {"faults_by_kind", result.faults_by_kind},
                         {"messages", result.messages},
                         {"bytes", result.bytes},
                         {"settled_after_s", result.settled_after_s},
                         {"trace_hash", fmt::format("{:016x}", result.trace_hash)},
                         {"verdict", result.violations.empty() ? "passed" : "failed"},
                         {"violations", std::move(violations)},
                         {"last_events", result.last_events},
                         {"refused", result.refused},
                         {"visits", result.visits},
                         {"memory_bytes", result.memory_bytes},
                         {"disk_bytes", result.disk_bytes}};
  if (!sent.empty()) json["sent_updates"] = std::move(sent);
  if (result.record) json["record"] = as_json(*result.record);
  return json;
}

SeedResult seed_result_from_json(const nlohmann::json& json) {
  SeedResult result;
  json.at("seed").get_to(result.seed);
  json.at("simulated_s").get_to(result.simulated_s);
  json.at("real_s").get_to(result.real_s);
  json.at("updates").get_to(result.updates);
  json.at("reads").get_to(result.reads);
  json.at("changesets").get_to(result.changesets);
  json.at("conflicts").get_to(result.conflicts);
  json.at("faults").get_to(result.faults);
  json.at("faults_by_kind").get_to(result.faults_by_kind);
  json.at("messages").get_to(result.messages);
  json.at("bytes").get_to(result.bytes);
  json.at("settled_after_s").get_to(result.settled_after_s);
  result.trace_hash = std::stoull(json.at("trace_hash").get<std::string>(), nullptr, 16);
  for (const auto& each : json.at("violations")) {
    result.violations.push_back({each.at("check").get<std::string>(), each.at("story").get<std::string>()});
  }
  json.at("last_events").get_to(result.last_events);
  json.at("refused").get_to(result.refused);
  json.at("visits").get_to(result.visits);
  json.at("memory_bytes").get_to(result.memory_bytes);
  json.at("disk_bytes").get_to(result.disk_bytes);
  if (json.contains("record")) result.record = run_record_from_json(json.at("record"));
  for (const auto& each : json.value("sent_updates", nlohmann::json::array())) {
    result.sent_updates.push_back(
        {each.at("site").get<std::string>(), each.at("at_us").get<int64_t>(), each.at("text").get<std::string>()});
  }
  return result;
}

std::string table(const std::vector<SeedResult>& results, double real_s) {
  std::string text = fmt::format("{:<14} {:>11} {:>8} {:>9} {:>10} {:>8} {:>10}  {:<16}  {}\n", "seeds", "simulated s",
                                 "real s", "updates", "conflicts", "faults", "messages", "trace hash", "verdict");
  const size_t group = std::max<size_t>(1, (results.size() + rows_max - 1) / rows_max);
  const std::span<const SeedResult> all(results);
  for (size_t i = 0; i < all.size(); i += group) {
    const auto some = all.subspan(i, std::min(group, all.size() - i));
    text += row(some, name_of(some));
  }
  if (all.size() > 1) text += row(all, fmt::format("all {}", all.size()));
  double simulated_s = 0;
  for (const auto& each : results) simulated_s += each.simulated_s;
  text += fmt::format("{} seeds in {:.1f} s: {:.1f} seeds/s, {:.0f} simulated seconds a real second\n", all.size(),
                      real_s, static_cast<double>(all.size()) / real_s, simulated_s / real_s);
  return text;
}

std::string story(const SeedResult& result, const std::string& replay_command, size_t lines) {
  std::string text = fmt::format("\nSeed {} failed after {:.3f} simulated seconds. To see it again:\n  {}\n",
                                 result.seed, result.simulated_s, replay_command);
  for (const auto& violation : result.violations) text += fmt::format("{}:\n{}\n", violation.check, violation.story);
  if (!result.last_events.empty()) {
    text += "what happened, each site in order:\n" + last_lines(result.last_events, lines);
  }
  return text;
}

}  // namespace quadrille::sim
