#include "sim/site_query.h"

#include <memory>
#include <variant>

#include "replica/site/query.h"

namespace quadrille::sim {
namespace {

base::Result<replica::Answer> run(SimulatedSite& site, const std::string& query) {
  return replica::run_query(site.store(), query, {}, site.site().run_parts());
}

}  // namespace

base::Result<std::vector<std::pair<std::string, std::string>>> select_rows(SimulatedSite& site,
                                                                           const std::string& query) {
  QUADRILLE_ASSIGN(auto answer, run(site, query));
  auto& solutions = *std::get<std::unique_ptr<exec::Solutions>>(answer.content);
  std::vector<std::pair<std::string, std::string>> rows;
  for (;;) {
    QUADRILLE_ASSIGN(const size_t count, solutions.next());
    if (count == 0) return rows;
    for (size_t row = 0; row < count; ++row) {
      const auto first = solutions.term(row, 0);
      const auto second = solutions.term(row, 1);
      if (!first || !second) return base::Error{base::ErrorKind::Corruption, "a column is unbound: " + query, {}};
      rows.emplace_back(first->text(), second->text());
    }
  }
}

base::Result<bool> ask(SimulatedSite& site, const std::string& query) {
  QUADRILLE_ASSIGN(auto answer, run(site, query));
  const auto* truth = std::get_if<bool>(&answer.content);
  if (!truth) return base::Error{base::ErrorKind::InvalidInput, "expected an ASK: " + query, {}};
  return *truth;
}

}  // namespace quadrille::sim
