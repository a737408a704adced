#include "engine/plan/join_order.h"

#include <catch2/catch.hpp>

using namespace quadrille;
using plan::JoinOperand;
using plan::JoinProblem;
using plan::JoinStep;
using plan::PatternAccess;
using plan::VariableId;

namespace {

PatternAccess pattern(VariableId subject, VariableId object) {
  PatternAccess made;
  made.triple[0].variable = subject;
  made.triple[1].constant = model::TermId(model::TermTag::Iri, 1);
  made.triple[2].variable = object;
  return made;
}

JoinOperand operand(const PatternAccess& access, double rows, double objects_of_subject) {
  JoinOperand made;
  made.pattern = &access;
  made.estimate = {rows, rows, objects_of_subject, 1};
  made.columns = made.certain = plan::variables_of(access);
  return made;
}

}  // namespace

// ?a :p ?b . ?a :q ?c . ?d :r ?e: greedily, the few rows of the last are multiplied with all others.
TEST_CASE("a product that cannot be avoided comes after the joins that leave few rows") {
  const PatternAccess few = pattern(0, 1);
  const PatternAccess rare = pattern(0, 2);
  const PatternAccess apart = pattern(3, 4);
  JoinProblem problem;
  problem.operands = {operand(few, 200, 1), operand(rare, 300, 0.01), operand(apart, 100, 1)};
  const std::vector<JoinStep> steps = plan::find_join_order(problem);
  REQUIRE(steps.size() == 3);
  CHECK(steps[2].operand == 2);
}

// ?x :p ?t, with ten values of ?t; ?t :q :constant, of a predicate that has far more rows.
TEST_CASE("values that both patterns may have in common are taken to be in common") {
  const PatternAccess first = pattern(0, 1);
  PatternAccess second = pattern(1, plan::no_variable);
  second.triple[2].constant = model::TermId(model::TermTag::Iri, 2);
  const plan::PatternEstimate of_second{5000, 100'000, 1, 20};
  plan::VariableSet bound;
  bound.add(1);
  CHECK(plan::rows_for_one(second, of_second, bound, {.subjects = 10}) == 1);
  CHECK(plan::rows_for_one(second, of_second, bound, {.subjects = 20'000}) == 0.25);

  JoinProblem problem;
  problem.operands = {operand(first, 1000, 1), operand(second, 5000, 1)};
  problem.operands[0].estimate.subjects_of_object = 100;
  problem.operands[1].estimate = of_second;
  const std::vector<JoinStep> steps = plan::find_join_order(problem);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].operand == 0);
  CHECK(steps[1].rows == 1000);
}
