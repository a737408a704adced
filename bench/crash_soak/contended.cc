#include "bench/crash_soak/contended.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

namespace quadrille::crash_soak {
namespace {

const std::string counter_prefix = "urn:soak:counter:";

std::string counter(int number) { return fmt::format("<{}{}>", counter_prefix, number); }

std::string in_graph(const std::string& text) { return fmt::format("GRAPH <urn:soak:contended> {{ {} }}", text); }

}  // namespace

std::string contended_policies() {
  return "[[policy]]\nproperty = \"urn:soak:sum\"\ncells = \"value\"\npolicy = \"sum\"\n"
         "[[policy]]\nproperty = \"urn:soak:last\"\ncells = \"value\"\npolicy = \"last-writer-wins\"\n";
}

std::string make_counters() {
  std::string text;
  for (int i = 0; i < contended_count; ++i) text += fmt::format("{} <urn:soak:sum> 0 . ", counter(i));
  return fmt::format("INSERT DATA {{ {} }}", in_graph(text));
}

std::string count_up(int number, int64_t by, const std::string& block) {
  const auto cell = [&](const char* value) {
    return in_graph(fmt::format("{} <urn:soak:sum> {}", counter(number), value));
  };
  return fmt::format("DELETE {{ {} }}\nINSERT {{ {} {} }}\nWHERE {{ {} BIND(?x + {} AS ?y) }}", cell("?x"), cell("?y"),
                     block, cell("?x"), by);
}

std::string set_register(int number, const std::string& value) {
  const auto cell = [&](const std::string& what) {
    return in_graph(fmt::format("<urn:soak:register:{}> <urn:soak:last> {}", number, what));
  };
  return fmt::format("DELETE WHERE {{ {} }} ;\nINSERT DATA {{ {} }}", cell("?x"), cell("\"" + value + "\""));
}

std::string set_flag(int number, bool is_up) {
  return fmt::format("{} DATA {{ {} }}", is_up ? "INSERT" : "DELETE",
                     in_graph(fmt::format("<urn:soak:flag:{}> <urn:soak:is> \"up\"", number)));
}

std::optional<Counters> read_counters(HttpSession& http, const std::string& url) {
  const auto query = fmt::format("SELECT ?c ?x WHERE {{ {} }}", in_graph("?c <urn:soak:sum> ?x"));
  const auto answer = http.post(url + "/sparql", "application/sparql-query", query, "text/csv");
  if (answer.status != 200) return std::nullopt;
  Counters counters{};
  int found = 0;
  std::istringstream rows(answer.body);
  std::string row;
  std::getline(rows, row);  // the names
  while (std::getline(rows, row)) {
    const auto comma = row.find(',');
    if (!row.starts_with(counter_prefix) || comma == std::string::npos) return std::nullopt;
    int number = -1;
    std::from_chars(row.data() + counter_prefix.size(), row.data() + comma, number);
    if (number < 0 || number >= contended_count) return std::nullopt;
    std::from_chars(row.data() + comma + 1, row.data() + row.size(), counters[static_cast<size_t>(number)]);
    ++found;
  }
  return found == contended_count ? std::optional(counters) : std::nullopt;
}

}  // namespace quadrille::crash_soak
