#include "sim/client_templates.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <utility>

namespace quadrille::sim {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '_' || std::isalnum(c); });
}

// `value_of` gives nothing for what is no parameter: that stays as it is.
std::string replace(std::string_view text,
                    const std::function<std::optional<std::string>(std::string_view)>& value_of) {
  std::string out;
  while (!text.empty()) {
    const size_t open = text.find('%');
    const size_t close = open == std::string_view::npos ? open : text.find('%', open + 1);
    if (close == std::string_view::npos) break;
    const auto name = text.substr(open + 1, close - open - 1);
    const auto value = is_word(name) ? value_of(name) : std::nullopt;
    out += text.substr(0, open);
    out += value ? *value : "%";
    text.remove_prefix(value ? close + 1 : open + 1);
  }
  return out.append(text);
}

bool is_given(std::string_view name) { return name == "site" || name == "number"; }

}  // namespace

std::optional<std::string> find_unknown_parameter(std::string_view text,
                                                  const std::map<std::string, Parameter>& parameters) {
  std::optional<std::string> unknown;
  replace(text, [&](std::string_view name) -> std::optional<std::string> {
    const bool is_escape = name.size() == 2 && std::isxdigit(static_cast<unsigned char>(name[0])) &&
                           std::isxdigit(static_cast<unsigned char>(name[1]));
    const bool is_known = is_given(name) || parameters.contains(std::string(name));
    if (!is_known && is_escape) return std::nullopt;
    if (!is_known && !unknown) unknown = name;
    return "";
  });
  return unknown;
}

std::string parameter_names(const std::map<std::string, Parameter>& parameters) {
  std::string names = "site, number";
  for (const auto& [name, parameter] : parameters) names += ", " + name;
  return names;
}

std::string sample_of(std::string_view text, const std::map<std::string, Parameter>& parameters) {
  return replace(text, [&](std::string_view name) -> std::optional<std::string> {
    const auto found = parameters.find(std::string(name));
    if (found == parameters.end()) return is_given(name) ? std::optional<std::string>("1") : std::nullopt;
    if (!found->second.texts.empty()) return found->second.texts.front();
    return std::to_string(found->second.first);
  });
}

TemplateClients::TemplateClients(const ClientsSetup& setup, std::string site, RandomStream random)
    : setup_(setup), site_(std::move(site)), random_(random) {}

int64_t TemplateClients::until_next_update_us() {
  constexpr int64_t never_us = int64_t{1} << 60;
  if (setup_.updates_per_second <= 0) return never_us;
  return static_cast<int64_t>(random_.exponential(1e6 / setup_.updates_per_second)) + 1;
}

std::string TemplateClients::next_update() {
  ++number_;
  double sum = 0;
  for (const auto& each : setup_.updates) sum += each.weight;
  double draw = random_.fraction() * sum;
  const auto* chosen = &setup_.updates.back();
  for (const auto& each : setup_.updates) {
    if ((draw -= each.weight) >= 0) continue;
    chosen = &each;
    break;
  }
  // One value for each name, however often it stands there; drawn where it first does.
  std::map<std::string, std::string, std::less<>> values = {{"site", site_}, {"number", std::to_string(number_)}};
  return replace(chosen->text, [&](std::string_view name) -> std::optional<std::string> {
    if (const auto known = values.find(name); known != values.end()) return known->second;
    const auto parameter = setup_.parameters.find(std::string(name));
    if (parameter == setup_.parameters.end()) return std::nullopt;
    return values[std::string(name)] = this->draw(parameter->first, parameter->second);
  });
}

std::string TemplateClients::draw(const std::string& name, const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::Uniform: return std::to_string(random_.between(parameter.first, parameter.last));
    case Parameter::Kind::Zipf: return std::to_string(draw_zipf(name, parameter));
    case Parameter::Kind::Counter: return std::to_string(++counters_[name]);
    case Parameter::Kind::OneOf: return parameter.texts[random_.below(parameter.texts.size())];
  }
  return {};
}

int64_t TemplateClients::draw_zipf(const std::string& name, const Parameter& parameter) {
  auto& sums = zipf_sums_[name];
  if (sums.empty()) {
    double sum = 0;
    for (int64_t key = 0; key <= parameter.last; ++key) {
      sums.push_back(sum += std::pow(static_cast<double>(key + 1), -parameter.exponent));
    }
  }
  const auto found = std::upper_bound(sums.begin(), sums.end(), random_.fraction() * sums.back());
  return std::min<int64_t>(found - sums.begin(), parameter.last);
}

}  // namespace quadrille::sim
