// Random queries over random data: the engine against an evaluator that follows the specification word by word.
#pragma once

#include <cstdint>
#include <string>

namespace quadrille::test {

struct RandomQueryOutcome {
  bool is_query = false;     // false: the text broke a note of the grammar, and nothing was compared
  std::string disagreement;  // the data, the query, and both answers; empty: all is well
};

enum class RandomQueryKind { Local, Federated };  // Federated: with SERVICE patterns, whose endpoint has the same data

// Always the same for a seed. The engine answers however it is tuned, and whether it has planned the query before or
// not. Needs Catch: what the naive evaluator does not know fails the test that runs, or throws where none does.
RandomQueryOutcome try_random_query(uint64_t seed, RandomQueryKind kind = RandomQueryKind::Local);

}  // namespace quadrille::test
