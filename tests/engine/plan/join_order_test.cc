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
