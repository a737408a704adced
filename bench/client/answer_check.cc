#include "bench/client/answer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "bench/client/connection.h"
#include "engine/base/clock.h"
#include "engine/io/input_stream.h"
#include "engine/io/rdf_parser.h"
#include "engine/io/result_reader.h"
#include "engine/model/value.h"

namespace quadrille::bench {
namespace {

using model::Term;
using Numbers = std::vector<double>;
// Rows by what must be equal; for each the numbers in them, which may differ a little.
using Rows = std::map<std::string, std::vector<Numbers>>;

constexpr size_t answer_bytes_max = size_t{1} << 30;
constexpr double tolerance = 1e-6;

// Labels of blank nodes do not matter for a comparison of answers that hold none.
class NoChance final : public base::RandomSource {
 public:
  uint64_t next() override { return 1; }
};

class Row {
 public:
  void add(std::string_view name, const Term& term) {
    if (term.is_literal()) {
      const model::Value value = model::value_of(term);
      if (value.is_numeric()) {
        numbers_.push_back(value.to_double());
        key_ += fmt::format("{}=number ", name);
        return;
      }
    }
    key_ += fmt::format("{}={} ", name, model::to_ntriples(term));
  }
  void add_to(Rows& rows) && { rows[std::move(key_)].push_back(std::move(numbers_)); }

 private:
  std::string key_;
  Numbers numbers_;
};

base::Result<Rows> rows_of_json(std::string_view text) {
  QUADRILLE_ASSIGN(const io::ResultSet results, io::read_json_results(text));
  std::vector<size_t> columns(results.variables.size());
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  std::sort(columns.begin(), columns.end(),
            [&](size_t a, size_t b) { return results.variables[a] < results.variables[b]; });
  Rows rows;
  if (results.boolean) rows[*results.boolean ? "true" : "false"] = {{}};
  for (const auto& cells : results.rows) {
    Row row;
    for (size_t column : columns) {
      if (cells[column]) row.add(results.variables[column], *cells[column]);
    }
    std::move(row).add_to(rows);
  }
  return rows;
}

base::Result<Rows> rows_of_triples(std::string_view text) {
  NoChance chance;
  model::BlankNodeScope nodes(chance);
  QUADRILLE_ASSIGN(const auto triples, io::parse_rdf_text(io::RdfFormat::NTriples, text, {}, nodes));
  Rows rows;
  for (const auto& triple : triples) {
    Row row;
    row.add("s", triple.subject);
    row.add("p", triple.predicate);
    row.add("o", triple.object);
    std::move(row).add_to(rows);
  }
  return rows;
}

bool are_near(const Numbers& left, const Numbers& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](double a, double b) {
    return a == b || std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b));
  });
}

base::Error differs(std::string message) { return {base::ErrorKind::Mismatch, std::move(message), {}}; }

base::Result<void> compare(const Rows& found, Rows expected) {
  for (const auto& [key, several] : found) {
    for (const Numbers& numbers : several) {
      auto entry = expected.find(key);
      if (entry == expected.end()) return differs(fmt::format("not expected: {}", key));
      const auto same = std::find_if(entry->second.begin(), entry->second.end(),
                                     [&](const Numbers& one) { return are_near(one, numbers); });
      if (same == entry->second.end()) {
        return differs(fmt::format("{}found {}, expected {}", key, fmt::join(numbers, " "),
                                   fmt::join(entry->second.front(), " ")));
      }
      entry->second.erase(same);
      if (entry->second.empty()) expected.erase(entry);
    }
  }
  if (!expected.empty()) return differs(fmt::format("missing: {}", expected.begin()->first));
  return {};
}

}  // namespace

base::Result<void> check_answer(std::string_view answer, const std::filesystem::path& expected) {
  QUADRILLE_ASSIGN(const auto input, io::open_input(expected.string()));
  QUADRILLE_ASSIGN(const std::string text, io::read_all(*input, answer_bytes_max));
  const auto rows_of = expected.extension() == ".nt" ? rows_of_triples : rows_of_json;
  QUADRILLE_ASSIGN(const Rows found, rows_of(answer));
  QUADRILLE_ASSIGN(Rows wanted, rows_of(text));
  return compare(found, std::move(wanted));
}

base::Result<CheckReport> check_directory(const std::string& endpoint_url, const std::filesystem::path& directory) {
  QUADRILLE_ASSIGN(const Endpoint endpoint, parse_endpoint(endpoint_url));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".rq") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Connection connection(endpoint);
  CheckReport report;
  for (const auto& file : files) {
    QUADRILLE_ASSIGN(const auto queries, read_query_list(file));
    std::filesystem::path expected = file;
    if (!std::filesystem::exists(expected.replace_extension(".srj"))) expected.replace_extension(".nt");
    if (!std::filesystem::exists(expected)) {
      ++report.unknown;
      continue;
    }
    const auto answer = connection.exchange(make_request(endpoint, queries.front()));
    const auto checked = answer.ok() ? check_answer(*answer, expected) : base::Result<void>(answer.error());
    ++(checked.ok() ? report.right : report.wrong);
    if (!checked.ok()) {
      fmt::print("{} (q{}): {}\n", file.filename().string(), queries.front().kind, checked.error().message);
    }
  }
  return report;
}

}  // namespace quadrille::bench
