// Where plans and operators change from one way to another. The numbers decide how fast an answer comes, never what it
// is: tests set them to extremes, so that small data goes through every way.
#pragma once

namespace quadrille::plan {

struct Tuning {
  double cost_of_lookup = 20;               // a key in the index; a row that a scan reads: 0.5
  double cost_worth_a_search = 4000;        // join orders that cost less are taken as the greedy search finds them
  double rows_worth_a_second_plan = 500;    // for more rows an EXISTS gets a plan for all of its solutions too
  double rows_worth_remembering = 256;      // batches as large have the results of an expression remembered
  double seeds_worth_all_solutions = 1000;  // which is used when so many rows have been looked up one by one
};

}  // namespace quadrille::plan
