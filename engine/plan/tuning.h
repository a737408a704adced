// Where plans and operators change from one way to another. The numbers decide how fast an answer comes, never what it
// is: tests set them to extremes, so that small data goes through every way.
#pragma once

namespace quadrille::plan {

struct Tuning {
  double cost_of_lookup = 80;             // a key in the index; cost.h has the rest
  double lookups_worth_a_switch = 500;    // from so many on an index join asks whether hashing is cheaper
  double cost_worth_a_search = 4000;      // join orders that cost less are taken as the greedy search finds them
  double rows_worth_a_second_plan = 500;  // for more rows an EXISTS gets a plan for all of its solutions too
  double rows_worth_remembering = 256;    // batches as large have the results of an expression remembered
  double seeds_worth_all_solutions = 64;  // which is used for no fewer rows that have been looked up
  // More rows are not handed to the endpoint of a SERVICE, which is asked for all of its solutions before them.
  double rows_worth_handing_over = 100'000;
  double rows_worth_threads = 8192;  // from so many on rows are dealt out to several threads
  double rows_a_morsel = 4096;       // that one thread works on before it asks for more
};

}  // namespace quadrille::plan
