// The SPARQL algebra as the specification writes it, row by row and without a thought for speed: what the engine is
// compared with. Shares nothing with it. Knows only what random_query_test.cc makes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "engine/sparql/algebra.h"

namespace quadrille::test {

using Solution = std::map<std::string, model::Term>;
using SolutionList = std::vector<Solution>;

class NaiveEvaluator {
 public:
  // `triples` is the default graph.
  explicit NaiveEvaluator(std::vector<model::TermQuad> triples) : triples_(std::move(triples)) {}
  SolutionList evaluate(const sparql::Algebra& algebra) const { return evaluate(algebra, {}); }

 private:
  // `outside`: the row around an EXISTS, put in place of its variables.
  SolutionList evaluate(const sparql::Algebra& algebra, const Solution& outside) const;
  SolutionList match(const sparql::Algebra& algebra, const Solution& outside) const;
  SolutionList left_join(const sparql::Algebra& algebra, const Solution& outside) const;
  SolutionList minus(const sparql::Algebra& algebra, const Solution& outside) const;
  SolutionList group(const sparql::Algebra& algebra, const Solution& outside) const;
  std::optional<model::Term> aggregate(const sparql::Aggregate& aggregate, const SolutionList& rows) const;
  std::optional<bool> truth(const sparql::Expression& expression, const Solution& row) const;
  std::optional<model::Term> value(const sparql::Expression& expression, const Solution& row) const;

  std::vector<model::TermQuad> triples_;
};

}  // namespace quadrille::test
